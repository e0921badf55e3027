import type { BrowserKind } from './browsers.ts';

const count = (amount: number, one: string, many = `${one}s`): string => `${amount} ${amount === 1 ? one : many}`;

export const START = {
  heading: (name: string) => `For ${name}`,
  when: (time: string, howSoon: string) => `${time}, ${howSoon}`,
  scriptTitle: 'Your script',
  scriptLength: (words: number, seconds: number) => `${count(words, 'word')}, about ${count(seconds, 'second')}`,
  promptsTitle: 'Say it your way',
  promptsLength: (seconds: number) => `about ${seconds} seconds`,
  start: 'Start the camera',
  startAgain: 'Record again',
  opening: 'Waiting for permission',
  reason: (firstName: string) =>
    `Your browser will ask for the camera and microphone. ${firstName} won’t see anything until you tap Send.`,
} as const;

/** Shown instead of a script: what a good greeting contains. */
export const PROMPTS = (firstName: string): string[] => [
  `Greet ${firstName} by name.`,
  'Say who you are and what you will do.',
  'Say what happens next.',
];

export const LEFTOVER = {
  heading: 'You have an unsent video',
  kept: 'It is saved on this device.',
  notKept: 'Keep this page open until it is sent.',
  send: 'Send',
  watch: 'Watch',
} as const;

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
} as const;

export const COUNTDOWN = {
  skip: 'Start now',
  cancel: 'Cancel',
  begins: (seconds: number) => `Recording starts in ${seconds}`,
} as const;

export const RECORDING = {
  stop: 'Stop',
  elapsed: (seconds: number) => `0:${String(seconds).padStart(2, '0')}`,
  began: 'Recording',
  longer: 'A little longer is fine',
  ending: 'Stops automatically in a moment',
  saving: 'Saving your video',
} as const;

export const REVIEW = {
  heading: 'Happy with it?',
  play: (length: string) => `Play your video ${length}`.trim(),
  pause: (length: string) => `Pause your video ${length}`.trim(),
  retake: 'Retake',
  send: (firstName: string) => `Send to ${firstName}`,
} as const;

export const FINDINGS = {
  silent: 'We couldn’t hear you. Is the microphone covered?',
  quiet: 'You’re hard to hear. Move closer or speak up.',
  clipping: 'The sound is too loud in places. Move back a little.',
  dark: 'The picture is dark. Face a window.',
  cut_off: 'The end may be cut off. Pause before you tap Stop.',
  too_short: 'This is very short. Did you say everything?',
} as const;

export const UPLOAD = {
  most: 'Almost uploaded',
  percent: (percent: number) => `${percent}% uploaded`,
  begun: 'Upload started',
  all: 'Uploaded',
  waiting: 'No signal. Your video is saved on this device, and the upload resumes automatically.',
  waitingOpen: 'No signal. Keep this page open until your video is sent.',
  full: 'There is no space for new videos right now. Yours is saved on this device and sent automatically.',
  fullOpen: 'There is no space for new videos right now. Keep this page open until yours is sent.',
  failed: 'This video couldn’t be sent.',
} as const;

export const SENDING = {
  heading: 'Sending your video',
  processingHeading: 'Processing your video',
  keep: 'Keep this page open until it is sent.',
  leave: 'Uploaded. You can close this page; the rest happens automatically.',
  steps: { sending: 'Sending', checking: 'Checking the video', processing: 'Preparing it for every phone' },
  done: 'done',
  percent: (percent: number) => `${percent}%`,
  offline: 'No signal. We’ll check again automatically.',
} as const;

export const REFUSED = {
  heading: 'That video didn’t work',
  fallback: 'The video couldn’t be read. Please record it again.',
  earlier: 'Your earlier video is unchanged.',
  again: 'Record again',
  retry: 'Try again',
  offline: 'Couldn’t reach the server. Check your connection, then try again.',
} as const;

export const DONE = {
  heading: 'Your video is ready',
  service: (firstName: string) => `${firstName} will get the link by text message. You’re done.`,
  serviceLater: (firstName: string, when: string) =>
    `${firstName} will get the link by text message ${when}. You’re done.`,
  notSent: (reason: string, firstName: string) => `${reason} You can send ${firstName} the link yourself.`,
  sentHeading: 'Your video is on its way',
  sent: (firstName: string) => `${firstName} has the link. You’re done.`,
  integration: (organization: string, firstName: string) => `${organization} will send the link to ${firstName}.`,
  linkTitle: 'Link',
  copy: 'Copy link',
  copied: 'Copied',
  copyFailed: 'Press and hold the link to copy it',
  share: 'Share',
  shareTitle: (firstName: string) => `A video for ${firstName}`,
  preview: (firstName: string) => `What ${firstName} will see`,
  previewNote: 'This preview doesn’t count as opened.',
  again: 'Record again',
} as const;

export const CLOSED = {
  cancelled: {
    heading: 'This video is no longer needed',
    body: (organization: string) => `${organization} cancelled it. There is nothing left to do.`,
  },
  expired: {
    heading: 'This link has expired',
    body: (organization: string) => `It worked for a limited time. Ask ${organization} for a new one.`,
  },
  link_expired: {
    heading: 'This link has expired',
    body: () => 'It worked for a few minutes only. Go back to the app where you found it and open it again there.',
  },
  unknown: {
    heading: 'This link doesn’t work',
    body: () => 'Check that you copied the whole link.',
  },
  takeGone: 'No one saw your video. It was deleted from this device.',
  takeKept: 'Your video is still on this device. Open the link again later to send it.',
} as const;

export interface ProblemTexts {
  heading: string;
  body: string;
  steps: string[];
}

const RELOAD = 'Come back to this page and tap “Try again”.';
const DENIED_STEPS: Record<BrowserKind, string[]> = {
  in_app: [
    'This page is open inside another app, which may block the camera.',
    'Open the app’s menu and choose “Open in browser”.',
  ],
  ios_safari: [
    'Tap the button next to the address in Safari.',
    'Choose “Website Settings”. It may be under “More”.',
    'Set Camera and Microphone to “Allow”.',
    RELOAD,
  ],
  ios_other: [
    'Open the iPhone’s Settings app.',
    'Tap the name of this browser.',
    'Turn on Camera and Microphone.',
    RELOAD,
  ],
  android_chrome: [
    'Tap the icon to the left of the address.',
    'Tap “Permissions”.',
    'Turn on Camera and Microphone.',
    RELOAD,
  ],
  android_firefox: ['Tap the lock to the left of the address.', 'Set Camera and Microphone to “Allowed”.', RELOAD],
  mac_safari: [
    'Open the menu Safari, then “Settings for This Website”.',
    'Set Camera and Microphone to “Allow”.',
    RELOAD,
  ],
  desktop_firefox: [
    'Click the crossed-out camera to the left of the address.',
    'Remove the blocks next to Camera and Microphone.',
    RELOAD,
  ],
  desktop_chrome: ['Click the icon to the left of the address.', 'Turn on Camera and Microphone.', RELOAD],
  other: ['Open this page’s settings in your browser.', 'Allow the camera and the microphone.', RELOAD],
};

export const PROBLEMS = {
  denied: (browser: BrowserKind): ProblemTexts => ({
    heading: 'The camera is blocked for this page',
    body: 'To allow it:',
    steps: DENIED_STEPS[browser],
  }),
  none: (): ProblemTexts => ({
    heading: 'No camera found',
    body: 'Open this link on your phone, or choose a video you already recorded.',
    steps: [],
  }),
  busy: (): ProblemTexts => ({
    heading: 'Another app is using the camera',
    body: 'Close that app, such as a video call, then try again.',
    steps: [],
  }),
  unsupported: (): ProblemTexts => ({
    heading: 'This browser can’t record video',
    body: 'Open this link in Safari, Chrome or Firefox, or choose a video you already recorded.',
    steps: [],
  }),
  insecure: (): ProblemTexts => ({
    heading: 'This page is not secure',
    body: 'Browsers allow the camera only on secure pages. Open the link exactly as it was sent to you, with https.',
    steps: [],
  }),
  again: 'Try again',
} as const;

export const PICK = {
  pick: 'Choose a video',
  problem: {
    not_a_video: () => 'This file isn’t a video. Choose another one.',
    too_large: (megabytes: number) => `This video is larger than ${megabytes} MB. Choose a shorter one.`,
    too_long: () => 'This video is too long. Choose one of up to a minute.',
    empty: () => 'This file is empty. Choose another one.',
    unreadable: () => 'This file couldn’t be read. Choose another one.',
  } as const satisfies Record<string, (megabytes: number) => string>,
} as const;

/** In a private window, on a full device, or where pages may not store data. */
export const NOT_KEPT = 'This browser can’t save videos. Keep this page open until yours is sent.';

export const OFFLINE = {
  kept: 'No signal. You can record now; the video is saved on this device and sent later.',
  notKept: 'No signal. You can record now; the video is sent when the signal is back.',
} as const;
