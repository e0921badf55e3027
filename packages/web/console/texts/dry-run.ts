import { formatCount, formatNumber } from '../format.ts';

export const DRY_RUN = {
  title: 'Dry run',
  lead: 'See what would become of an event. Nothing is created, and nobody is told.',
  how: 'How',
  build: 'Build one',
  paste: 'Paste JSON',
  firstName: 'First name of the recipient',
  lastName: 'Last name',
  phone: 'Mobile number',
  starts: 'Appointment',
  startsHint: (zone: string) => `As the clock shows it in ${zone}.`,
  trade: 'Trade',
  lane: 'Lane',
  none: 'None',
  json: 'Body of the request',
  jsonHint: 'As your system sends it to POST /v1/touchpoint-events.',
  notJson: 'This is no JSON. Look for a missing quote, comma or bracket.',
  run: 'Try it',
  waiting: 'The result stands here',
  waitingLead: 'Fill in an event and try it.',
  makes: 'This event makes an intro',
  refused: (status: number) => `The API refuses this event with ${status}`,
  fails: 'The API accepts this event with 202, and it fails when it is processed',
  code: 'Code',
  field: 'Field',
  message: 'What the API says',
  eventSays: 'What the event then says',
  whatToDo: 'What to do',
  steps: 'Step by step',
  passed: 'Fine',
  failed: 'Fails here',
  noticed: 'Note',
  open: 'Not reached',
  notReached: 'Not looked at, since the event got no further.',
} as const;

export const STEP = {
  body: 'Shape of the event',
  bodyFine: 'All fields are known and well formed.',
  touchpoint: 'Touchpoint',
  touchpointFine: (name: string, slug: string) => `“${name}” (${slug}) is on.`,
  appointment: 'Appointment',
  appointmentNone: 'None was sent, and this touchpoint needs none.',
  appointmentPast: (time: string) => `${time}, which is past. It is taken all the same: systems report late.`,
  member: 'Member',
  memberFine: (name: string, by: string) => `${name}, found by ${by}.`,
  optOut: 'Has the recipient opted out?',
  optOutNo: 'No.',
  optOutOwn: 'Yes. You would send the link yourself: do not send it by text.',
  script: 'Script',
  scriptSize: (words: number, seconds: number) =>
    `${formatCount(words, 'word')}, about ${formatNumber(seconds)} seconds.`,
  scriptLong: 'Longer than the 15 seconds that people watch to the end.',
  page: 'Page',
  ask: 'The member is asked',
  askBy: (by: readonly ('text' | 'email')[]) =>
    `At once, by ${by.map((way) => (way === 'text' ? 'text message' : 'e-mail')).join(' and ')}.`,
  askOptedOut: 'Their number has opted out of text messages.',
  deadline: 'Time to record',
  deadlineAppointment: (time: string) => `Until ${time}, when the appointment begins.`,
  deadlineDays: (time: string, days: number) => `Until ${time}: ${formatCount(days, 'day')}, as the touchpoint has it.`,
  deadlineLate: (time: string, days: number) =>
    `Until ${time}: the appointment is past, so that the ${formatCount(days, 'day')} of the touchpoint count.`,
  reminders: 'Reminders',
  remindersOff: 'None: the touchpoint has them turned off.',
  remindersNoTime: 'None: there is too little time for one by day.',
  reminderHalfway: (time: string) => `Halfway: ${time}.`,
  reminderLast: (time: string) => `An hour before the appointment: ${time}.`,
  delivery: 'Delivery',
  deliveryYours: 'Your system sends the link, once the intro is “ready”.',
  deliveryNow: 'The service texts the recipient. If the video were there now, the text would go at once.',
  deliveryQuiet: (time: string, from: string, until: string) =>
    `The service texts the recipient. If the video were there now, the text would wait until ${time}: between ${until} and ${from} of their day nobody is texted.`,
  deliveryRecent: (time: string) =>
    `The service texts the recipient. If the video were there now, the text would wait until ${time}: this number got one of this touchpoint in the last 24 hours.`,
  deliveryNever: (message: string) => `If the video were there now, no text would go. ${message}`,
  textSize: (segments: number) => formatCount(segments, 'segment'),
  textProblem: (problem: string) =>
    `The touchpoint's own text cannot be used here (${problem}), so the usual one goes.`,
  rule: {
    touchpoint: 'The slug has to be one of your touchpoints that is on.',
    appointment: 'A touchpoint about an appointment needs one.',
    member: 'Exactly one active member has to match.',
    optOut: 'Who opted out gets no text by the service.',
  },
} as const;

export const FOUND_BY = { id: 'id', external_id: 'external id', email: 'e-mail address' } as const;

export const ADVICE = {
  malformed: 'Mend the field in the system that sends the event. It may be sent again with the same Idempotency-Key.',
  unknown_slug:
    'Send one of your own slugs. The list of touchpoints shows them; GET /v1/touchpoints lists them for your system.',
  turned_off: 'The touchpoint is there, but off. Turn it on, or stop sending events for it.',
  no_appointment:
    'Send context.appointment with starts_at and timezone, or choose “none” as the kind of moment of this touchpoint.',
  not_found: 'Add the member, or put the id that your system knows them by into their record as external id.',
  deactivated: 'The member is there, but deactivated. Activate them, or send the event for somebody else.',
  ambiguous: 'Send member.id or member.external_id, or give one of the two another e-mail address.',
  opted_out:
    'The recipient asked for no more text messages. Reach them in another way; they can opt in again by texting START.',
  template: 'Mend script or page title of the touchpoint. The message says which line.',
  meant: (slug: string) => `Did you mean “${slug}”?`,
  openTouchpoint: 'Open the touchpoint',
  openTouchpoints: 'Open the touchpoints',
  openMembers: 'Open the members',
} as const;
