import type { BrowserContextOptions } from 'playwright-core';
import {
  button,
  disableStorage,
  recordTake,
  returnLater,
  sendTake,
  startRecording,
  text,
  trimTake,
} from './actions.ts';
import { DONE } from './done-stories.ts';
import type { visit as openPhone, Visit } from './phone.ts';
import {
  camera,
  pause,
  press,
  type Step,
  type Story,
  see,
  seeHeading,
  withIntro,
  withServer,
  withTake,
} from './story.ts';
import { UNABLE } from './unable-stories.ts';

const refused = withTake('refused', {
  message: 'The video has no picture. Please check the camera and record it again.',
});

/** Simulates the browser's error: no test machine has a camera that another app is using. */
const failCamera =
  (name: string): Step =>
  async (page) => {
    await page.evaluate(`navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', '${name}') }`);
    await button(page, 'Start the camera').click();
    await button(page, 'Choose a video').or(text(page, 'Choose a video')).first().waitFor();
  };

const goOnline: Step = (page) => page.evaluate(`window.dispatchEvent(new Event('online'))`);
const goOffline: Step = (page) => page.context().setOffline(true);
const record =
  (ms?: number): Step =>
  (page) =>
    recordTake(page, ms);

const DIM = { brightness: 0.12, voice: 'silence' } as const;

const START: Story[] = [
  { name: 'start' },
  { name: 'start-prompts', prepare: withIntro({ script: null, touchpoint: null, appointment: null }) },
  { name: 'start-leftover', steps: [(page, server) => returnLater(page, server)] },
  {
    name: 'start-interrupted',
    steps: [
      ...[camera, startRecording, pause(2_500)],
      (page) => page.reload(),
      seeHeading('Your recording was interrupted'),
    ],
  },
  { name: 'start-offline', steps: [goOffline, goOnline, see('You can record now')] },
  { name: 'start-not-kept', steps: [disableStorage, see('This browser can’t save videos')] },
];

const CAMERA: Story[] = [
  { name: 'camera', steps: [camera, see('Microphone works')] },
  { name: 'camera-dark', scene: DIM, steps: [camera, see('It’s dark')] },
  { name: 'camera-prompts', prepare: withIntro({ script: null }), steps: [camera] },
  { name: 'countdown', steps: [camera, press('Record'), pause(400)] },
  { name: 'recording', steps: [camera, startRecording, pause(4_000)] },
  {
    name: 'recording-longer',
    prepare: ({ state }) => void Object.assign(state.limits, { soft_s: 1, hard_s: 12 }),
    steps: [camera, startRecording, see('A little longer is fine')],
  },
];

const SENDING: Story[] = [
  { name: 'review', steps: [record(3_600)] },
  {
    name: 'review-trimmed',
    steps: [
      record(5_600),
      (page) => trimTake(page, { start: 0.8, end: 1.2 }),
      (page) => button(page, 'Reset').waitFor(),
    ],
  },
  {
    name: 'review-long',
    prepare: ({ state }) => void Object.assign(state.limits, { soft_s: 1 }),
    steps: [record(3_600), (page) => page.locator('.row .long').waitFor()],
  },
  { name: 'review-captions', steps: [record(), press('Edit'), (page) => page.getByRole('textbox').waitFor()] },
  { name: 'review-findings', scene: DIM, steps: [record(3_600), see('We couldn’t hear you')] },
  {
    name: 'review-no-signal',
    prepare: withServer({ uploads: 'offline' }),
    steps: [record(), see('Your video is saved')],
  },
  { name: 'sending', prepare: withServer({ uploads: 'hold' }), steps: [sendTake, seeHeading('Sending your video')] },
  {
    name: 'sending-no-signal',
    prepare: withServer({ uploads: 'offline' }),
    steps: [sendTake, see('Your video is saved')],
  },
  {
    name: 'checking',
    prepare: withServer({ processes: false }),
    steps: [sendTake, seeHeading('Processing your video')],
  },
  { name: 'processing', prepare: withTake('processing', { progress: 43 }) },
  { name: 'review-not-kept', steps: [disableStorage, record(), see('This browser can’t save videos')] },
  { name: 'refused', prepare: refused },
  { name: 'refused-leftover', prepare: refused, steps: [(page, server) => returnLater(page, server, 'Record again')] },
];

const CLOSED: Story[] = [
  {
    name: 'cancelled',
    steps: [
      ...[camera, startRecording, pause(1_200)],
      async (_page, server) => withServer({ closed: 'cancelled' })(server),
      seeHeading('This video is no longer needed'),
    ],
  },
  {
    name: 'unknown',
    steps: [
      record(),
      async (_page, server) => withServer({ unknown: true })(server),
      ...[goOnline, see('Your video is still on this device')],
    ],
  },
  { name: 'expired', prepare: withServer({ closed: 'expired' }), steps: [seeHeading('This link has expired')] },
];

const PROBLEMS: Story[] = [
  {
    name: 'problem-denied',
    scene: { camera: 'denied' },
    steps: [press('Start the camera'), seeHeading('The camera is blocked')],
  },
  {
    name: 'problem-none',
    scene: { camera: 'none' },
    steps: [press('Start the camera'), seeHeading('No camera found')],
  },
  { name: 'problem-busy', steps: [failCamera('NotReadableError')] },
  { name: 'problem-unsupported', steps: [failCamera('NotSupportedError')] },
];

export const STORIES: Story[] = [...START, ...CAMERA, ...SENDING, ...DONE, ...CLOSED, ...PROBLEMS, ...UNABLE];

/** Plays a story from the start. */
export async function play(story: Story, visit: typeof openPhone, options: BrowserContextOptions = {}): Promise<Visit> {
  const opened = await visit(story.scene, options, story.prepare);
  await opened.page.getByRole('heading').first().waitFor();
  for (const step of story.steps ?? []) await step(opened.page, opened.server);
  // A step may have opened the link again.
  return { ...opened, page: opened.page.context().pages().at(-1) ?? opened.page };
}
