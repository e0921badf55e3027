import type { Page } from 'playwright-core';
import { shown } from './catalogs.ts';
import { exampleTake, type FakeServer } from './fake-server.ts';

// The steps of a member, for several tests. Texts are given in English, whatever the language of the recorder is.

export const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name: shown(page, name), exact: typeof name === 'string' });
export const heading = (page: Page, name: string) => page.getByRole('heading', { name: shown(page, name) }).waitFor();
export const text = (page: Page, part: string) => page.getByText(shown(page, part));

export async function openCamera(page: Page, open = 'Start the camera'): Promise<void> {
  await button(page, open).click();
  await button(page, 'Record').waitFor();
}

export async function startRecording(page: Page): Promise<void> {
  await button(page, 'Record').click();
  // On a slow machine, the countdown may end first, and the button is gone.
  await button(page, 'Start now')
    .last()
    .click({ timeout: 3_000 })
    .catch(() => undefined);
  await button(page, 'Stop').waitFor();
}

export async function recordTake(page: Page, ms = 1_500, open?: string): Promise<void> {
  await openCamera(page, open);
  await startRecording(page);
  await page.waitForTimeout(ms);
  await button(page, 'Stop').click();
  await button(page, 'Retake').waitFor();
}

/** A handle of the strip in the review. */
export const handle = (page: Page, end: 'Start' | 'End') =>
  page.getByRole('slider', { name: shown(page, end), exact: true });

/** Cuts this many seconds off each end, with the keyboard. */
export async function trimTake(page: Page, { start, end }: { start: number; end: number }): Promise<void> {
  await handle(page, 'Start').focus();
  for (let step = 0; step < start * 10; step += 1) await page.keyboard.press('ArrowRight');
  await handle(page, 'End').focus();
  for (let step = 0; step < end * 10; step += 1) await page.keyboard.press('ArrowLeft');
}

export async function sendTake(page: Page): Promise<void> {
  await recordTake(page);
  await button(page, /^Send to/).click();
}

/** With the camera on, and with the whole countdown, as a member does. */
export async function recordAndSend(page: Page): Promise<void> {
  await button(page, 'Record').click();
  await button(page, 'Stop').waitFor();
  await page.waitForTimeout(1_200);
  await button(page, 'Stop').click();
  await button(page, /^Send to/).click();
}

/** Returns how to count the taps that an action takes in this page. */
export async function countTaps(page: Page): Promise<(act: () => Promise<void>) => Promise<number>> {
  await page.evaluate(`window.taps = 0; window.addEventListener('click', () => { window.taps += 1; }, true)`);
  return async (act) => {
    const before = Number(await page.evaluate('window.taps'));
    await act();
    return Number(await page.evaluate('window.taps')) - before;
  };
}

/** Like a private window in some browsers; applies from the next page load. */
export async function disableStorage(page: Page): Promise<void> {
  await page.addInitScript(`IDBFactory.prototype.open = () => { throw new DOMException('', 'SecurityError') }`);
  await page.reload();
}

/** Records a take without signal, closes the tab, and opens the link again with signal. */
export async function returnLater(page: Page, server: FakeServer, open?: string): Promise<Page> {
  server.uploads = 'offline';
  await recordTake(page, 1_500, open);
  await page.close();
  server.uploads = 'open';
  const again = await page.context().newPage();
  await again.goto(server.url);
  // A page that closes at once may not have stored the end of its recording.
  await button(again, 'Watch').waitFor();
  return again;
}

/** Prepares an intro whose video is ready. */
export const asReady = ({ state }: FakeServer): void => {
  state.intro.status = 'ready';
  state.recording = exampleTake('ready');
};

/** Prepares a server that no upload reaches. */
export const offline = (server: FakeServer): void => {
  server.uploads = 'offline';
};

/** The browser asks for the camera until `permit()`. `streams` has what the page got. */
export const SLOW_PERMISSION = `{
  const { mediaDevices } = navigator;
  const take = mediaDevices.getUserMedia.bind(mediaDevices);
  const permission = new Promise((resolve) => { window.permit = resolve; });
  window.streams = [];
  mediaDevices.getUserMedia = async (asked) => { await permission; window.streams.push(await take(asked)); return window.streams.at(-1); };
}`;
