import type { ConsoleMessage, TimelineStep } from '@foreword/contract';
import { DELIVERY_STATUS_NAMES } from '@foreword/contract/plain';

export const INTRO = {
  title: 'Intro',
  for: (name: string) => `For ${name}`,
  erased: 'For an erased recipient',
  recordedBy: (member: string) => `Recorded by ${member}`,
  toRecord: (member: string) => `To be recorded by ${member}`,
  notRecorded: (member: string) => `Not recorded by ${member}`,
  video: 'Video',
  videoGone: 'The video is no longer stored.',
  videoTakenDown: 'Its link shows your organization’s card instead of the video.',
  videoFor: (name: string) => `The video for ${name}`,
  captions: 'Captions',
  page: 'Recipient’s page',
  pageLead: 'The recipient’s view. Opening it here doesn’t count as a view.',
  showPage: 'Show page',
  hidePage: 'Hide page',
  appointmentAt: (time: string) => `Appointment ${time}`,
  recording: {
    uploaded: 'A take is uploaded and will be processed next.',
    processing: (percent: number) => `A take is being processed: ${percent}%.`,
    refused: 'The last take couldn’t be used',
    retry: 'Try again',
    retried: 'The take is being processed again.',
  },
  timeline: 'Timeline',
  script: 'Script',
  developer: 'Developer',
  details: 'Details',
  detail: {
    touchpoint: 'Touchpoint',
    title: 'Page title',
    phone: 'Phone',
    member: 'Member',
    appointment: 'Appointment',
    trade: 'Trade',
    lane: 'Lane',
    reference: 'Reference',
    delivery: 'Sent by',
    expires: 'Expires',
    event: 'Event',
    id: 'ID',
  },
  replied: (name: string, label: string) => `${name} replied: “${label}”`,
  repliedByText: (name: string) => `${name} replied by text`,
  optedOut: 'Opted out of texts',
  delivery: { integration: 'Your own system', service: 'Foreword' },
  noWebhooks: 'No webhooks were sent.',
  payload: 'Payload',
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
  openRequest: 'Open in request log',
  failedTitle: { ready: 'The text was not sent', sent: 'The text was not delivered' },
} as const;

/** The next step of an intro, by its state. */
export const NEXT = {
  due: (time: string) => `Due ${time}.`,
  processing: 'The video is being processed',
  orSendYourself: (name: string) => `Or send it to ${name} yourself. The intro counts as sent once they open it.`,
  sendYourself: (name: string) => `Send the link to ${name} yourself. The intro counts as sent once they open it.`,
  simulatedLead: (name: string) => `Nothing was sent. You can send the link to ${name} yourself.`,
  sending: (name: string) => `The text to ${name} is being sent`,
  watched: (name: string, percent: number) =>
    percent === 100 ? `${name} watched the video to the end` : `${name} watched ${percent}% of the video`,
  nothing: 'Nothing to do.',
  cancelled: (name: string | null) => (name === null ? 'Cancelled' : `Cancelled by ${name}`),
} as const;

export const ACTIONS = {
  record: 'Open recorder',
  copyRecord: 'Copy recorder link',
  cancel: 'Cancel intro',
  cancelTitle: 'Cancel this intro?',
  cancelLead: (name: string) =>
    `Its links stop working, and no more messages are sent to ${name}. You can’t undo this.`,
  keep: 'Keep intro',
  cancelled: 'The intro is cancelled.',
  takeDown: 'Take down page',
  takeDownTitle: 'Take down this page?',
  takeDownLead: (name: string) =>
    `${name}’s link will show your organization’s card instead of the video. You can’t undo this.`,
  keepPage: 'Keep page',
  takenDown: 'The page is taken down.',
  erase: 'Erase recipient',
  reassign: 'Reassign',
  reassignTitle: 'Reassign this intro',
  reassignLead: (member: string) =>
    `The new member is notified immediately. ${member}’s link stops working, and unfinished uploads are lost.`,
  reassignTo: 'New member',
  reassigned: (member: string) => `Reassigned to ${member}.`,
  remind: 'Remind member',
  remindAgain: (time: string) => `Possible again ${time}`,
  correctPhone: 'Correct number',
  correctPhoneLead: (name: string, isTexted: boolean) =>
    `${isTexted ? 'The text is sent to the new number. ' : ''}Other open intros for ${name} get it, too.`,
  correctAndSend: 'Save and resend',
  phone: 'Mobile number',
  corrected: 'The number is corrected.',
  call: 'Call',
  text: 'Text',
  settle: 'Done',
  settled: 'The reply is done.',
  reminded: (time: string) => `The reminder will be sent ${time}.`,
  resend: 'Resend text',
  sendAnyway: 'Send anyway',
  sendAnywayTitle: 'Send the text anyway?',
  sendAnywayLead: (name: string) =>
    `The appointment has started. ${name} gets the link, or in the morning if it is night there.`,
  resendTitle: 'Resend the text?',
  resendLead: (name: string) =>
    `${name} gets the link again. The text may be delayed by quiet hours or because another text was sent in the last 24 hours.`,
  resendConfirm: 'Resend',
  resent: (time: string) => `The text will be sent ${time}.`,
  now: 'now',
  because: {
    quiet_hours: 'because of quiet hours',
    recent_text: 'because another text was sent in the last 24 hours',
    opt_out_question: 'because the recipient was asked whether to stop texts',
  },
  markSent: 'Mark as sent',
  markedSent: 'Marked as sent.',
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
  quiet_hours: 'Delayed by quiet hours.',
  recent_text: 'Delayed because another text was sent to this number in the last 24 hours.',
  opt_out_question: 'Delayed because the recipient was asked whether to stop texts.',
  recording: 'A take is being processed.',
  daily_limit: 'Delayed until tomorrow because a daily limit for texts was reached.',
  texts_paused: 'Delayed because texts are paused.',
  carrier_account: 'Delayed because the account with the carrier can’t send texts.',
};

/** The state is the one whose law sets the quiet hours, if there is one. */
export const holdReason = (reason: string, state: string | null): string =>
  state === null ? (HOLD_REASONS[reason] ?? reason) : `Delayed by the quiet hours of ${state}.`;

const CLICKS: Record<string, string> = {
  action: 'the button',
  call: 'call',
  text: 'text',
  calendar: 'add to calendar',
  contact: 'save contact',
};

/** The recipient's taps on the page. */
export const clickName = (click: string): string => CLICKS[click] ?? click;

const STEP_NAMES: Record<TimelineStep['type'], string> = {
  asked: 'Requested',
  member_told: 'Member notified',
  member_reminded: 'Member reminded',
  member_not_told: 'Member not notified',
  declined: 'Declined',
  reassigned: 'Reassigned',
  opened_by_member: 'Recorder opened',
  recorded: 'Take uploaded',
  recording_refused: 'Take couldn’t be used',
  processed: 'Video ready',
  queued: 'Text scheduled',
  sent: DELIVERY_STATUS_NAMES.sent,
  not_sent: DELIVERY_STATUS_NAMES.not_sent,
  delivered: DELIVERY_STATUS_NAMES.delivered,
  undelivered: DELIVERY_STATUS_NAMES.not_delivered,
  opened: 'Page opened',
  watched: 'Video watched',
  clicked: 'Recipient tapped',
  replied: 'Recipient replied',
  opted_out: 'Recipient opted out of texts',
  opted_in: 'Texts allowed again',
  reply_settled: 'Reply done',
  reply_forwarded: 'Reply sent to member',
  answered: 'Member answered',
  answer_sent: 'Answer sent to recipient',
  answer_not_sent: 'Answer not sent',
  phone_corrected: 'Number corrected',
  cancelled: 'Cancelled',
  taken_down: 'Page taken down',
  expired: 'Expired',
};

/** A text to a test number is accepted and delivered by no carrier. */
const SIMULATED_STEP_NAMES: Partial<Record<TimelineStep['type'], string>> = {
  sent: DELIVERY_STATUS_NAMES.simulated,
  answer_sent: 'Answer simulated',
  delivered: 'Delivery simulated',
  member_told: 'Notification simulated',
  member_reminded: 'Reminder simulated',
};

export function stepName({ type, detail }: TimelineStep): string {
  const name = detail?.carrier === 'simulated' ? SIMULATED_STEP_NAMES[type] : undefined;
  return name ?? STEP_NAMES[type];
}

export const PURPOSES: Record<ConsoleMessage['purpose'], string> = {
  ask: 'Recording request',
  remind: 'Reminder',
  remind_last: 'Last reminder',
  remind_by_hand: 'Manual reminder',
  deliver: 'Text to recipient',
  reply: 'Reply from recipient',
  answer: 'Answer to recipient',
};

export const MESSAGE_STATUS: Record<ConsoleMessage['status'], string> = {
  scheduled: 'Scheduled',
  sending: 'Sending',
  accepted: DELIVERY_STATUS_NAMES.sent,
  delivered: DELIVERY_STATUS_NAMES.delivered,
  undelivered: DELIVERY_STATUS_NAMES.not_delivered,
  failed: DELIVERY_STATUS_NAMES.not_sent,
  dropped: 'Not needed',
};

export const MESSAGE = {
  byText: 'Text',
  byEmail: 'Email',
  testNumber: 'Test number, nothing was sent',
} as const;
