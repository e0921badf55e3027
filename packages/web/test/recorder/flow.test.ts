import type { Page } from 'playwright-core';
import { describe, expect } from 'vitest';
import { asReady, openCamera, recordTake, sendTake, startRecording } from '../actions.ts';
import { VIDEO } from '../fake-server.ts';
import { test } from './recorder-test.ts';

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name });
const heading = (page: Page, name: string) => page.getByRole('heading', { name });
const PLAYS = `new Promise((resolve) => {
  const video = document.querySelector('video');
  video.addEventListener('timeupdate', () => video.currentTime > 0.3 && resolve(true));
})`;
/** Keeps the transactions that delete something open until the page has `isReleased`. */
const SLOW_DELETION = `{
  const { prototype } = IDBObjectStore;
  const erase = prototype.delete;
  prototype.delete = function (key) {
    const wait = () => { if (!window.isReleased) this.get('none').onsuccess = wait; };
    wait();
    this.transaction.addEventListener('complete', () => { window.isDeleted = true; });
    return erase.call(this, key);
  };
}`;

describe.concurrent('a member', () => {
  test('opens the page with one request for its state, and may choose the other language', async ({
    expect,
    visit,
  }) => {
    const { page, server } = await visit();
    await button(page, 'Start the camera').waitFor();
    await page.waitForTimeout(3_000);
    expect(server.received.states).toBe(1);
    await page.context().setOffline(true);
    await button(page, 'Español').click();
    await page.getByRole('alert').getByText('Couldn’t reach the server.').waitFor();
    await page.context().setOffline(false);
    await button(page, 'Español').click();
    await button(page, 'Activar la cámara').waitFor();
    await button(page, 'English').click();
    await button(page, 'Start the camera').waitFor();
  });

  test('records, watches and sends a take; it arrives once, and the page is shown', async ({ visit }) => {
    const { page, server } = await visit();
    await recordTake(page, 2_000);
    const plays = page.evaluate(PLAYS);
    await button(page, 'Play your video').click();
    expect(await plays).toBe(true);
    expect(server.received.takes).toBe(0);
    await button(page, 'Send to Dana').click();
    await heading(page, 'Your video is ready').waitFor();
    expect(server.received.takes).toBe(1);
    expect(server.received.bytes).toBeGreaterThan(10_000);
    await page.frameLocator('iframe').getByText('your project manager').waitFor();
    await page.reload();
    await heading(page, 'Your video is ready').waitFor();
  });

  test('whose connection broke while the page loaded is told to load it again', async ({ visit }) => {
    const { page, server } = await visit();
    await page.route('**/*.js', (route) => route.abort());
    await page.goto(server.url);
    const hint = page.getByText('If nothing happens, reload this page.');
    await hint.waitFor();
    await page.unroute('**/*.js');
    await page.reload();
    await button(page, 'Start the camera').waitFor();
    expect(await hint.count()).toBe(0);
  });

  test('without HTTPS is told how to copy the link', async ({ visit }) => {
    const { page } = await visit({}, {}, asReady);
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    await button(page, 'Copy link').click();
    await button(page, 'Press and hold the link to copy it').waitFor();
  });

  test('whose browser shows large text sees all of the page in it', async ({ visit }) => {
    const { page } = await visit();
    const sizes = () =>
      page.evaluate<number[]>(
        `[...document.querySelectorAll('#app :is(p, h1, h2, button, summary)')].map((one) => parseFloat(getComputedStyle(one).fontSize))`,
      );
    await button(page, 'Start the camera').waitFor();
    const before = await sizes();
    await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
    for (const [index, size] of (await sizes()).entries()) expect(size).toBeGreaterThan(1.3 * (before[index] ?? 0));
  });

  test('is mirrored in the viewfinder, and not in the take', async ({ visit }) => {
    const { page } = await visit();
    await openCamera(page);
    expect(await page.evaluate(`getComputedStyle(document.querySelector('video')).transform`)).toMatch(
      /^matrix\(-1, 0/,
    );
    await startRecording(page);
    await page.waitForTimeout(800);
    await button(page, 'Stop').click();
    await button(page, 'Retake').waitFor();
    expect(await page.evaluate(`getComputedStyle(document.querySelector('video')).transform`)).toBe('none');
  });

  test('who retakes makes the server delete the first take, and sends only the second', async ({ visit }) => {
    const { page, server } = await visit();
    await recordTake(page);
    await button(page, 'Retake').click();
    await startRecording(page);
    await page.waitForTimeout(1_000);
    await button(page, 'Stop').click();
    await button(page, 'Send to Dana').click();
    await heading(page, 'Your video is ready').waitFor();
    expect(server.received).toMatchObject({ takes: 1, discarded: 1 });
  });

  test('can retake while the device is still deleting the take before', async ({ expect, visit }) => {
    const { page } = await visit();
    await page.evaluate(SLOW_DELETION);
    await recordTake(page);
    await button(page, 'Retake').click();
    await startRecording(page);
    await page.waitForTimeout(1_000);
    await button(page, 'Stop').click();
    await button(page, 'Retake').click();
    await button(page, 'Record').waitFor();
    await page.evaluate('window.isReleased = true');
    await expect.poll(() => page.evaluate('window.isDeleted')).toBe(true);
    await startRecording(page);
  });

  test('keeps the chosen script speed on the server, with one request', async ({ expect, visit }) => {
    const { page, server } = await visit();
    await openCamera(page);
    await page.evaluate(
      `for (let taps = 0; taps < 3; taps += 1) document.querySelector('[aria-label=Faster]').click()`,
    );
    await expect.poll(() => server.received.paces).toEqual([180]);
    await page.reload();
    await openCamera(page);
    await page.getByText('180 words per minute').waitFor();
    await startRecording(page);
    await expect.poll(() => button(page, 'Slower').count()).toBe(0);
  });

  test('without a camera sends a video file, and gets a clear message for a file that is not a video', async ({
    expect,
    visit,
  }) => {
    const { page, server } = await visit({ camera: 'none' });
    await button(page, 'Start the camera').click();
    const code = page.getByRole('img').or(page.locator('.phone-code img')).first();
    await expect.poll(() => code.evaluate(({ naturalWidth }: HTMLImageElement) => naturalWidth)).toBeGreaterThan(0);
    const input = page.locator('input[type=file]');
    await input.setInputFiles({ name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no video') });
    await page.getByText('This file isn’t a video').waitFor();
    // The name and the type of a video do not make one, and nothing is uploaded.
    await input.setInputFiles({ name: 'cat.mp4', mimeType: 'video/mp4', buffer: Buffer.alloc(20_000, 7) });
    await page.getByText('This file isn’t a video').waitFor();
    expect(server.received.bytes).toBe(0);
    await input.setInputFiles({ name: 'take.mp4', mimeType: 'video/mp4', buffer: VIDEO });
    await button(page, 'Send to Dana').click();
    await heading(page, 'Your video is ready').waitFor();
    expect(server.received).toMatchObject({ takes: 1, bytes: 20_000 });
  });

  test('is stopped at the hard limit, and the take is kept', async ({ visit }) => {
    const { page } = await visit({}, {}, ({ state }) => {
      state.limits = { ...state.limits, soft_s: 1, hard_s: 2 };
    });
    await openCamera(page);
    await startRecording(page);
    await button(page, 'Retake').waitFor();
    expect(await button(page, 'Play your video 0:02').count()).toBe(1);
  });

  test('cannot replace a video that the recipient opened in the meantime', async ({ visit }) => {
    const { page, server } = await visit({}, {}, asReady);
    await button(page, 'Record again').click();
    await openCamera(page);
    server.state.intro.status = 'sent';
    await page.evaluate(`window.dispatchEvent(new Event('online'))`);
    await heading(page, 'Your video was sent').waitFor();
    expect(await button(page, 'Record again').count()).toBe(0);
  });
});

/** Makes the recorder load its state again. */
const reloadState = (page: Page) => page.evaluate(`window.dispatchEvent(new Event('online'))`);

describe.concurrent('a cancellation ends every step, and no take remains,', () => {
  const moments: [string, boolean, (page: Page) => Promise<void>][] = [
    ['on the start screen', false, async () => {}],
    ['in front of the camera', false, openCamera],
    [
      'in the countdown',
      false,
      async (page) => {
        await openCamera(page);
        await button(page, 'Record').click();
      },
    ],
    ['while reviewing the take', true, recordTake],
    ['while sending', true, sendTake],
  ];
  test.for(moments)('%s', async ([, hasTake, play], { visit }) => {
    const { page, server } = await visit({}, {}, (before) => {
      before.processes = false;
    });
    await play(page);
    server.closed = 'cancelled';
    await reloadState(page);
    await heading(page, 'This video is no longer needed').waitFor();
    if (hasTake) await page.getByText('It was deleted from this device').waitFor();
    expect(await page.evaluate(`document.querySelectorAll('video').length`)).toBe(0);
    server.closed = null;
    server.state.recording = null;
    await page.reload();
    await button(page, 'Start the camera').waitFor();
    expect(await heading(page, 'You have an unsent video').count()).toBe(0);
  });
});
