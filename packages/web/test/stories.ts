import type { BrowserContextOptions, Page } from 'playwright-core';
import { button, comeBack, heading, keepNothing, openCamera, recordTake, sendTake, startRecording } from './acts.ts';
import type { FakeServer } from './fake-server.ts';
import type { Phones, Scene, Visit } from './phone.ts';

/** One state of the recorder, and how a member comes to it. */
export interface Story {
  name: string;
  scene?: Scene;
  prepare?(server: FakeServer): void;
  /** Plays on a page that has just been opened; gives the page that shows the state. */
  play?(page: Page, server: FakeServer): Promise<Page | undefined>;
}

const asRefused = ({ state }: FakeServer): void => {
  const message = 'The video has no picture. Please check the camera and record it again.';
  state.recording = { id: 'rec_0', status: 'refused', progress: 0, message };
};

const asReady = (server: FakeServer): void => {
  server.state.intro.status = 'ready';
  server.state.recording = { id: 'rec_0', status: 'ready', progress: 100, message: null };
};

/** The browser's own answer, given for it: no test machine has a camera that another app holds. */
const failCamera = (name: string) => async (page: Page) => {
  await page.evaluate(`navigator.mediaDevices.getUserMedia = async () => { throw new DOMException('', '${name}') }`);
  await button(page, 'Start the camera').click();
  await button(page, 'Choose a video').or(page.getByText('Choose a video')).first().waitFor();
  return page;
};

const ROOM: Story[] = [
  { name: 'room' },
  {
    name: 'room-prompts',
    prepare: ({ state }) => {
      state.intro.script = null;
      state.intro.touchpoint = null;
      state.intro.appointment = null;
    },
  },
  {
    name: 'room-leftover',
    play: (page, server) => comeBack(page, server),
  },
  {
    name: 'room-offline',
    async play(page) {
      await page.context().setOffline(true);
      await page.evaluate(`window.dispatchEvent(new Event('online'))`);
      await page.getByText('No signal. You can record now').waitFor();
      return page;
    },
  },
  {
    name: 'room-not-kept',
    async play(page) {
      await keepNothing(page);
      await page.getByText('This browser does not keep videos').waitFor();
      return page;
    },
  },
];

const CAMERA: Story[] = [
  {
    name: 'camera',
    async play(page) {
      await openCamera(page);
      await page.getByText('We hear you').waitFor();
      return page;
    },
  },
  {
    name: 'camera-dark',
    scene: { brightness: 0.12, voice: 'silence' },
    async play(page) {
      await openCamera(page);
      await page.getByText('It is dark here').waitFor();
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
      await page.getByText('A little longer is fine').waitFor();
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
    name: 'review-findings',
    scene: { brightness: 0.12, voice: 'silence' },
    async play(page) {
      await recordTake(page, 3_600);
      await page.getByText('We could not hear you').waitFor();
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
      await page.getByText('Your take is safe').waitFor();
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
      await page.getByText('Your take is safe').waitFor();
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
      await heading(page, 'Getting it ready');
      return page;
    },
  },
  {
    name: 'processing',
    prepare: ({ state }) => {
      state.recording = { id: 'rec_0', status: 'processing', progress: 43, message: null };
    },
  },
  {
    name: 'review-not-kept',
    async play(page) {
      await keepNothing(page);
      await recordTake(page);
      await page.getByText('This browser does not keep videos').waitFor();
      return page;
    },
  },
  { name: 'refused', prepare: asRefused },
  { name: 'refused-leftover', prepare: asRefused, play: (page, server) => comeBack(page, server, 'Record it again') },
];

const AFTER: Story[] = [
  { name: 'done', prepare: asReady },
  {
    name: 'done-leftover',
    prepare: asReady,
    async play(page, server) {
      await button(page, 'Record it again').click();
      return comeBack(page, server);
    },
  },
  {
    name: 'done-service',
    prepare: (server) => {
      asReady(server);
      server.state.intro.delivery = 'service';
    },
  },
  {
    name: 'sent',
    prepare: (server) => {
      asReady(server);
      server.state.intro.status = 'sent';
    },
  },
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
      await page.getByText('Your take is still on this device').waitFor();
      return page;
    },
  },
  {
    name: 'expired',
    prepare: (server) => {
      server.closed = 'expired';
    },
    async play(page) {
      await heading(page, 'The time for this video is over');
      return page;
    },
  },
];

const TROUBLE: Story[] = [
  {
    name: 'trouble-denied',
    scene: { camera: 'denied' },
    async play(page) {
      await button(page, 'Start the camera').click();
      await heading(page, 'The camera is switched off');
      return page;
    },
  },
  {
    name: 'trouble-none',
    scene: { camera: 'none' },
    async play(page) {
      await button(page, 'Start the camera').click();
      await heading(page, 'We found no camera');
      return page;
    },
  },
  { name: 'trouble-busy', play: failCamera('NotReadableError') },
  { name: 'trouble-unsupported', play: failCamera('NotSupportedError') },
];

export const STORIES: Story[] = [...ROOM, ...CAMERA, ...SENDING, ...AFTER, ...TROUBLE];

/** Plays a story from its beginning. */
export async function tell(story: Story, phones: Phones, options: BrowserContextOptions = {}): Promise<Visit> {
  const visit = await phones.visit(story.scene, options, story.prepare);
  await visit.page.getByRole('heading').first().waitFor();
  const page = (await story.play?.(visit.page, visit.server)) ?? visit.page;
  return { ...visit, page };
}
