import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import {
  asReady,
  disableStorage,
  offline,
  openCamera,
  recordTake,
  returnLater,
  sendTake,
  startRecording,
} from '../actions.ts';
import { exampleTake, type FakeServer, VIDEO } from '../fake-server.ts';
import { test } from './recorder-test.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const heading = (page: Page, name: string) => page.getByRole('heading', { name });
const ask = (page: Page) => page.evaluate(`window.dispatchEvent(new Event('online'))`);
const asRefused = ({ state }: FakeServer): void => {
  state.recording = exampleTake('refused', { message: 'Choose another one.' });
};
const FAIL_CAMERA = `{
  const { mediaDevices } = navigator;
  window.take = mediaDevices.getUserMedia.bind(mediaDevices);
  mediaDevices.getUserMedia = async () => { throw new DOMException('', 'NotReadableError') };
}`;
const FILE = { name: 'take.mp4', mimeType: 'video/mp4', buffer: VIDEO };

describe.concurrent('a take that was not sent', () => {
  test('is kept while the server does not know the link, and offered once it does', async ({ visit }) => {
    const { page, server } = await visit();
    await openCamera(page);
    await startRecording(page);
    await page.waitForTimeout(1_500);
    server.unknown = true;
    await ask(page);
    await heading(page, 'This link doesn’t work').waitFor();
    await page.getByText('Your video is still on this device').waitFor();
    expect(await page.evaluate(`document.querySelectorAll('video').length`)).toBe(0);
    server.unknown = false;
    server.state.recording = null;
    await page.reload();
    await button(page, /^Send$/).click();
    await heading(page, 'Your video is ready').waitFor();
    expect(server.received.takes).toBe(1);
  });

  test('is offered when the link is opened again after an earlier take was rejected', async ({ visit }) => {
    const { page, server } = await visit({}, {}, asRefused);
    const again = await returnLater(page, server, 'Record again');
    await heading(again, 'That video didn’t work').waitFor();
    await button(again, /^Send$/).click();
    await heading(again, 'Your video is ready').waitFor();
    expect(await heading(again, 'You have an unsent video').count()).toBe(0);
    expect(server.received.takes).toBe(1);
  });

  test('is offered next to an earlier video that is, or just became, ready', async ({ expect, visit }) => {
    const { page, server } = await visit({}, {}, asReady);
    await button(page, 'Record again').click();
    const again = await returnLater(page, server);
    await heading(again, 'Your video is ready').waitFor();
    server.state.recording = exampleTake('processing', { id: 'rec_9', progress: 40 });
    await again.reload();
    await heading(again, 'Processing your video').waitFor();
    server.state.recording = exampleTake('ready', { id: 'rec_9' });
    await heading(again, 'Your video is ready').waitFor();
    await button(again, /^Send$/).click();
    await heading(again, 'Your video is ready').waitFor();
    await expect.poll(() => server.received.takes).toBe(1);
  });

  test('is offered next to an earlier video although the server has a part of it', async ({ visit }) => {
    const { page, server } = await visit({}, {}, asReady);
    await button(page, 'Record again').click();
    await recordTake(page);
    await page.getByText('Uploaded. Nothing is sent until you tap Send.').waitFor();
    expect(server.state.recording?.status).toBe('uploading');
    await page.reload();
    await heading(page, 'Your video is ready').waitFor();
    await button(page, /^Send$/).click();
    await heading(page, 'Processing your video').waitFor();
    await heading(page, 'Your video is ready').waitFor();
    expect(server.received.takes).toBe(1);
  });

  test('is sent without another tap when the page is loaded again after Send without signal', async ({ visit }) => {
    const { page, server } = await visit({}, {}, offline);
    await sendTake(page);
    await page.getByText('Your video is saved on this device').waitFor();
    await page.reload();
    await heading(page, 'Sending your video').waitFor();
    server.uploads = 'open';
    await heading(page, 'Your video is ready').waitFor();
    expect(server.received.takes).toBe(1);
  });

  test('is sent although another tab sent one in the meantime', async ({ expect, visit }) => {
    const { page, server } = await visit({}, {}, offline);
    await sendTake(page);
    await page.getByText('Your video is saved on this device').waitFor();
    server.state.recording = exampleTake('ready', { id: 'rec_9' });
    const { states } = server.received;
    await ask(page);
    await expect.poll(() => server.received.states).toBeGreaterThan(states);
    server.uploads = 'open';
    await heading(page, 'Your video is ready').waitFor();
    expect(server.received.takes).toBe(1);
  });

  test('is not claimed to be sent when the text with the earlier video left first', async ({ visit }) => {
    const { page, server } = await visit({}, {}, asReady);
    await button(page, 'Record again').click();
    server.processes = false;
    await sendTake(page);
    await heading(page, 'Processing your video').waitFor();
    server.state.intro.status = 'sent';
    server.state.recording = exampleTake('ready');
    await page.getByText('Dana sees your earlier video. It was sent before the new one was ready.').waitFor();
    await Promise.all([page.waitForResponse(/state$/), ask(page)]);
    expect(await page.getByText('Dana sees your earlier video.').count()).toBe(1);
  });

  test('is not called late when it was sent', async ({ visit }) => {
    const { page, server } = await visit();
    server.processes = false;
    await sendTake(page);
    await heading(page, 'Processing your video').waitFor();
    server.state.intro.status = 'sent';
    server.state.recording = exampleTake('ready', { id: 'rec_1' });
    await heading(page, 'Sent').waitFor();
    expect(await page.getByText('your earlier video').count()).toBe(0);
  });

  test('is called interrupted when the page was closed while recording, and is to be watched first', async ({
    visit,
  }) => {
    const { page, server } = await visit();
    await openCamera(page);
    await startRecording(page);
    await page.waitForTimeout(2_500);
    await page.reload();
    await heading(page, 'Your recording was interrupted').waitFor();
    expect(await button(page, 'Send').getAttribute('class')).toContain('quiet');
    await button(page, 'Watch').click();
    await page.getByText('Check that you said everything').waitFor();
    await page.getByText('Uploaded. Nothing is sent until you tap Send.').waitFor();
    expect(server.received.takes).toBe(0);
    await button(page, 'Send to Dana').click();
    await heading(page, 'Your video is ready').waitFor();
  });

  test('is offered when the camera fails in a retake', async ({ visit }) => {
    const { page, server } = await visit();
    await recordTake(page);
    await page.evaluate(FAIL_CAMERA);
    await button(page, 'Retake').click();
    await heading(page, 'Another app is using the camera').waitFor();
    await button(page, /^Send$/).click();
    await heading(page, 'Your video is ready').waitFor();
    expect(server.received.takes).toBe(1);
  });

  test('can be replaced by a file after the last one was rejected', async ({ visit }) => {
    const { page, server } = await visit({}, {}, asRefused);
    const input = page.locator('input[type=file]');
    await input.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('Notes') });
    await page.getByText('This file isn’t a video').waitFor();
    await input.setInputFiles(FILE);
    await button(page, 'Send to Dana').click();
    await heading(page, 'Your video is ready').waitFor();
    expect(server.received).toMatchObject({ takes: 1, bytes: 20_000 });
  });
});

describe.concurrent('in a browser that stores nothing', () => {
  test('the member is warned at the start, in the review and while sending, and never told that it is saved', async ({
    visit,
  }) => {
    const { page, server } = await visit({}, {}, offline);
    await disableStorage(page);
    await page.getByText('This browser can’t save videos').waitFor();
    await recordTake(page);
    await page.getByText('Can’t reach Acme Exteriors’ server. Keep this page open until your video is sent.').waitFor();
    const [dialog] = await Promise.all([page.waitForEvent('dialog'), page.close({ runBeforeUnload: true })]);
    await dialog.dismiss();
    await button(page, 'Send to Dana').click();
    await heading(page, 'Sending your video').waitFor();
    await page.getByText('Can’t reach Acme Exteriors’ server. Keep this page open until your video is sent.').waitFor();
    expect(await page.getByText(/saved on this device/).count()).toBe(0);
    server.uploads = 'open';
    await heading(page, 'Your video is ready').waitFor();
  });

  test('when storage fails during a take, the member sees it in the review', async ({ visit }) => {
    const { page } = await visit();
    await openCamera(page);
    await startRecording(page);
    await page.evaluate(`IDBObjectStore.prototype.put = () => { throw new DOMException('', 'QuotaExceededError') }`);
    await page.waitForTimeout(1_500);
    await button(page, 'Stop').click();
    await page.getByText('This browser can’t save videos').waitFor();
  });

  test('the start screen without signal promises only what the browser can store', async ({ visit }) => {
    const { page } = await visit();
    await disableStorage(page);
    await button(page, 'Start the camera').waitFor();
    await page.context().setOffline(true);
    await ask(page);
    await page.getByText('No signal. You can record now; the video is sent when the connection is back.').waitFor();
    expect(await page.getByText('saved on this device').count()).toBe(0);
  });
});

/** The next file takes as long to open as a browser may take. */
const SLOW_FILE = `{
  const { prototype } = HTMLMediaElement;
  const { set, ...rest } = Object.getOwnPropertyDescriptor(prototype, 'src');
  Object.defineProperty(prototype, 'src', {
    ...rest,
    set(url) { if (window.isSlow) set.call(this, url); else window.isSlow = true; },
  });
}`;

test('a file that is still being opened does not end what the member does meanwhile', async ({ visit }) => {
  const { page, server } = await visit();
  await page.evaluate(`${FAIL_CAMERA} ${SLOW_FILE}`);
  await button(page, 'Start the camera').click();
  await page.locator('input[type=file]').setInputFiles(FILE);
  await page.evaluate('navigator.mediaDevices.getUserMedia = window.take');
  await button(page, 'Try again').click();
  await startRecording(page);
  await page.waitForTimeout(5_000);
  await button(page, 'Stop').click();
  await button(page, 'Send to Dana').click();
  await heading(page, 'Your video is ready').waitFor();
  expect(server.received).toMatchObject({ takes: 1, discarded: 0 });
});

const SLOW_CAMERA = `{
  const { mediaDevices } = navigator;
  const take = mediaDevices.getUserMedia.bind(mediaDevices);
  window.switches = 0;
  mediaDevices.getUserMedia = async (asked) => {
    if (!asked.audio) window.switches += 1;
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return take(asked);
  };
}`;
const LIVE_PICTURES = `document.querySelector('video').srcObject.getVideoTracks().filter(({ readyState }) => readyState === 'live').length`;

describe.concurrent('a camera that is slow to switch', () => {
  test('switches once, however often the button is tapped', async ({ expect, visit }) => {
    const { page } = await visit({ camera: 'two' });
    await page.evaluate(SLOW_CAMERA);
    await openCamera(page);
    const flip = button(page, 'Switch camera');
    await flip.click();
    await flip.click();
    await expect.poll(() => page.evaluate(LIVE_PICTURES)).toBe(1);
    // As long as a second switch would take.
    await page.waitForTimeout(2_000);
    expect(await page.evaluate(LIVE_PICTURES)).toBe(1);
    expect(await page.evaluate('window.switches')).toBe(1);
    await flip.click();
    await expect.poll(() => page.evaluate('window.switches')).toBe(2);
  });

  test('delays the recording, which then lasts and has a picture', async ({ expect, visit }) => {
    const { page } = await visit({ camera: 'two' });
    await page.evaluate(SLOW_CAMERA);
    await openCamera(page);
    await button(page, 'Switch camera').click();
    await startRecording(page);
    await page.waitForTimeout(2_500);
    expect(await button(page, 'Stop').count()).toBe(1);
    await button(page, 'Stop').click();
    await button(page, 'Retake').waitFor();
    await expect.poll(() => page.evaluate(`document.querySelector('video').videoWidth`)).toBeGreaterThan(0);
  });
});

describe.concurrent('a browser that reports only at the start of a recording that it cannot record', () => {
  test.for([
    ['throws', `MediaRecorder.prototype.start = () => { throw new DOMException('', 'NotSupportedError') }`],
    ['supports no type any more', 'MediaRecorder.isTypeSupported = () => false'],
  ])('(%s) releases the camera and accepts a file', async ([, spoil], { visit }) => {
    const { page, server } = await visit();
    await openCamera(page);
    await page.evaluate(`window.stream = document.querySelector('video').srcObject; ${spoil}`);
    await button(page, 'Record').click();
    await button(page, 'Start now').last().click();
    await heading(page, 'This browser can’t record video').waitFor();
    expect(await page.evaluate(`window.stream.getTracks().every(({ readyState }) => readyState === 'ended')`)).toBe(
      true,
    );
    await page.locator('input[type=file]').setInputFiles(FILE);
    await button(page, 'Send to Dana').click();
    await heading(page, 'Your video is ready').waitFor();
    expect(server.received).toMatchObject({ takes: 1, bytes: 20_000 });
  });
});
