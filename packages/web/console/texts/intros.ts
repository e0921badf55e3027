import type { ConsoleMessage, TimelineStep } from '@foreword/contract';
import { COUNT_LIMIT } from '@foreword/contract/plain';
import { formatCount, formatNumber } from '../format.ts';

export const EVENT_STATUS_NAMES = { accepted: 'Pending', processed: 'Intro created', failed: 'Failed' } as const;

export const formatUpToLimit = (count: number): string =>
  count > COUNT_LIMIT ? `${formatNumber(COUNT_LIMIT)}+` : formatNumber(count);

export const INTROS = {
  title: 'Intros',
  lead: 'All requested videos and the events behind them.',
  view: 'View',
  views: { intros: 'Intros', events: 'Events' },
  status: 'Status',
  all: 'All',
  search: 'Name, phone, reference, or ID',
  filters: 'Filters',
  filtersSet: (count: number) => `Filters (${count})`,
  member: 'Member',
  anyMember: 'Any member',
  memberSearch: 'Search members',
  clearMember: 'Clear member',
  touchpoint: 'Touchpoint',
  anyTouchpoint: 'Any touchpoint',
  from: 'From',
  to: 'Until',
  days: (zone: string) => `Your organization’s time zone: ${zone}`,
  clear: 'Clear filters',
  list: 'Intros, newest first',
  events: 'Events, newest first',
  columns: {
    recipient: 'Recipient',
    touchpoint: 'Touchpoint',
    member: 'Member',
    createdAt: 'Requested',
    status: 'Status',
  },
  eventColumns: {
    recipient: 'Recipient',
    touchpoint: 'Touchpoint',
    member: 'Member',
    createdAt: 'Received',
    status: 'Status',
  },
  empty: 'No intros yet',
  emptyLead: 'Intros appear here when your system sends an event or a member starts one.',
  emptyEvents: 'No events yet',
  emptyEventsLead: 'Events that your system sends appear here with their results.',
  firstSteps: 'Connect your system',
  none: 'No results',
  noneLead: 'Change your search or remove a filter.',
  searchingOlder: 'Searching older ones…',
  notSent: 'Not sent',
  notDelivered: 'Not delivered',
  opened: 'Opened',
  watched: (percent: number) => (percent === 100 ? 'Watched' : `Watched ${percent}%`),
  startOne: 'Start an intro',
} as const;

export const INTRO = {
  title: 'Intro',
  for: (name: string) => `For ${name}`,
  by: (member: string) => `Recorded by ${member}`,
  toRecord: (member: string) => `To be recorded by ${member}`,
  video: 'Video',
  noVideo: 'No video yet',
  noVideoLead: 'The video will appear here once it is recorded.',
  videoGone: 'The video is no longer stored.',
  videoFor: (name: string) => `The video for ${name}`,
  captions: 'Captions',
  page: 'Recipient’s page',
  pageLead: 'What the recipient sees. Opening it here doesn’t count as a view.',
  showPage: 'Show page',
  hidePage: 'Hide page',
  recording: {
    uploading: 'A take is uploading.',
    uploaded: 'A take is uploaded and will be processed next.',
    processing: (percent: number) => `A take is being processed: ${percent}%.`,
    refused: 'The last take couldn’t be used',
    retry: 'Try again',
    retried: 'The take is being processed again.',
  },
  timeline: 'Timeline',
  script: 'Script',
  noScript: 'No script',
  details: 'Details',
  detail: {
    touchpoint: 'Touchpoint',
    title: 'Page title',
    recipient: 'Recipient',
    phone: 'Phone',
    member: 'Member',
    appointment: 'Appointment',
    trade: 'Trade',
    lane: 'Lane',
    reference: 'Reference',
    delivery: 'Sent by',
    created: 'Requested',
    expires: 'Expires',
    event: 'Event',
    metadata: 'Metadata',
    id: 'ID',
    cancelledBy: 'Cancelled by',
  },
  optedOut: 'Opted out of texts',
  delivery: { integration: 'Your own system', service: 'Foreword' },
  key: (name: string) => `Key “${name}”`,
  messages: 'Messages',
  messagesLead: 'The full text of every message to the member and the recipient.',
  noMessages: 'No messages yet.',
  webhooks: 'Webhooks',
  webhooksLead: 'Webhook messages sent for this intro.',
  noWebhooks: 'No webhooks were sent.',
  payload: 'Payload',
  show: 'Show',
  attempts: 'Attempts',
  noAttempt: 'Not sent yet',
  attempt: (status: number | null, error: string | null) =>
    status === null ? (error ?? 'No response') : `HTTP ${status}`,
  deletedEndpoint: 'Deleted endpoint',
  deliveryStatus: { pending: 'Pending', delivered: 'Delivered', failed: 'Failed' },
  object: 'API object',
  request: 'Original request',
  requestLead: (path: string) => `POST ${path}`,
  noRequest: 'Not available. The intro was started in the console, or its request is no longer stored.',
  openEvent: 'Open event',
  openRequest: 'Open in request log',
  failedTitle: { ready: 'The text was not sent', sent: 'The text couldn’t be delivered' },
} as const;

export const ACTIONS = {
  more: 'More',
  record: 'Open recorder',
  copyPage: 'Copy recipient link',
  copyRecord: 'Copy recorder link',
  copied: 'Link copied.',
  cancel: 'Cancel intro',
  cancelTitle: 'Cancel this intro?',
  cancelLead: (name: string) =>
    `Its links stop working, and no more messages are sent to ${name}. You can’t undo this.`,
  keep: 'Keep intro',
  cancelled: 'The intro is cancelled.',
  reassign: 'Reassign',
  reassignTitle: 'Reassign this intro',
  reassignLead: (member: string) =>
    `The new member is notified immediately. ${member}’s link stops working, and unfinished uploads are lost.`,
  reassignTo: 'New member',
  reassignChoose: 'Choose a member',
  reassignSearch: 'Search members',
  reassigned: (member: string) => `Reassigned to ${member}.`,
  remind: 'Remind member',
  reminded: (time: string) => `The reminder will be sent ${time}.`,
  resend: 'Resend text',
  resendTitle: 'Resend the text?',
  resendLead: (name: string) =>
    `${name} gets the link again. The text may be delayed by quiet hours or because another text was sent in the last 24 hours.`,
  resendConfirm: 'Resend',
  resent: (time: string) => `The text will be sent ${time}.`,
  now: 'now',
  because: {
    quiet_hours: 'because of quiet hours',
    recent_text: 'because another text was sent in the last 24 hours',
  },
  markSent: 'Mark as sent',
  markedSent: 'Marked as sent.',
  retry: 'Retry',
  retried: 'Retrying the event.',
} as const;

const CAUSES: Record<TimelineStep['cause'], string> = {
  integration: 'your system',
  member: 'the member',
  recipient: 'the recipient',
  service: 'Foreword',
  carrier: 'the carrier',
};

export const causeOf = (step: TimelineStep): string => CAUSES[step.cause];

const HOLD_REASONS: Record<string, string> = {
  quiet_hours: 'Delayed by the recipient’s quiet hours.',
  recent_text: 'Delayed because another text was sent to this number in the last 24 hours.',
  recording: 'A take is being processed.',
  daily_limit: 'Delayed until tomorrow because a daily limit for texts is reached.',
  texts_paused: 'Delayed because texts are paused.',
};

export const holdReason = (reason: string): string => HOLD_REASONS[reason] ?? reason;

export const STEP_NAMES: Record<TimelineStep['type'], string> = {
  asked: 'Requested',
  member_told: 'Member notified',
  member_reminded: 'Member reminded',
  member_not_told: 'Member not notified',
  reassigned: 'Reassigned',
  opened_by_member: 'Recorder opened',
  recorded: 'Take uploaded',
  recording_refused: 'Take couldn’t be used',
  processed: 'Video ready',
  queued: 'Text scheduled',
  sent: 'Link sent to recipient',
  not_sent: 'Text not sent',
  delivered: 'Text delivered',
  undelivered: 'Text not delivered',
  opened: 'Page opened',
  watched: 'Video watched',
  cancelled: 'Cancelled',
  expired: 'Expired',
};

export const PURPOSES: Record<ConsoleMessage['purpose'], string> = {
  ask: 'Recording request',
  remind: 'Reminder',
  remind_last: 'Last reminder',
  remind_by_hand: 'Manual reminder',
  deliver: 'Text to recipient',
};

export const MESSAGE_STATUS: Record<ConsoleMessage['status'], string> = {
  scheduled: 'Scheduled',
  sending: 'Sending',
  accepted: 'Sent',
  delivered: 'Delivered',
  undelivered: 'Not delivered',
  failed: 'Failed',
  dropped: 'Not needed',
};

export const MESSAGE = {
  byText: 'Text',
  byEmail: 'Email',
  segments: (count: number) => formatCount(count, 'segment'),
  notSent: 'Not sent',
  noProvider: 'No provider is connected',
  simulated: 'Simulated',
  notWritten: 'The text is written when the message is sent.',
  due: 'Due',
} as const;

export const EVENT = {
  title: 'Event',
  named: (touchpoint: string) => `Event: ${touchpoint}`,
  failedTitle: 'No intro was created',
  waiting: 'Processing. This takes a moment.',
  whatToDo: {
    touchpoint_not_found: 'Turn on the touchpoint, then retry.',
    member_not_found: 'Reactivate the member, then retry.',
    template_invalid: 'Fix the touchpoint’s script or title, then retry.',
    recipient_opted_out: 'Foreword can’t text the recipient unless they opt back in.',
    processing_failed: 'Retry. If it fails again, ask your administrator to check the server log.',
  } as Readonly<Record<string, string>>,
  intro: 'Intro',
  openIntro: 'Open intro',
  openTouchpoint: 'Open touchpoint',
  openMember: 'Open member',
  details: 'Details',
  received: 'Received',
  processed: 'Processed',
  request: 'Original request',
  object: 'API object',
  webhooksLead: 'Webhook messages sent for this event.',
} as const;
