import type { BrowserContextOptions, Page } from 'playwright-core';
import {
  button,
  disableStorage,
  heading,
  openCamera,
  recordTake,
  returnLater,
  sendTake,
  startRecording,
  text,
  trimTake,
} from './actions.ts';
import { DONE } from './done-stories.ts';
import { exampleTake, type FakeServer } from './fake-server.ts';
import type { visit as openPhone, Visit } from './phone.ts';
import type { Story } from './story.ts';
import { UNABLE } from './unable-stories.ts';

const asRefused = ({ state }: FakeServer): void => {
  const message = 'The video has no picture. Please check the camera and record it again.';
  state.recording = exampleTake('refused', { message });
};

/** Simulates the browser's error: no test machine has a camera that another app is using. */
const failCamera = (name: string) => async (page: Page) => {
  await page.evaluate(`navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', '${name}') }`);
  await button(page, 'Start the camera').click();
  await button(page, 'Choose a video').or(text(page, 'Choose a video')).first().waitFor();
  return page;
};

const START: Story[] = [
  { name: 'start' },
  {
    name: 'start-prompts',
    prepare: ({ state }) => {
      state.intro.script = null;
      state.intro.touchpoint = null;
      state.intro.appointment = null;
    },
  },
  { name: 'start-leftover', play: returnLater },
  {
    name: 'start-offline',
    async play(page) {
      await page.context().setOffline(true);
      await page.evaluate(`window.dispatchEvent(new Event('online'))`);
      await text(page, 'No signal. You can record now').waitFor();
      return page;
    },
  },
  {
    name: 'start-not-kept',
    async play(page) {
      await disableStorage(page);
      await text(page, 'This browser can’t save videos').waitFor();
      return page;
    },
  },
];

const CAMERA: Story[] = [
  {
    name: 'camera',
    async play(page) {
      await openCamera(page);
      await text(page, 'Microphone works').waitFor();
      return page;
    },
  },
  {
    name: 'camera-dark',
    scene: { brightness: 0.12, voice: 'silence' },
    async play(page) {
      await openCamera(page);
      await text(page, 'It’s dark').waitFor();
      return page;
    },
  },
  {
    name: 'camera-prompts',
    prepare: ({ state }) => {
      state.intro.script = null;
    },
    async play(page) {
      await openCamera(page);
      return page;
    },
  },
  {
    name: 'countdown',
    async play(page) {
      await openCamera(page);
      await button(page, 'Record').click();
      await page.waitForTimeout(400);
      return page;
    },
  },
  {
    name: 'recording',
    async play(page) {
      await openCamera(page);
      await startRecording(page);
      await page.waitForTimeout(4_000);
      return page;
    },
  },
  {
    name: 'recording-longer',
    prepare: ({ state }) => {
      state.limits = { ...state.limits, soft_s: 1, hard_s: 12 };
    },
    async play(page) {
      await openCamera(page);
      await startRecording(page);
      await text(page, 'A little longer is fine').waitFor();
      return page;
    },
  },
];

const SENDING: Story[] = [
  {
    name: 'review',
    async play(page) {
      await recordTake(page, 3_600);
      return page;
    },
  },
  {
    name: 'review-trimmed',
    async play(page) {
      await recordTake(page, 5_600);
      await trimTake(page, { start: 0.8, end: 1.2 });
      await button(page, 'Reset').waitFor();
      return page;
    },
  },
  {
    name: 'review-long',
    prepare: ({ state }) => {
      state.limits = { ...state.limits, soft_s: 1 };
    },
    async play(page) {
      await recordTake(page, 3_600);
      await page.locator('.trim-length .long').waitFor();
      return page;
    },
  },
  {
    name: 'review-findings',
    scene: { brightness: 0.12, voice: 'silence' },
    async play(page) {
      await recordTake(page, 3_600);
      await text(page, 'We couldn’t hear you').waitFor();
      return page;
    },
  },
  {
    name: 'review-no-signal',
    prepare: (server) => {
      server.uploads = 'offline';
    },
    async play(page) {
      await recordTake(page);
      await text(page, 'Your video is saved').waitFor();
      return page;
    },
  },
  {
    name: 'sending',
    prepare: (server) => {
      server.uploads = 'hold';
    },
    async play(page) {
      await sendTake(page);
      await heading(page, 'Sending your video');
      return page;
    },
  },
  {
    name: 'sending-no-signal',
    prepare: (server) => {
      server.uploads = 'offline';
    },
    async play(page) {
      await sendTake(page);
      await text(page, 'Your video is saved').waitFor();
      return page;
    },
  },
  {
    name: 'checking',
    prepare: (server) => {
      server.processes = false;
    },
    async play(page) {
      await sendTake(page);
      await heading(page, 'Processing your video');
      return page;
    },
  },
  {
    name: 'processing',
    prepare: ({ state }) => {
      state.recording = exampleTake('processing', { progress: 43 });
    },
  },
  {
    name: 'review-not-kept',
    async play(page) {
      await disableStorage(page);
      await recordTake(page);
      await text(page, 'This browser can’t save videos').waitFor();
      return page;
    },
  },
  { name: 'refused', prepare: asRefused },
  { name: 'refused-leftover', prepare: asRefused, play: (page, server) => returnLater(page, server, 'Record again') },
];

const CLOSED: Story[] = [
  {
    name: 'cancelled',
    async play(page, server) {
      await openCamera(page);
      await startRecording(page);
      await page.waitForTimeout(1_200);
      server.closed = 'cancelled';
      await heading(page, 'This video is no longer needed');
      return page;
    },
  },
  {
    name: 'unknown',
    async play(page, server) {
      await recordTake(page);
      server.unknown = true;
      await page.evaluate(`window.dispatchEvent(new Event('online'))`);
      await text(page, 'Your video is still on this device').waitFor();
      return page;
    },
  },
  {
    name: 'expired',
    prepare: (server) => {
      server.closed = 'expired';
    },
    async play(page) {
      await heading(page, 'This link has expired');
      return page;
    },
  },
];

const PROBLEMS: Story[] = [
  {
    name: 'problem-denied',
    scene: { camera: 'denied' },
    async play(page) {
      await button(page, 'Start the camera').click();
      await heading(page, 'The camera is blocked');
      return page;
    },
  },
  {
    name: 'problem-none',
    scene: { camera: 'none' },
    async play(page) {
      await button(page, 'Start the camera').click();
      await heading(page, 'No camera found');
      return page;
    },
  },
  { name: 'problem-busy', play: failCamera('NotReadableError') },
  { name: 'problem-unsupported', play: failCamera('NotSupportedError') },
];

export const STORIES: Story[] = [...START, ...CAMERA, ...SENDING, ...DONE, ...CLOSED, ...PROBLEMS, ...UNABLE];

/** Plays a story from the start. */
export async function play(story: Story, visit: typeof openPhone, options: BrowserContextOptions = {}): Promise<Visit> {
  const opened = await visit(story.scene, options, story.prepare);
  await opened.page.getByRole('heading').first().waitFor();
  const page = (await story.play?.(opened.page, opened.server)) ?? opened.page;
  return { ...opened, page };
}
