import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { button, handle, openCamera, recordTake } from '../actions.ts';
import { test } from './recorder-test.ts';

const focused = async (page: Page): Promise<string> =>
  String(await page.evaluate(`document.activeElement.ariaLabel ?? document.activeElement.textContent`));

/** Presses Tab until the focus is on `name`; fails if it never gets there. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 12; presses += 1) {
    if ((await focused(page)) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the focus never reached ${name}`);
}

async function retake(page: Page): Promise<void> {
  await tabTo(page, 'Retake');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('Record');
}

/** Starts the countdown and cancels it. A busy machine may press Escape after its three seconds: then the take is repeated. */
async function cancelCountdown(page: Page): Promise<void> {
  for (;;) {
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: /^(Cancel|Stop)$/ }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toMatch(/^(Record|Stop)$/);
    if ((await focused(page)) === 'Record') return;
    await page.waitForTimeout(1_000);
    await page.keyboard.press('Space');
    await expect.poll(() => focused(page)).toBe('Happy with it?');
    await retake(page);
  }
}

test('a member records, retakes and sends with only a keyboard', async ({ visit }) => {
  const { page, server } = await visit();
  await page.getByRole('button', { name: 'Start the camera' }).waitFor();
  await tabTo(page, 'Start the camera');
  await page.keyboard.press('Enter');
  await expect.poll(() => focused(page)).toBe('Record');

  await cancelCountdown(page);

  await page.keyboard.press('Space');
  await expect.poll(() => focused(page)).toMatch(/^(Start now|Stop)$/);
  if ((await focused(page)) === 'Start now') await page.keyboard.press('Space');
  await expect.poll(() => focused(page)).toBe('Stop');
  await page.waitForTimeout(1_000);
  await page.keyboard.press('Space');
  await expect.poll(() => focused(page)).toBe('Happy with it?');

  await retake(page);
  // Without focus on a control, the space bar still starts and stops.
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('Space');
  const cancel = page.getByRole('button', { name: 'Cancel' });
  await cancel.or(page.getByRole('button', { name: 'Stop' })).waitFor();
  if (await cancel.isVisible()) await page.keyboard.press('Space');
  await page.getByRole('button', { name: 'Stop' }).waitFor();
  await page.waitForTimeout(1_000);
  await page.keyboard.press('Space');

  await page.getByRole('button', { name: 'Retake' }).waitFor();
  await tabTo(page, 'Send to Dana');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your video is ready' }).waitFor();
  expect(await focused(page)).toBe('Your video is ready');
  expect(server.received.takes).toBe(1);
});

test('the focus stays where the member works when the pressed button disappears', async ({ visit }) => {
  const { page } = await visit();
  await recordTake(page, 2_500);
  const press = async (name: string) => {
    await button(page, name).press('Enter');
  };
  await press('Edit');
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('captions');
  for (const name of ['Cancel', 'Use script', 'Off']) {
    await press(name);
    await expect.poll(() => focused(page)).toBe('Edit');
    if (name === 'Cancel') await page.getByText('Captions: off').waitFor();
  }
  await handle(page, 'End').press('ArrowLeft');
  await press('Reset');
  await expect.poll(() => focused(page)).toBe('Start');
});

test('the space bar on a script speed that is reached does not start the recording', async ({ visit }) => {
  const { page } = await visit();
  await openCamera(page);
  for (let presses = 0; presses < 20; presses += 1) await button(page, 'Faster').press('Space');
  expect(await focused(page)).toBe('Faster');
  expect(await button(page, 'Record').count()).toBe(1);
});
