import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openConsoleFixture } from './console-fixture.ts';

import { untilHeading } from './page-actions.ts';

/** More than the tab stops of any page. */
const MAX_TABS = 120;
const FOCUSED = `(() => {
  const here = document.activeElement;
  const label = here?.labels?.[0]?.textContent ?? '';
  return (here?.getAttribute('aria-label') ?? '') + '|' + label + '|' + (here?.textContent ?? '').trim();
})()`;
/** The focused element has an outline, is in the window, and nothing covers it. */
const IS_FOCUS_VISIBLE = `(() => {
  const here = document.activeElement;
  const box = here.getBoundingClientRect();
  const over = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  const marked = [here, here.parentElement].some((one) => getComputedStyle(one).outlineStyle !== 'none');
  return marked && over !== null && (here.contains(over) || over.contains(here));
})()`;

const fixture = await forFile(openConsoleFixture({ hasVideo: false }));
const { page, errors } = await fixture.openAs('owner');

/** Presses Tab until the element has the focus, and checks that the focus is visible. */
async function tabTo(page: Page, name: string, key = 'Tab'): Promise<void> {
  for (let presses = 0; presses < MAX_TABS; presses++) {
    await page.keyboard.press(key);
    const names = String(await page.evaluate(FOCUSED)).split('|');
    if (!names.some((one) => one === name || one.startsWith(`${name}\n`))) continue;
    await expect
      .poll(() => page.evaluate(IS_FOCUS_VISIBLE), { message: `the focus is not visible on ${name}` })
      .toBe(true);
    return;
  }
  throw new Error(`Tab never reached “${name}”`);
}

async function press(page: Page, name: string, key = 'Enter'): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press(key);
}

const isFocused = async (page: Page, name: string) =>
  String(await page.evaluate(FOCUSED))
    .split('|')
    .includes(name);

test('a touchpoint is renamed and the change is undone with only the keyboard', async () => {
  await page.goto(`${fixture.url}/console/overview`);
  await untilHeading(page, 'Overview');
  await page.keyboard.press('Tab');
  expect(await isFocused(page, 'Skip to content')).toBe(true);
  await press(page, 'Touchpoints');
  await untilHeading(page, 'Touchpoints');
  await press(page, 'On my way');
  await untilHeading(page, 'On my way');
  await press(page, 'Rename');
  await expect.poll(() => isFocused(page, 'Name')).toBe(true);
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Already on my way');
  await press(page, 'Save');
  await page.getByText('Saved. Your changes are live.').waitFor();
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

test('no page had an error', () => {
  expect(errors).toEqual([]);
});
