import type { BrowserKind } from '../../browsers.ts';
import type { FileProblemKind, UploadProblem } from '../../engine/types.ts';

const RELOAD = 'Come back to this page and tap “Try again”.';
/** Where a browser allows the camera. */
export const ALLOWING: Record<BrowserKind, string[]> = {
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
  android: [
    'Tap the icon to the left of the address.',
    'Turn on Camera and Microphone. They may be under “Permissions”.',
    RELOAD,
  ],
  mac_safari: [
    'Open the Safari menu, then “Settings for This Website”.',
    'Set Camera and Microphone to “Allow”.',
    RELOAD,
  ],
  desktop: ['Click the icon to the left of the address.', 'Turn on Camera and Microphone.', RELOAD],
};

export const PROBLEMS = {
  denied: {
    heading: 'The camera is blocked for this page',
    body: 'To allow it:',
  },
  none: {
    heading: 'No camera found',
    body: 'Open this link on your phone, or choose a video you already recorded.',
  },
  busy: {
    heading: 'Another app is using the camera',
    body: 'Close that app, such as a video call, then try again.',
  },
  unsupported: {
    heading: 'This browser can’t record video',
    body: 'Open this link in Safari, Chrome or Firefox, or choose a video you already recorded.',
  },
  insecure: {
    heading: 'This page is not secure',
    body: 'Browsers allow the camera only on secure pages. Open the link exactly as it was sent to you, with https.',
  },
  again: 'Try again',
  scan: 'Scan this with your phone to record there.',
};

export const PICK = {
  pick: 'Choose a video',
  problem: {
    not_a_video: 'This file isn’t a video. Choose another one.',
    too_large: 'This video is too large. Choose a shorter one.',
    too_long: 'This video is too long. Choose one of up to a minute.',
    unreadable: 'This file couldn’t be read. Choose another one.',
  } satisfies Record<FileProblemKind, string>,
};

/** Why a take cannot be uploaded. */
export const UPLOAD_PROBLEMS: Record<UploadProblem, string> = {
  link_gone: 'This link no longer works. Ask the office for a new one.',
  file_gone: 'This video can no longer be read. Choose it again.',
  daily_limit: 'You reached the daily limit for videos. Try again tomorrow.',
  already_sent: 'An earlier video was already sent, so this one can’t be.',
  refused: 'This video couldn’t be accepted. Record it again.',
};
