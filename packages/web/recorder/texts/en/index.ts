/** The recorder's texts in English. */

import type { DeclineReason } from '@foreword/contract';
import { LOCALES } from '@foreword/contract/plain';
import { count } from '../count.ts';

export * from './problems.ts';

/** For dates and times. */
export const LOCALE = LOCALES.en;

export const START = {
  heading: (name: string) => `For ${name}`,
  day: (day: string) => day,
  when: (time: string, howSoon: string) => `${time}, ${howSoon}`,
  scriptTitle: 'Your script',
  scriptLength: (words: number, seconds: number) => `${count(words, 'word')}, about ${count(seconds, 'second')}`,
  scriptLong: (limit: number) => `Longer than ${limit} seconds at your pace. You can shorten it while you speak.`,
  promptsTitle: 'Say it your way',
  promptsLength: (seconds: number) => `about ${seconds} seconds`,
  start: 'Start the camera',
  opening: 'Waiting for permission',
  reason: (firstName: string) =>
    `Your browser will ask for the camera and microphone. ${firstName} won’t see anything until you tap Send.`,
};

/** Switches to the other language. */
export const OTHER_LANGUAGE: string = 'Español';

export const CONSENT = {
  more: 'Read what this covers',
  settings: 'Manage or withdraw your consent',
};

/** Shown instead of a script: what a good greeting contains. */
export const PROMPTS = (firstName: string): string[] => [
  `Greet ${firstName} by name.`,
  'Say who you are and what you will do.',
  'Say what happens next.',
];

export const LEFTOVER = {
  heading: 'You have an unsent video',
  interrupted: 'Your recording was interrupted',
  watchFirst: 'Part of it was saved. Watch it before you send it.',
  kept: 'It is saved on this device.',
  send: 'Send',
  watch: 'Watch',
};

export const CAMERA = {
  region: 'Camera',
  record: 'Record',
  flip: 'Switch camera',
  close: 'Back',
  slower: 'Slower',
  faster: 'Faster',
  paceTitle: 'Script speed',
  paceUnit: 'words per minute',
  prompter: 'Script',
  dark: 'It’s dark. Face a window.',
  heard: 'Microphone works',
  unheard: 'Say something to test the microphone',
  noSound: 'No microphone found. Your video will be silent.',
  loud: 'Too loud. Move back a little.',
  lost: 'The camera was interrupted and is on again.',
};

export const COUNTDOWN = {
  skip: 'Start now',
  cancel: 'Cancel',
  begins: (seconds: number) => `Recording starts in ${seconds}`,
};

export const RECORDING = {
  stop: 'Stop',
  began: 'Recording',
  longer: 'A little longer is fine',
  ending: 'Stops automatically in a moment',
  saving: 'Saving your video',
};

export const REVIEW = {
  heading: 'Happy with it?',
  interrupted: 'The recording was interrupted. Check that you said everything.',
  play: (length: string) => `Play your video ${length}`.trim(),
  pause: (length: string) => `Pause your video ${length}`.trim(),
  retake: 'Retake',
  send: (firstName: string) => `Send to ${firstName}`,
};

export const CAPTIONS = {
  title: 'Captions',
  script: 'Captions: from your script',
  own: 'Captions: your own words',
  off: 'Captions: off',
  unfit: 'What you said may differ from your script.',
  useScript: 'Use script',
  edit: 'Edit',
  turnOff: 'Off',
  label: 'What did you say?',
  save: 'Save',
};

/** Lengths in words are for screen readers. */
export const TRIM = {
  title: 'Trim your video',
  start: 'Start',
  end: 'End',
  startsAt: (seconds: number, kept: number) => `Starts at ${count(seconds, 'second')}, keeps ${count(kept, 'second')}`,
  endsAt: (seconds: number, kept: number) => `Ends at ${count(seconds, 'second')}, keeps ${count(kept, 'second')}`,
  hint: 'Drag the ends to trim.',
  kept: (kept: string, whole: string) => `Keeps ${kept} of ${whole}`,
  fits: (limit: number) => `Fits in ${count(limit, 'second')}.`,
  long: (limit: number) => `Longer than ${count(limit, 'second')}. Drag the ends to trim.`,
  reset: 'Reset',
};

export const FINDINGS = {
  silent: 'We couldn’t hear you. Is the microphone covered?',
  quiet: 'You’re hard to hear. Move closer or speak up.',
  clipping: 'The sound is too loud in places. Move back a little.',
  dark: 'The picture is dark. Face a window.',
  cut_off: 'The end may be cut off. Pause before you tap Stop.',
  too_short: 'This is very short. Did you say everything?',
};

export const UPLOAD = {
  percent: (percent: number) => `${percent}% uploaded`,
  all: 'Uploaded. Nothing is sent until you tap Send.',
  waiting: 'Your video is saved on this device, and the upload resumes automatically.',
  waitingOpen: 'Keep this page open until your video is sent.',
  full: 'There is no space for new videos right now.',
};

export const SENDING = {
  heading: 'Sending your video',
  processingHeading: 'Processing your video',
  keep: 'Keep this page open until it is sent.',
  leave: 'Uploaded. You can close this page; the rest happens automatically.',
  steps: { sending: 'Sending', checking: 'Checking the video', processing: 'Preparing it for every phone' },
  percent: (percent: number) => `${percent}%`,
  offline: 'We’ll check again automatically.',
};

export const REFUSED = {
  heading: 'That video didn’t work',
  fallback: 'The video couldn’t be read. Please record it again.',
  earlier: 'Your earlier video is unchanged.',
  again: 'Record again',
  offline: 'Couldn’t reach the server. Check your connection, then try again.',
};

/** The recorder's last screen: what has happened to the link. */
export const OUTCOME = {
  ready: 'Your video is ready',
  sentHeading: 'Your video was sent',
  deliveredHeading: 'Your video was delivered',
  openedHeading: 'Your video was opened',
  simulatedHeading: 'Simulated: test number',
  notSentHeading: 'Your video was not sent',
  notDeliveredHeading: 'Your video was not delivered',
  queued: (firstName: string) => `${firstName} will get the link by text message in a moment.`,
  scheduled: (firstName: string, when: string) =>
    `${firstName} will get the link by text message ${when}. You’re done.`,
  delays: {
    quiet_hours: 'It’s outside texting hours.',
    recent_text: 'Another text was sent to this number in the last 24 hours.',
    opt_out_question: 'They may have asked for no more texts. We’re waiting for their answer.',
    daily_limit: 'A daily limit for texts was reached.',
    carrier_unavailable: 'The text provider isn’t responding.',
  } as Readonly<Record<string, string>>,
  paused: (firstName: string) =>
    `Your organization’s texts are paused. ${firstName} will get the link when an owner resumes them.`,
  held: (firstName: string) =>
    `Your organization’s account can’t send texts right now. ${firstName} will get the link when it works again.`,
  inDoubt: 'We’re checking with the text provider whether the text was sent.',
  sent: (firstName: string) => `The link was sent to ${firstName} by text message. You’re done.`,
  delivered: (firstName: string) => `The text message with the link was delivered to ${firstName}. You’re done.`,
  opened: (firstName: string) => `The page with your video for ${firstName} was opened. You’re done.`,
  byHand: (firstName: string) => `Someone on your team marked it as sent to ${firstName}. You’re done.`,
  simulated: (firstName: string) => `${firstName}’s number is a test number, so no text message was sent.`,
  notSent: 'No text message was sent.',
  sendYourself: (firstName: string) => `You can send ${firstName} the link yourself.`,
  integration: (organization: string, firstName: string) => `${organization} will send the link to ${firstName}.`,
  integrationSent: (organization: string, firstName: string) =>
    `${organization} sent the link to ${firstName}. You’re done.`,
};

/** When a text will be sent. */
export const WHEN = {
  today: (time: string) => `today at ${time}`,
  tomorrow: (time: string) => `tomorrow at ${time}`,
  on: (day: string, time: string) => `on ${day} at ${time}`,
};

export const DONE = {
  linkTitle: 'Link',
  copy: 'Copy link',
  copied: 'Copied',
  copyFailed: 'Press and hold the link to copy it',
  share: 'Share',
  sendAnyway: 'Send anyway',
  sendFailed: 'That didn’t work. Check your connection, then try again.',
  late: (firstName: string) => `${firstName} sees your earlier video. It was sent before the new one was ready.`,
  preview: (firstName: string) => `What ${firstName} will see`,
  previewNote: 'This preview doesn’t count as opened.',
};

export const CLOSED = {
  cancelled: {
    heading: 'This video is no longer needed',
    body: (organization: string) => `${organization} cancelled it. There is nothing left to do.`,
  },
  expired: {
    heading: 'This link has expired',
    body: (organization: string) => `It was valid for a limited time. Ask ${organization} for a new one.`,
  },
  link_expired: {
    heading: 'This link has expired',
    body: () => 'It was valid for only a few minutes. Go back to the app where you found it and open it again there.',
  },
  likeness_withdrawn: {
    heading: 'Nothing can be recorded here',
    body: () =>
      'The consent to use your videos was withdrawn, so your videos and their pages were removed. To record again, sign in to the console and give your consent under Settings.',
  },
  unknown: {
    heading: 'This link doesn’t work',
    body: () => 'Check that you copied the whole link.',
  },
  takeGone: 'No one saw your video. It was deleted from this device.',
  takeKept: 'Your video is still on this device. Open the link again later to send it.',
};

/** In a private window, on a full device, or where pages may not store data. */
export const NOT_KEPT: string = 'This browser can’t save videos. Keep this page open until yours is sent.';

export const OFFLINE = {
  noSignal: 'No signal.',
  noServer: (organization: string) => `Can’t reach ${organization}${/s$/i.test(organization) ? '’' : '’s'} server.`,
  kept: 'You can record now; the video is saved on this device and sent later.',
  notKept: 'You can record now; the video is sent when the connection is back.',
};

/** The title of the document, as in the server's page. */
export const TITLE = (firstName: string, organization: string): string => `Record for ${firstName} · ${organization}`;

export const NEXT = {
  heading: (name: string) => `Next: ${name}`,
  due: (when: string) => `due ${when}`,
  left: (amount: number, hasMore: boolean) => `${hasMore ? 'more than ' : ''}${amount} left`,
  none: 'Nothing left to record',
  noneLead: 'You’ll be notified when there is something new.',
  home: 'Home',
};

/** Earlier intros of this visit. */
export const EARLIER = {
  region: 'Earlier videos',
  waiting: 'Waiting for signal',
  waitingForServer: 'Waiting for the server',
  processing: 'Processing',
  failed: 'Can’t be used',
  closed: 'No longer needed',
  open: 'Open',
  openFor: (name: string) => `Open the video for ${name}`,
};

/** For a member who cannot record an intro. */
export const UNABLE = {
  link: 'Can’t record this one?',
  heading: (name: string) => `Can’t record for ${name}?`,
  handOver: 'Hand it over',
  handOverLead: 'A colleague records it instead.',
  decline: 'Decline',
  declineLead: 'Your team decides who records it.',
  back: 'Back',
  /** By the code of the server's answer. */
  problems: {
    intro_recorded: 'A video for this one is being uploaded. Send it, or try again in a few minutes.',
    intro_closed: 'Someone else records this one now.',
    validation_failed: 'That’s no longer possible. Go back and choose again.',
    rate_limited: 'Too many attempts. Ask a manager to reassign it.',
  } as Readonly<Record<string, string>>,

  colleagueHeading: (name: string) => `Who can record for ${name}?`,
  colleagueLead: 'They are notified right away, and your link stops working.',
  search: 'Search',
  loading: 'Loading your team…',
  noColleagues: 'There is no one to hand it over to. You can decline it instead.',
  noMatch: 'No colleague with this name.',
  handOverNow: 'Hand over',
  sending: 'One moment…',

  reasonHeading: (name: string) => `Why can’t you record for ${name}?`,
  reasonLead: 'Your team is notified and decides who records it.',
  reasons: {
    not_meeting: 'I’m not meeting this person',
    away: 'I’m away',
    details_wrong: 'The details are wrong',
    other: 'Other',
  } satisfies Record<DeclineReason, string>,
  words: 'Reason',

  declinedHeading: 'You declined this one',
  declinedBody: 'Your team was notified and decides who records it.',
  recordAnyway: 'Record it after all',

  reassignedHeading: (name: string) => `${name} records this one now`,
  reassignedBody: 'There is nothing left for you to do.',
};
