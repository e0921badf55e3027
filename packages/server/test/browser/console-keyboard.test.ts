import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SIZES, type Visit } from './console-screens.ts';
import { type BusyStage, openBusyStage } from './console-stage.ts';
import { button, untilHeading } from './studio.ts';

/** More than any page has places to stop at. */
const MANY = 120;
const FOCUSED = `(() => {
  const here = document.activeElement;
  const label = here?.labels?.[0]?.textContent ?? '';
  return (here?.getAttribute('aria-label') ?? '') + '|' + label + '|' + (here?.textContent ?? '').trim();
})()`;
/** Whether who looks sees where they are: an outline, in the window, with nothing lying over it. */
const IS_SEEN = `(() => {
  const here = document.activeElement;
  const box = here.getBoundingClientRect();
  const over = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  const marked = [here, here.parentElement].some((one) => getComputedStyle(one).outlineStyle !== 'none');
  return marked && over !== null && (here.contains(over) || over.contains(here));
})()`;

let stage: BusyStage;
let owner: Visit;

beforeAll(async () => {
  stage = await openBusyStage({ hasVideo: false });
  owner = await stage.visit('owner');
}, 120_000);
afterAll(() => stage?.close());

/** Tab, and Tab again, until the focus is on what has this name, and is seen there. */
async function tabTo(page: Page, name: string, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < MANY; presses++) {
    await page.keyboard.press(key);
    const names = String(await page.evaluate(FOCUSED)).split('|');
    if (!names.some((one) => one === name || one.startsWith(`${name}\n`))) continue;
    await expect.poll(() => page.evaluate(IS_SEEN), { message: `the focus is not seen on ${name}` }).toBe(true);
    return;
  }
  throw new Error(`Tab never came to “${name}”`);
}

async function press(page: Page, name: string, key = 'Enter'): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press(key);
}

const isFocused = async (page: Page, name: string) =>
  String(await page.evaluate(FOCUSED))
    .split('|')
    .includes(name);

test('by keyboard alone a touchpoint is renamed, looked up in its history, and named as before', async () => {
  const { page } = owner;
  await page.goto(`${stage.url}/console/overview`);
  await untilHeading(page, 'Overview');
  await page.keyboard.press('Tab');
  expect(await isFocused(page, 'Skip to content')).toBe(true);
  await press(page, 'Touchpoints');
  await untilHeading(page, 'Touchpoints');
  await press(page, 'On my way');
  await untilHeading(page, 'On my way');
  await tabTo(page, 'Name');
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Already on my way');
  await press(page, 'Save');
  await untilHeading(page, 'Already on my way');

  await tabTo(page, 'More for this touchpoint', 'Shift+Tab');
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'History' }).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => isFocused(page, 'More for this touchpoint')).toBe(true);
  await page.keyboard.press('Enter');
  await page.keyboard.type('Hist');
  await page.keyboard.press('Enter');
  await untilHeading(page, 'History');
  await press(page, 'Undo: Name');
  await page.getByRole('alertdialog').waitFor();
  await press(page, 'Undo change');
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await page.getByRole('heading', { level: 1, name: 'On my way', exact: true }).waitFor();
});

test('a dialog keeps the keyboard while it is open, and gives it back where it was', async () => {
  const { page } = owner;
  await page.goto(`${stage.url}/console/developers/keys`);
  await untilHeading(page, 'Keys');
  await press(page, 'Create key');
  await untilHeading(page, 'Create key');
  for (let presses = 0; presses < 8; presses++) {
    await page.keyboard.press('Tab');
    // Past its end stands a place that sends the focus back to its beginning.
    await expect.poll(() => page.evaluate(`document.activeElement.closest('[role=dialog]') !== null`)).toBe(true);
  }
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await expect.poll(() => isFocused(page, 'Create key')).toBe(true);
});

test('on a phone with a keyboard the menu opens, leads on and closes, and the page that is open is in sight', async () => {
  const { page } = owner;
  await page.setViewportSize(SIZES.phone);
  await page.goto(`${stage.url}/console/overview`);
  await untilHeading(page, 'Overview');
  await press(page, 'Menu');
  await button(page, 'Close menu').waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => isFocused(page, 'Menu')).toBe(true);
  await page.keyboard.press('Enter');
  await press(page, 'Developers');
  await untilHeading(page, 'First steps');
  expect(await button(page, 'Close menu').isVisible()).toBe(false);
  await press(page, 'Dry run');
  await untilHeading(page, 'Dry run');
  await page.reload();
  await untilHeading(page, 'Dry run');
  const { x = -1, width = 0 } = (await page.getByRole('link', { name: 'Dry run' }).boundingBox()) ?? {};
  expect(x).toBeGreaterThanOrEqual(0);
  expect(x + width).toBeLessThanOrEqual(SIZES.phone.width);
  await page.setViewportSize(SIZES.desk);
});

test('nothing of it was a fault', () => {
  expect(owner.complaints).toEqual([]);
});
