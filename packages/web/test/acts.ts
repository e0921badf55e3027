import type { Page } from 'playwright-core';
import type { FakeServer } from './fake-server.ts';

// What a member does, step by step.

export const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });
export const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();

export async function openCamera(page: Page, open = 'Start the camera'): Promise<void> {
  await button(page, open).click();
  await button(page, 'Record').waitFor();
}

export async function startRecording(page: Page): Promise<void> {
  await button(page, 'Record').click();
  await button(page, 'Start now').last().click();
  await button(page, 'Stop').waitFor();
}

export async function recordTake(page: Page, ms = 1_500, open?: string): Promise<void> {
  await openCamera(page, open);
  await startRecording(page);
  await page.waitForTimeout(ms);
  await button(page, 'Stop').click();
  await button(page, 'Retake').waitFor();
}

export async function sendTake(page: Page): Promise<void> {
  await recordTake(page);
  await button(page, /^Send to/).click();
}

/** As in a private window of some browsers; in force from the next time the page is opened. */
export async function keepNothing(page: Page): Promise<void> {
  await page.addInitScript(`IDBFactory.prototype.open = () => { throw new DOMException('', 'SecurityError') }`);
  await page.reload();
}

/** A take is recorded without signal and the tab is closed; with signal the link is opened again. */
export async function comeBack(page: Page, server: FakeServer, open?: string): Promise<Page> {
  server.uploads = 'offline';
  await recordTake(page, 1_500, open);
  await page.close();
  server.uploads = 'open';
  const again = await page.context().newPage();
  await again.goto(server.url);
  await heading(again, 'You have a take that was not sent');
  return again;
}
