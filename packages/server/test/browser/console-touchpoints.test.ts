import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openTouchpoints } from '../console/touchpoints-fixture.ts';
import { DESKTOP, openConsoleTests, PHONE } from './console-test-page.ts';
import { button, expectAccessible } from './page-actions.ts';

const { fixture, open } = await openConsoleTests(openTouchpoints());
const { read, orderInApi } = fixture;

/** Opens the touchpoints, or one of them, as a manager. Requests that a template or a conflict refuses may fail. */
async function openTouchpoint(slug: string | null, device: BrowserContextOptions = DESKTOP) {
  const options = {
    client: fixture.manager,
    device: { ...device, reducedMotion: 'reduce' as const },
    mayFail: [409, 422, 503],
  };
  const { page } = await open(slug === null ? '/touchpoints' : `/touchpoints/${slug}`, options);
  await (slug === null ? page.getByRole('switch') : page.getByRole('textbox', { name: 'Script' })).first().waitFor();
  return page;
}

/** Shows the script as it is stored. */
async function editAsLiquid(page: Page): Promise<void> {
  await button(page, 'More for Script').click();
  await page.getByRole('menuitem', { name: 'Edit as Liquid' }).click();
}

const tab = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const box = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });
test('a manager rewrites a script with variable buttons and a live preview, and the API has it after saving', async () => {
  const page = await openTouchpoint('new_appointment');
  await button(page, 'Rename').click();
  await box(page, 'Name').fill('First visit');
  const script = box(page, 'Script');
  await script.fill('Hi , this is me.');
  await script.press('Home');
  await script.press('ArrowRight');
  await script.press('ArrowRight');
  await script.press('ArrowRight');
  // Reaches the buttons with the keyboard; the variable is inserted at the cursor.
  await script.press('Tab');
  await page.keyboard.press('Enter');
  expect(await script.textContent()).toBe('Hi Recipient: first name, this is me.');
  await script.press('End');
  await page.keyboard.type(' See you ');
  await script.press('Tab');
  for (let step = 0; step < 6; step++) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await page.getByText('Hi Sarah, this is me. See you Wednesday').waitFor();
  await expectAccessible(page);
  await button(page, 'Save').click();
  await page.getByText('Saved. Your changes are live.').waitFor();
  const saved = await read('new_appointment');
  expect(saved).toMatchObject({ name: 'First visit', last_change: { by: { name: 'manager Team' } } });
  expect(saved.script).toBe('Hi {{ recipient.first_name }}, this is me. See you {{ appointment.weekday }}');
  await page.getByRole('heading', { name: 'First visit', level: 1 }).waitFor();
});

test('a template problem is shown at its line, is not saved, and nothing typed is lost', async () => {
  const page = await openTouchpoint('estimate_follow_up');
  await editAsLiquid(page);
  const script = box(page, 'Script');
  const written = 'Hi {{ recipient.first_name }},\nthis is {{ member.frist_name }}.';
  await script.fill(written);
  await page.getByText('Line 2: unknown variable member.frist_name; did you mean member.first_name?').waitFor();
  await expectAccessible(page);
  const before = await read('estimate_follow_up');
  await button(page, 'Save').click();
  await expect.poll(() => script.and(page.locator(':focus')).count()).toBe(1);
  expect(await script.inputValue()).toBe(written);
  expect(await read('estimate_follow_up')).toEqual(before);
  await page.getByRole('link', { name: 'Back to Touchpoints' }).click();
  await page.getByText('Leave without saving?').waitFor();
  await button(page, 'Stay here').click();
  expect(await script.inputValue()).toBe(written);
});

test('the length check warns about a long script and lists the members who would be cut off', async () => {
  const page = await openTouchpoint('appointment_confirmation');
  await page.getByText('Short enough to be watched to the end').waitFor();
  await page.getByText(/^All \d+ active members can read it within 15/).waitFor();
  const over = page.getByRole('list', { name: 'Members who need more time' });
  expect(await over.count()).toBe(0);
  await fixture.database.sql`update members set words_per_minute = 60 where organization_id = ${fixture.organization.id}
    and first_name = 'Ana'`;
  const script = box(page, 'Script');
  await script.fill('word '.repeat(38));
  await page.getByText('1 word over the recommended 37').waitFor();
  await page.getByText(/^1 of \d+ active members would be cut off, because the recorder stops at 30/).waitFor();
  const first = over.getByRole('listitem').first();
  await expect.poll(() => first.textContent()).toMatch(/^Ana Ng60 words per minute38\ss$/);
  await expectAccessible(page);
  await script.fill('word '.repeat(37));
  await page.getByText('Short enough to be watched to the end').waitFor();
});

test('a script that would be cut off is saved only after a question, and is marked in the list', async () => {
  const slug = 'project_complete';
  const page = await openTouchpoint(slug);
  const { version } = await read(slug);
  await box(page, 'Script').fill('word '.repeat(80));
  await page.getByText('Will be cut off: the recorder stops at 30').waitFor();
  await button(page, 'Save').click();
  const question = page.getByRole('alertdialog', { name: 'This script will be cut off' });
  await question.getByText(/It takes about 32\ss at the usual pace/).waitFor();
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Cancel' }).click();
  expect(await read(slug)).toMatchObject({ version });
  await button(page, 'Save').click();
  await question.getByRole('button', { name: 'Save anyway' }).click();
  await page.getByText('Saved. Your changes are live.').waitFor();
  expect(await read(slug)).toMatchObject({ version: version + 1 });
  await page.getByRole('link', { name: 'Back to Touchpoints' }).click();
  await page.getByText('Script will be cut off').waitFor();
});

test('the history shows variables as they are in the editor, and a problem opens the tab of its field', async () => {
  const slug = 'project_kickoff';
  const page = await openTouchpoint(slug);
  const { version } = await read(slug);
  const body = { version, script: 'Hi {{ recipient.first_name | truncate: 9 }}.' };
  await fixture.owner.call('POST /touchpoints/{slug}', { params: { slug }, body });
  await button(page, 'More for this touchpoint').click();
  await page.getByRole('menuitem', { name: 'History' }).click();
  const after = page.getByRole('dialog').getByRole('definition').nth(1);
  await expect.poll(() => after.textContent()).toBe('Hi Recipient: first name, up to 9 characters.');
  await page.keyboard.press('Escape');
  await tab(page, 'Page').click();
  await page.getByRole('textbox', { name: /^Button label/ }).fill('Leave a review');
  await tab(page, 'Text').click();
  await button(page, 'Save').click();
  await page
    .getByRole('textbox', { name: /^Button URL/ })
    .and(page.locator(':focus'))
    .waitFor();
  await page.getByText('Not saved. Correct the marked fields.').waitFor();
});

test('the second of two editors sees both values of a field, chooses, and can undo', async () => {
  const slug = 'new_inspection';
  const page = await openTouchpoint(slug);
  await button(page, 'Rename').click();
  await box(page, 'Name').fill('Mine');
  await tab(page, 'Delivery').click();
  await box(page, 'Time to record').fill('9');
  await page.getByRole('combobox', { name: 'Unit' }).selectOption('hour');
  const { version } = await read(slug);
  const body = { version, name: 'Theirs', reminds: false };
  await fixture.owner.call('POST /touchpoints/{slug}', { params: { slug }, body });
  // At once by a live update, otherwise when the draft is saved.
  const conflict = page.getByRole('alert').filter({ hasText: 'Someone else changed this touchpoint' });
  await conflict.or(button(page, 'Save')).first().click({ trial: true });
  if (!(await conflict.isVisible())) await button(page, 'Save').click();
  await conflict.waitFor();
  expect(await conflict.getByRole('definition').allTextContents()).toEqual(['Theirs', 'Mine']);
  expect(await read(slug)).toMatchObject({ name: 'Theirs', minutes_to_record: 3 * 1440, version: version + 1 });
  await expectAccessible(page);
  await button(page, 'Use theirs').click();
  expect(await box(page, 'Name').inputValue()).toBe('Theirs');
  expect(await box(page, 'Time to record').inputValue()).toBe('9');
  await button(page, 'Save').click();
  await page.getByText('Saved. Your changes are live.').waitFor();
  expect(await read(slug)).toMatchObject({ name: 'Theirs', minutes_to_record: 9 * 60, reminds: false });

  await button(page, 'More for this touchpoint').click();
  await page.getByRole('menuitem', { name: 'History' }).click();
  const undo = button(page, 'Undo: Name, Remind members who haven’t recorded yet');
  await undo.waitFor();
  await expectAccessible(page);
  await undo.click();
  await button(page, 'Undo change').click();
  await page.getByText('Change undone.').waitFor();
  expect(await read(slug)).toMatchObject({ name: 'New inspection', minutes_to_record: 9 * 60, reminds: true });
  await page.keyboard.press('Escape');
  await button(page, 'More for this touchpoint').click();
  await page.getByRole('menuitem', { name: 'Reset to original' }).click();
  await button(page, 'Reset').click();
  await page.getByText('Reset to the original.').waitFor();
  expect(await read(slug)).toMatchObject({ minutes_to_record: 3 * 1440 });
});

test('on a phone, the button is hidden with a checkbox, and its label and URL stay saved', async () => {
  const page = await openTouchpoint('project_update', PHONE);
  await tab(page, 'Page').click();
  const preview = page.frameLocator('iframe');
  await page.getByRole('textbox', { name: /^Button label/ }).fill('Leave a review');
  await page.getByRole('textbox', { name: /^Button URL/ }).fill('https://acme.example/review');
  await preview.getByText('Leave a review').waitFor();
  const shows = page.getByRole('checkbox', { name: 'Show the button on the page' });
  expect(await shows.isChecked()).toBe(true);
  await shows.uncheck();
  await expect.poll(() => preview.getByText('Leave a review').count()).toBe(0);
  await expectAccessible(page);
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  expect(overflow).toBeLessThanOrEqual(0);
  await button(page, 'Save').click();
  await page.getByText('Saved. Your changes are live.').waitFor();
  expect(await read('project_update')).toMatchObject({ action_label: 'Leave a review', shows_action: false });
});

test('touchpoints are reordered by keyboard, positions are announced, and an order that is not saved stays as it was', async () => {
  const page = await openTouchpoint(null);
  const rows = page.locator('.moment');
  const slugAt = (place: number) => rows.nth(place).getAttribute('data-id');
  const [first = '', second = ''] = [await slugAt(0), await slugAt(1)].map(String);
  const firstTwo = async () => (await orderInApi()).filter((slug) => [first, second].includes(slug));
  const moveDown = async (place: number) => {
    await rows
      .nth(place)
      .getByRole('button', { name: /^More / })
      .focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Duplicate');
    await page.keyboard.press('End');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Move down');
    await page.keyboard.press('Enter');
  };
  expect(await firstTwo()).toEqual([first, second]);
  await moveDown(0);
  await page.getByText(/moved to position 2 of/).waitFor();
  await expect.poll(firstTwo).toEqual([second, first]);
  await expect.poll(() => page.evaluate(`document.activeElement.closest('.moment')?.dataset.id`)).toBe(first);

  await rows
    .nth(1)
    .getByRole('button', { name: /^More / })
    .click();
  await page.getByRole('menuitem', { name: 'Move to top' }).click();
  await expect.poll(() => slugAt(0)).toBe(first);
  expect(await firstTwo()).toEqual([first, second]);
  await expectAccessible(page);

  await page.route('**/console/api/touchpoint-order', (route) => route.fulfill({ status: 503 }));
  await moveDown(0);
  await page.getByText('can’t be read').waitFor();
  expect(await slugAt(0)).toBe(first);
  expect(await firstTwo()).toEqual([first, second]);
});

test('on a phone, turning off a touchpoint explains the effect and asks first', async () => {
  const page = await openTouchpoint(null, PHONE);
  await expectAccessible(page);
  await page.getByRole('switch', { name: 'Decision follow-up is on' }).click();
  await page.getByText('rejected with 422 touchpoint_not_found').waitFor();
  expect((await read('decision_follow_up')).active).toBe(true);
  await expectAccessible(page);
  await button(page, 'Turn off').click();
  await page.getByText('Decision follow-up is off.').waitFor();
  expect((await read('decision_follow_up')).active).toBe(false);
});

test('on a phone, a new touchpoint gets a slug from its name, and a copy gets a name', async () => {
  const page = await openTouchpoint(null, PHONE);
  await button(page, 'New touchpoint').click();
  await box(page, 'Name').fill('After the storm');
  const slug = page.getByRole('textbox', { name: /^Slug/ });
  expect(await slug.getAttribute('placeholder')).toBe('after_the_storm');
  await slug.fill('new_appointment');
  await button(page, 'Create').click();
  await page.getByText(/^Already belongs to "/).waitFor();
  await slug.fill('');
  await page.getByRole('radio', { name: /^Milestone/ }).check();
  await expectAccessible(page);
  await button(page, 'Create').click();
  await page.getByRole('heading', { name: 'After the storm', level: 1 }).waitFor();
  await box(page, 'Script').waitFor();
  await expectAccessible(page);
  expect(await read('after_the_storm')).toMatchObject({ context: 'milestone', active: false });
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - window.innerWidth');
  expect(overflow).toBeLessThanOrEqual(0);

  await button(page, 'More for this touchpoint').click();
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await button(page, 'Duplicate').click();
  await page.getByRole('heading', { name: 'After the storm (copy)', level: 1 }).waitFor();
  expect((await read('after_the_storm_copy')).name).toBe('After the storm (copy)');
});
