import type { BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { sleep } from '../harness/index.ts';
import { findViolations } from './accessibility.ts';

const TIMEOUT_MS = 40_000;
const POLL_MS = 50;

export const button = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name, exact: typeof name === 'string' });

export const untilHeading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();

/** During a fade the contrast is too low. Spinners never end, so they are ignored. */
const ANIMATIONS_ENDED = `document.getAnimations().every((one) =>
  one.playState !== 'running' || one.effect?.getComputedTiming().endTime === Infinity)`;

export async function expectAccessible(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(ANIMATIONS_ENDED), { message: 'the animations never ended' }).toBe(true);
  expect(await findViolations(page)).toEqual([]);
}

export async function expectAccessibleInBothModes(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }
}

/** Polls from here, because the page's security policy blocks injected code that waits. */
export async function untilVideo(page: Page, condition: string): Promise<void> {
  for (let waited = 0; waited < TIMEOUT_MS; waited += POLL_MS) {
    if (await page.evaluate(`document.querySelector('video').${condition}`)) return;
    await sleep(POLL_MS);
  }
  throw new Error(`the video never reached: ${condition}`);
}

export const playButton = (page: Page) => button(page, /^Play the video/);

export async function playToTheEnd(page: Page): Promise<void> {
  await playButton(page).click();
  await untilVideo(page, 'ended');
}

/** Collects what the pages of a context request, their script errors, and violations of their security policy. */
export function watch(context: BrowserContext) {
  const requested: string[] = [];
  const errors: string[] = [];
  context.on('request', (request) => requested.push(request.url()));
  context.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  context.on('weberror', (error) => errors.push(error.error().message));
  return { requested, errors };
}
