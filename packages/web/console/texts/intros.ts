import type { ConsoleMessage, TimelineStep } from '@foreword/contract';
import { formatNumber } from '../format.ts';

/** Nobody counts further. */
const COUNT_LIMIT = 1_000;

export const EVENT_STATUS_NAMES = { accepted: 'Waiting', processed: 'Made an intro', failed: 'Failed' } as const;

export const aboutMany = (count: number): string =>
  count > COUNT_LIMIT ? `${formatNumber(COUNT_LIMIT)}+` : formatNumber(count);

export const INTROS = {
  title: 'Intros',
  lead: 'Every video that was asked for, and every event that came in.',
  view: 'What is listed',
  views: { intros: 'Intros', events: 'Events' },
  status: 'Status',
  all: 'All',
  search: 'Name, phone, reference or id',
  filters: 'Filters',
  filtersSet: (count: number) => `Filters (${count})`,
  member: 'Member',
  anyMember: 'Anybody',
  memberSearch: 'Search members',
  anyMemberAgain: 'Anybody again',
  touchpoint: 'Touchpoint',
  anyTouchpoint: 'Any touchpoint',
  from: 'From',
  to: 'Until',
  days: (zone: string) => `By the clock of your organization: ${zone}`,
  clear: 'Clear all filters',
  list: 'Intros, the newest first',
  events: 'Events, the newest first',
  columns: { who: 'Recipient', what: 'Touchpoint', member: 'Member', when: 'Asked', status: 'Status' },
  eventColumns: { who: 'Recipient', what: 'Touchpoint', member: 'Member', when: 'Came', status: 'Status' },
  empty: 'No intros yet',
  emptyLead: 'They come with the first event that your system reports, or when somebody starts one by hand.',
  emptyEvents: 'No events yet',
  emptyEventsLead: 'Each business moment that your system reports stands here, with what became of it.',
  firstSteps: 'Connect your system',
  none: 'Nothing fits',
  noneLead: 'Search for something else, or take a filter away.',
  lookingBack: 'Looking further back',
  notDelivered: 'Not delivered',
  opened: 'Opened',
  watched: (percent: number) => (percent === 100 ? 'Watched' : `Watched ${percent}%`),
  startOne: 'Start an intro',
} as const;

export const INTRO = {
  title: 'Intro',
  for: (name: string) => `For ${name}`,
  backName: 'intros',
  by: (member: string) => `Recorded by ${member}`,
  toRecord: (member: string) => `To be recorded by ${member}`,
  deadline: 'Until',
  video: 'Video',
  noVideo: 'There is no video yet',
  noVideoLead: 'It stands here as soon as it is recorded.',
  videoGone: 'The video is not kept any more',
  videoOf: (name: string) => `The video for ${name}`,
  captions: 'Captions',
  page: 'The recipient’s page',
  pageLead: 'As the recipient sees it. Looking at it here is not counted.',
  showPage: 'Show the page',
  hidePage: 'Hide the page',
  recording: {
    uploading: 'A take is being uploaded.',
    uploaded: 'A take has arrived and waits to be processed.',
    processing: (percent: number) => `A take is being processed: ${percent}%.`,
    refused: 'The last take could not be used.',
  },
  timeline: 'What happened',
  script: 'Script',
  noScript: 'No script was given.',
  facts: 'Facts',
  fact: {
    touchpoint: 'Touchpoint',
    title: 'Title of the page',
    recipient: 'Recipient',
    phone: 'Phone',
    member: 'Member',
    appointment: 'Appointment',
    trade: 'Trade',
    lane: 'Lane',
    reference: 'Reference',
    delivery: 'Who sends it',
    created: 'Asked',
    expires: 'Expires',
    event: 'Event',
    metadata: 'Metadata',
    id: 'Id',
    cancelledBy: 'Cancelled by',
  },
  optedOut: 'Has opted out of text messages',
  delivery: { integration: 'Your own system', service: 'Foreword' },
  key: (name: string) => `the key “${name}”`,
  said: 'Messages',
  saidLead: 'What went to the member and to the recipient, word for word.',
  nothingSaid: 'Nothing was sent yet.',
  webhooks: 'Webhooks',
  webhooksLead: 'What your system was told of this intro.',
  noWebhooks: 'No endpoint was told anything.',
  payload: 'Payload',
  show: 'Show it',
  attempts: 'Attempts',
  noAttempt: 'Not tried yet',
  attempt: (status: number | null, error: string | null) =>
    status === null ? (error ?? 'No answer') : `HTTP ${status}`,
  deletedEndpoint: 'an endpoint that was deleted',
  deliveryStatus: { pending: 'Waiting', delivered: 'Delivered', failed: 'Given up' },
  raw: 'As the API gives it',
  request: 'The request that made it',
  requestLead: (path: string) => `POST ${path}`,
  noRequest: 'It was started by hand, or its request is not kept any more.',
  openEvent: 'Open the event',
  openRequest: 'Open it in the request log',
  failedTitle: 'The recipient could not be reached',
} as const;

export const ACTIONS = {
  more: 'More',
  record: 'Open the recorder',
  copyPage: 'Copy the recipient’s link',
  copyRecord: 'Copy the recorder’s link',
  copied: 'The link is copied.',
  cancel: 'Cancel the intro',
  cancelTitle: 'Cancel this intro?',
  cancelLead: (name: string) =>
    `All its links stop working, and nothing more is sent to ${name}. This cannot be taken back.`,
  keep: 'Keep it',
  cancelled: 'The intro is cancelled.',
  reassign: 'Give it to somebody else',
  reassignTitle: 'Who is to record it?',
  reassignLead: (member: string) =>
    `The new member is asked at once. The link that ${member} has stops working, and what ${member} has not finished uploading is lost.`,
  reassignTo: 'New member',
  reassignChoose: 'Choose a member',
  reassignSearch: 'Search members',
  reassignConfirm: 'Give it to them',
  reassigned: (member: string) => `${member} is asked to record it.`,
  remind: 'Remind the member',
  reminded: (when: string) => `The reminder goes ${when}.`,
  sendAgain: 'Send the text again',
  sendAgainTitle: 'Send the text again?',
  sendAgainLead: (name: string) =>
    `${name} gets the link once more. Night hours and the day between two texts are kept, so it may wait.`,
  sendAgainConfirm: 'Send it',
  sentAgain: (when: string) => `The text goes ${when}.`,
  atOnce: 'now',
  because: { quiet_hours: 'because it is night there', recent_text: 'because a text went within the last day' },
  markSent: 'Mark as sent',
  markedSent: 'The intro is marked as sent.',
  retry: 'Try again',
  retried: 'The event is being tried again.',
} as const;

const CAUSES: Record<TimelineStep['cause'], string> = {
  integration: 'your system',
  member: 'the member',
  recipient: 'the recipient',
  service: 'Foreword',
  carrier: 'the carrier',
};

export const causeOf = (step: TimelineStep): string => CAUSES[step.cause];

const HELD: Record<string, string> = {
  quiet_hours: 'It is night at the recipient’s place.',
  recent_text: 'Another text went to this number within the last day.',
  recording: 'A take is being processed.',
};

export const heldFor = (reason: string): string => HELD[reason] ?? reason;

export const STEP_NAMES: Record<TimelineStep['type'], string> = {
  asked: 'The intro was asked for',
  member_told: 'The member was told',
  member_reminded: 'The member was reminded',
  member_not_told: 'The member could not be told',
  reassigned: 'Somebody else was asked to record it',
  opened_by_member: 'The member opened the recorder',
  recorded: 'A take arrived',
  recording_refused: 'A take could not be used',
  processed: 'The video is ready',
  queued: 'The text waits',
  sent: 'The recipient got the link',
  not_sent: 'The text could not be sent',
  delivered: 'The carrier delivered the text',
  undelivered: 'The carrier could not deliver the text',
  opened: 'The recipient opened the page',
  watched: 'The recipient watched the video',
  cancelled: 'The intro was cancelled',
  expired: 'The time was over',
};

export const PURPOSES: Record<ConsoleMessage['purpose'], string> = {
  ask: 'Request to record',
  remind: 'Reminder',
  remind_last: 'Last reminder',
  remind_by_hand: 'Reminder by hand',
  deliver: 'Text to the recipient',
};

export const MESSAGE_STATUS: Record<ConsoleMessage['status'], string> = {
  scheduled: 'Waiting',
  sending: 'On its way',
  accepted: 'Sent',
  delivered: 'Delivered',
  undelivered: 'Not delivered',
  failed: 'Failed',
  dropped: 'Not needed',
};

export const MESSAGE = {
  byText: 'Text',
  byEmail: 'E-mail',
  segments: (count: number) => (count === 1 ? '1 segment' : `${count} segments`),
  writtenDown: 'Written down',
  noCarrier: 'No carrier is set up',
  unwritten: 'It is written when it goes.',
  due: 'Due',
} as const;
