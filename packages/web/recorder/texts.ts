import type { BrowserKind } from './browsers.ts';

const count = (amount: number, one: string, many = `${one}s`): string => `${amount} ${amount === 1 ? one : many}`;

export const ROOM = {
  heading: (name: string) => `For ${name}`,
  when: (time: string, howSoon: string) => `${time}, ${howSoon}`,
  scriptTitle: 'Your words',
  scriptLength: (words: number, seconds: number) => `${count(words, 'word')}, about ${count(seconds, 'second')}`,
  promptsTitle: 'Say it your way',
  promptsLength: (seconds: number) => `about ${seconds} seconds`,
  start: 'Start the camera',
  startAgain: 'Record again',
  opening: 'Waiting for your permission',
  reason: (firstName: string) =>
    `Your browser asks for camera and microphone. ${firstName} sees nothing before you press Send.`,
} as const;

/** When no script was written: what a good greeting tends to hold. */
export const PROMPTS = (firstName: string): string[] => [
  `Greet ${firstName} by name.`,
  'Say who you are and what you will do.',
  'Say what happens next.',
];

export const LEFTOVER = {
  heading: 'You have a take that was not sent',
  kept: 'It is safe on this device.',
  notKept: 'Keep this page open until it is sent.',
  send: 'Send',
  watch: 'Watch',
} as const;

export const CAMERA = {
  region: 'Camera',
  record: 'Record',
  flip: 'Turn the camera round',
  close: 'Back',
  slower: 'Slower',
  faster: 'Faster',
  paceTitle: 'Pace of the script',
  paceUnit: 'words a minute',
  prompter: 'Script',
  dark: 'It is dark here. Turn to a window.',
  heard: 'We hear you',
  unheard: 'Say a word to test the microphone',
  noSound: 'No microphone. Your video will be silent.',
  loud: 'Very loud. Move back a little.',
  lost: 'The camera was interrupted. We took it again.',
} as const;

export const COUNTDOWN = {
  skip: 'Start now',
  cancel: 'Cancel',
  begins: (seconds: number) => `Recording begins in ${seconds}`,
} as const;

export const RECORDING = {
  stop: 'Stop',
  elapsed: (seconds: number) => `0:${String(seconds).padStart(2, '0')}`,
  began: 'Recording',
  longer: 'A little longer is fine',
  ending: 'It ends by itself in a moment',
  saving: 'Saving your take',
} as const;

export const REVIEW = {
  heading: 'Happy with it?',
  play: (length: string) => `Play your take ${length}`.trim(),
  pause: (length: string) => `Pause your take ${length}`.trim(),
  retake: 'Retake',
  send: (firstName: string) => `Send to ${firstName}`,
} as const;

export const FINDINGS = {
  silent: 'We could not hear you. Is the microphone covered?',
  quiet: 'You are hard to hear. Come closer, or speak up.',
  clipping: 'The sound is too loud in places. Move back a little.',
  dark: 'The picture is dark. Turn to a window.',
  cut_off: 'The end may be cut off. Wait a moment before you stop.',
  too_short: 'This is very short. Was it all you wanted to say?',
} as const;

export const UPLOAD = {
  most: 'Almost all of it is there already',
  percent: (percent: number) => `${percent}% is there already`,
  begun: 'Sending has begun',
  all: 'All of it is there',
  waiting: 'No signal. Your take is safe on this device and goes on by itself.',
  waitingOpen: 'No signal. Keep this page open until your video is sent.',
  failed: 'This take could not be sent.',
} as const;

export const SENDING = {
  heading: 'Sending your video',
  processingHeading: 'Getting it ready',
  keep: 'Keep this page open until it is sent.',
  leave: 'It has arrived. You may close this page; it goes on by itself.',
  steps: { sending: 'Sending', checking: 'Checking the video', processing: 'Making it play on every phone' },
  done: 'done',
  percent: (percent: number) => `${percent}%`,
  offline: 'No signal. We look again by ourselves.',
} as const;

export const REFUSED = {
  heading: 'That take did not work',
  fallback: 'The video could not be read. Please record it again.',
  earlier: 'Your earlier video stays as it is.',
  again: 'Record it again',
} as const;

export const DONE = {
  heading: 'Your video is ready',
  service: (firstName: string) => `${firstName} gets the link by text message. You are done.`,
  sentHeading: 'Your video is on its way',
  sent: (firstName: string) => `${firstName} has the link. You are done.`,
  integration: (organization: string, firstName: string) => `${organization} sends the link to ${firstName}.`,
  linkTitle: 'The link',
  copy: 'Copy',
  copied: 'Copied',
  copyFailed: 'Hold the link to copy it',
  share: 'Share',
  shareTitle: (firstName: string) => `A video for ${firstName}`,
  preview: (firstName: string) => `This is what ${firstName} sees`,
  previewNote: 'Looking here does not count as opened.',
  again: 'Record it again',
} as const;

export const CLOSED = {
  cancelled: {
    heading: 'This video is no longer needed',
    body: (organization: string) =>
      `${organization} has cancelled it, so there is nothing left to do. Thank you for being ready.`,
  },
  expired: {
    heading: 'The time for this video is over',
    body: (organization: string) => `The link worked for a limited time. ${organization} can ask for a new one.`,
  },
  unknown: {
    heading: 'This link does not open anything',
    body: () => 'Check that the whole link was copied.',
  },
  takeGone: 'Your take was not shown to anybody, and it is removed from this device.',
  takeKept: 'Your take is still on this device. Open the link again later to send it.',
} as const;

export interface Trouble {
  heading: string;
  body: string;
  steps: string[];
}

const RELOAD = 'Come back here and press “Try again”.';
const DENIED_STEPS: Record<BrowserKind, string[]> = {
  in_app: [
    'This page was opened inside another app, which may keep the camera to itself.',
    'Open its menu and choose “Open in browser”.',
  ],
  ios_safari: [
    'Tap the button beside the address at the bottom or top of Safari.',
    'Choose “Website Settings”, perhaps behind “More”.',
    'Set Camera and Microphone to “Allow”.',
    RELOAD,
  ],
  ios_other: [
    'Open the Settings app of the iPhone.',
    'Scroll to the name of this browser and tap it.',
    'Switch on Camera and Microphone.',
    RELOAD,
  ],
  android_chrome: [
    'Tap the sign at the left of the address.',
    'Tap “Permissions”.',
    'Switch on Camera and Microphone.',
    RELOAD,
  ],
  android_firefox: [
    'Tap the lock at the left of the address.',
    'Tap Camera and Microphone so that they read “Allowed”.',
    RELOAD,
  ],
  mac_safari: ['Open the menu “Safari”, “Settings for this Website”.', 'Set Camera and Microphone to “Allow”.', RELOAD],
  desktop_firefox: [
    'Click the crossed-out camera at the left of the address.',
    'Remove the blocks beside Camera and Microphone.',
    RELOAD,
  ],
  desktop_chrome: ['Click the sign at the left of the address.', 'Switch on Camera and Microphone.', RELOAD],
  other: ['Open the settings of this page in your browser.', 'Allow the camera and the microphone.', RELOAD],
};

export const TROUBLE = {
  denied: (browser: BrowserKind): Trouble => ({
    heading: 'The camera is switched off for this page',
    body: 'Here is how to switch it on:',
    steps: DENIED_STEPS[browser],
  }),
  none: (): Trouble => ({
    heading: 'We found no camera',
    body: 'Open this link on your phone, or choose a video that you have recorded already.',
    steps: [],
  }),
  busy: (): Trouble => ({
    heading: 'Another app has the camera',
    body: 'Close the app that is using it, such as a video call. Then try again.',
    steps: [],
  }),
  unsupported: (): Trouble => ({
    heading: 'This browser cannot record',
    body: 'Open this link in Safari, Chrome or Firefox, or choose a video that you have recorded already.',
    steps: [],
  }),
  insecure: (): Trouble => ({
    heading: 'This page is not secure',
    body: 'Browsers lend the camera to secure pages only. Open the link exactly as it was sent to you, with https.',
    steps: [],
  }),
  again: 'Try again',
} as const;

export const PICK = {
  pick: 'Choose a video',
  problem: {
    not_a_video: () => 'This file is not a video. Please choose another.',
    too_large: (megabytes: number) => `This video is larger than ${megabytes} MB. Please choose a shorter one.`,
    too_long: () => 'This video is too long. Please choose one of up to a minute.',
    empty: () => 'This file is empty. Please choose another.',
    unreadable: () => 'This file could not be read. Please choose another.',
  } as const satisfies Record<string, (megabytes: number) => string>,
} as const;

/** In a private window, on a full device, or where pages may store nothing. */
export const NOT_KEPT = 'This browser does not keep videos. Keep this page open until yours is sent.';

export const OFFLINE = {
  kept: 'No signal. You can record now; the take is kept on this device and sent later.',
  notKept: 'No signal. You can record now; the take is sent when the signal is back.',
} as const;
