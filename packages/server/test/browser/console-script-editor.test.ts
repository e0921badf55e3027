import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openTeam } from '../console/team-fixture.ts';
import { DESKTOP, openConsoleTests, PHONE } from './console-test-page.ts';
import { button, expectAccessible } from './page-actions.ts';

const { fixture, open } = await openConsoleTests(openTeam());

/** Requests that a template refuses may fail. */
async function openEditor(slug: string, device: BrowserContextOptions = DESKTOP) {
  const opened = await open(`/touchpoints/${slug}`, { device: { ...device, reducedMotion: 'reduce' }, mayFail: [422] });
  await script(opened.page).waitFor();
  return opened;
}

const script = (page: Page) => page.getByRole('textbox', { name: 'Script', exact: true });

/** The stored form of the text, which the raw view shows. */
async function source(page: Page): Promise<string> {
  const toggle = async (name: string) => {
    await button(page, 'More for Script').click();
    await page.getByRole('menuitem', { name }).click();
  };
  await toggle('Edit as Liquid');
  const text = await page.locator('textarea').first().inputValue();
  await toggle('Edit as text');
  await page.locator('.cm-content').first().waitFor();
  return text;
}

/** A paste as the browser sends it. */
const paste = (page: Page, text: string) =>
  page.evaluate(
    `{
      const data = new DataTransfer();
      data.setData('text/plain', ${JSON.stringify(text)});
      const init = { clipboardData: data, bubbles: true, cancelable: true };
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', init));
    }`,
  );

test('rewriting a script takes three clicks from the overview', async () => {
  const { page } = await open('/overview');
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  const editorFiles = () => loaded.filter((url) => url.includes('code-editor')).length;
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.evaluate(`window.clicks = 0; addEventListener('click', () => { window.clicks += 1; }, true)`);
  await page.getByRole('link', { name: 'Touchpoints' }).click();
  const link = page.getByRole('link', { name: 'Edit the script of On my way' });
  await link.waitFor();
  expect(editorFiles()).toBe(0);
  await link.click();
  await expect.poll(() => script(page).and(page.locator(':focus')).count()).toBe(1);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('Hi, I am on my way.');
  await button(page, 'Save').click();
  await page.getByText('Saved. Your changes are live.').waitFor();
  expect(await page.evaluate('window.clicks')).toBeLessThanOrEqual(3);
  expect(editorFiles()).toBe(1);
  const [row] = await fixture.database.sql`select script, minutes_to_record from touchpoints
    where organization_id = ${fixture.organization.id} and slug = 'on_my_way'`;
  expect(row).toEqual({ script: 'Hi, I am on my way.', minutes_to_record: 20 });
});

test('the script is first, the name is in the header, and lane and type are under More', async () => {
  const { page } = await openEditor('on_my_way', PHONE);
  await page.getByRole('heading', { level: 1, name: 'On my way' }).waitFor();
  expect(await page.getByRole('heading', { level: 2 }).first().textContent()).toBe('Video script');
  expect(await button(page, 'Recipient: first name').isVisible()).toBe(false);
  await script(page).click();
  expect(await button(page, 'Recipient: first name').isVisible()).toBe(true);
  await page.getByRole('link', { name: 'Delivery', exact: true }).click();
  await page.locator('code', { hasText: 'on_my_way' }).waitFor();
  const lane = page.getByRole('combobox', { name: /^Lane/ });
  expect(await lane.isVisible()).toBe(false);
  await page.getByText('More', { exact: true }).click();
  expect(await lane.isVisible()).toBe(true);
  expect(await page.getByRole('textbox', { name: 'Time to record' }).inputValue()).toBe('20');
  expect(await page.getByRole('combobox', { name: 'Unit' }).inputValue()).toBe('minute');
  await button(page, 'Rename').click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Almost there');
  await page.getByRole('heading', { level: 1, name: 'Almost there' }).waitFor();
  await expectAccessible(page);
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  expect(overflow).toBeLessThanOrEqual(0);
});

test('a script can be edited as Liquid when the editor cannot be loaded', async () => {
  const { page, errors } = await open('/overview');
  await page.route(/code-editor/, (route) => route.abort());
  await page.goto(`${fixture.service.url}/console/touchpoints/project_update`);
  const area = page.locator('textarea').first();
  await area.waitFor();
  await area.fill('Hi ');
  await area.focus();
  await button(page, 'Recipient: first name').first().click();
  expect(await area.inputValue()).toBe('Hi {{ recipient.first_name }}');
  // The script that could not be loaded.
  errors.splice(0);
});

test('deleting one end of a condition deletes the other, and undo restores both', async () => {
  const { page } = await openEditor('estimate_follow_up');
  const box = script(page);
  await box.fill('See you');
  await page.keyboard.press('ControlOrMeta+a');
  await button(page, 'More for Script').click();
  await page.getByRole('menuitem', { name: /^If appointment/ }).click();
  expect(await source(page)).toBe('{% if appointment %} See you {% endif %}');
  await expectAccessible(page);
  await box.click();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.press('Backspace');
  expect(await box.textContent()).toBe(' See you ');
  await page.keyboard.press('ControlOrMeta+z');
  expect(await box.textContent()).toBe('If appointment See you End if');
});

test('a typed condition is closed at once, and a pill is read to screen readers', async () => {
  const { page } = await openEditor('decision_follow_up');
  const box = script(page);
  await box.fill('Hi ');
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('{% if trade');
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type('{{trade');
  await page.keyboard.press('ControlOrMeta+End');
  expect(await source(page)).toBe('Hi {% if trade %}{% endif %}{{trade }}');
  await box.click();
  await page.keyboard.press('ControlOrMeta+Home');
  for (let step = 0; step < 4; step++) await page.keyboard.press('ArrowRight');
  await expect.poll(() => page.locator('.cm-announced').first().textContent()).toBe('If trade');
  // The editor does not trap the Tab key.
  await page.keyboard.press('Tab');
  expect(await box.and(page.locator(':focus')).count()).toBe(0);
});

test('a pasted condition without its end is marked at its position, is not saved, and stays until it is fixed', async () => {
  const { page, errors } = await openEditor('project_kickoff');
  const box = script(page);
  await box.fill('Hello.');
  await page.keyboard.press('ControlOrMeta+End');
  await paste(page, ' {% if trade %}Your {{ trade }} starts soon.');
  await page.getByText('Line 1: {% if trade %} is never closed. Add {% endif %} after its text.').waitFor();
  await expect.poll(() => page.locator('.template-problem').textContent()).toBe('{% if trade %}');
  await expectAccessible(page);
  await button(page, 'Save').click();
  await expect.poll(() => errors).toContain('422');
  // The page shows the problem, and moves the focus to it.
  await expect.poll(() => box.and(page.locator(':focus')).count()).toBe(1);
  await page.keyboard.press('ControlOrMeta+End');
  await paste(page, '{% endif %}');
  await expect.poll(() => page.locator('.template-problem').count()).toBe(0);
  expect(await box.textContent()).toBe('Hello. If tradeYour Trade starts soon.End if');
  await button(page, 'Save').click();
  await page.getByText('Saved. Your changes are live.').waitFor();
});
