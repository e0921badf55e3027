import { formatCount, formatNumber } from '../../format.ts';
import { recordingTime } from '../touchpoints/texts.ts';

export const STEP = {
  appointmentPast: (time: string) =>
    `${time}. It is in the past: late reports are accepted, but not texted automatically.`,
  memberFine: (name: string, by: string) => `${name}, found by ${by}.`,
  optOutOwn: 'The recipient has opted out. You send the link yourself: don’t send it by text.',
  script: 'Script',
  scriptSize: (words: number, seconds: number) =>
    `${formatCount(words, 'word')}, about ${formatNumber(seconds)} seconds.`,
  scriptCutOff: (limit: number) => `The recorder stops after ${limit} seconds, so the script will be cut off.`,
  scriptLong: (limit: number) => `Longer than ${limit} seconds, so fewer people watch to the end.`,
  scriptMissing: (wanted: string, used: string) =>
    `This touchpoint has no script in ${wanted}, so the member reads it in ${used}. The page and the text are in ${wanted}.`,
  askBy: (by: readonly ('text' | 'email')[]) =>
    `Sent immediately by ${by.map((channel) => (channel === 'text' ? 'text message' : 'email')).join(' and ')}.`,
  askOptedOut: 'The member’s number has opted out of texts.',
  deadlineTouchpoint: (time: string, minutes: number) => `${time}. The touchpoint allows ${recordingTime(minutes)}.`,
  deadlineLate: (time: string, minutes: number) =>
    `${time}. The appointment is in the past, so the touchpoint’s ${recordingTime(minutes)} apply.`,
  delivery: 'Delivery',
  deliveryNow: 'Foreword texts the recipient. If the video were ready now, the text would be sent immediately.',
  deliveryQuiet: (time: string, reason: string) =>
    `Foreword texts the recipient. If the video were ready now, the text would wait until ${time}: ${reason}`,
  deliveryHours: (from: string, until: string, timezone: string) =>
    `texts are sent only from ${from} to ${until} (${timezone}).`,
  deliveryState: (state: string, from: string, until: string, timezone: string) =>
    `that day, ${state} allows texts from ${from} to ${until} (${timezone}). The number has an area code of ${state}.`,
  deliveryRecent: (time: string) =>
    `Foreword texts the recipient. If the video were ready now, the text would wait until ${time}, because this number got a text for this touchpoint in the last 24 hours.`,
  deliveryNever: (message: string) => `If the video were ready now, no text would be sent. ${message}`,
  textProblem: (problem: string) =>
    `The touchpoint’s custom text can’t be used (${problem}), so the default text is sent.`,
} as const;

export const FOUND_BY = { id: 'id', external_id: 'external id', email: 'email' } as const;

export const ADVICE = {
  malformed: 'Fix the field in the system that sends the event. You can resend it with the same Idempotency-Key.',
  unknown_slug: 'Send one of your own slugs. The touchpoints page and GET /v1/touchpoints list them.',
  turned_off: 'The touchpoint is off. Turn it on, or stop sending events for it.',
  no_appointment: 'Send context.appointment with starts_at and timezone, or change this touchpoint’s type to “Other”.',
  not_found: 'Add the member, or save the ID that your system uses as their external ID.',
  deactivated: 'The member is deactivated. Reactivate them, or send the event for another member.',
  ambiguous: 'Send member.id or member.external_id, or change one of the matching members’ email addresses.',
  opted_out: 'The recipient opted out of texts. Contact them another way. They can opt back in by texting START.',
  template: 'Fix the touchpoint’s script or page title. The message says which line.',
  meant: (slug: string) => `Did you mean “${slug}”?`,
  openTouchpoints: 'Open touchpoints',
  openMembers: 'Open members',
} as const;
