import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { openTeam } from '../console/team-fixture.ts';
import { DESKTOP, openConsoleTests, PHONE } from './console-test-page.ts';
import { button, expectAccessible } from './page-actions.ts';

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 40"><rect width="160" height="40" fill="#14508f"/></svg>';

const { fixture, open } = await openConsoleTests(openTeam());
const colleague = fixture.owner;

/** Opens the brand page as a manager. The server refuses what the tests enter wrong. */
async function openBrand(device = DESKTOP): Promise<Page> {
  const { page } = await open('/organization/brand', { client: fixture.manager, device, mayFail: [422] });
  await page.getByRole('heading', { name: 'Name and logo' }).waitFor();
  return page;
}

const frameOf = (page: Page) => page.frameLocator('iframe[title^="The recipient"]');

test('a manager edits the brand with a live preview and saves with the keyboard', async () => {
  const page = await openBrand();
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill('Acme Roofing & Sons');
  await frameOf(page).getByText('Acme Roofing & Sons', { exact: true }).first().waitFor();
  await page.getByRole('textbox', { name: /^Your color/ }).fill('#ffe9a0');
  await page.getByRole('radio', { name: 'Text message' }).check({ force: true });
  await page.getByText(/Jane from Acme Roofing & Sons has a short personal video/).waitFor();
  await expectAccessible(page);
  await name.press('Enter');
  await page.getByText('Brand saved').waitFor();
  expect((await colleague.call('GET /brand')).body).toMatchObject({ name: 'Acme Roofing & Sons', accent: '#ffe9a0' });
});

test('an error of a save is in view, and nothing that has the focus is behind the save bar', async () => {
  const { page, errors } = await open('/organization/brand', { client: fixture.manager });
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill('Acme');
  await name.focus();
  for (let step = 0; step < 8; step++) {
    await page.keyboard.press('Tab');
    const isCovered = await page.evaluate<boolean>(`(() => {
      const { left, top, width, height } = document.activeElement.getBoundingClientRect();
      const on = document.elementFromPoint(left + width / 2, top + height - 2);
      return on?.closest('.save-bar') !== document.activeElement.closest('.save-bar');
    })()`);
    expect(isCovered).toBe(false);
  }
  await page.route('**/console/api/brand', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 500 }) : route.fallback(),
  );
  await button(page, 'Save').click();
  const problem = page.getByRole('region', { name: 'Save' }).getByRole('alert');
  await problem.waitFor();
  const { y = -1, height = 0 } = (await problem.boundingBox()) ?? {};
  expect(y).toBeGreaterThan(0);
  expect(y + height).toBeLessThan(page.viewportSize()?.height ?? 0);
  expect(await page.getByText('Fix the errors in the form').count()).toBe(0);
  errors.splice(0);
  await button(page, 'Discard').click();
});

test('a new logo appears immediately on the form and in the preview, and an invalid file is rejected', async () => {
  const page = await openBrand();
  const file = page.locator('input[type=file]');
  await file.setInputFiles({ name: 'logo.svg', mimeType: 'image/svg+xml', buffer: Buffer.from(LOGO) });
  await page.getByRole('img', { name: 'Your logo' }).waitFor();
  await expect
    .poll(() =>
      frameOf(page)
        .locator('.brand img')
        .evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
    )
    .toBe(400);
  await expectAccessible(page);
  await file.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
  await page.getByText('Is neither a PNG nor a JPEG.').waitFor();
  await button(page, 'Remove').click();
  await button(page, 'Remove logo').click();
  await page.getByText('Pages show your name instead').waitFor();
});

test('on a phone, the website is checked while typing, typing finds a time zone, and the preview is a separate view', async () => {
  const page = await openBrand(PHONE);
  const website = page.getByRole('textbox', { name: /^Website/ });
  await website.fill('acme.example');
  await page.getByText('Must be an address of at most 200 characters that starts with https://').waitFor();
  expect(await website.getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page);
  await website.fill('https://acme.example/');
  await page.getByRole('combobox', { name: 'Time zone' }).click();
  await page.keyboard.type('Denver');
  await page.getByRole('option', { name: /Denver, America/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await button(page, 'Save').click();
  await page.getByText('Brand saved').waitFor();
  expect((await colleague.call('GET /brand')).body).toMatchObject({
    website: 'https://acme.example/',
    timezone: 'America/Denver',
  });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  await expectAccessible(page);
  await page.getByRole('radio', { name: 'Preview' }).check({ force: true });
  await frameOf(page).getByText('For Sarah').waitFor();
  expect(await page.getByRole('heading', { name: 'Contact' }).isVisible()).toBe(false);
});

test('the hours for texts are saved, recorded in the audit log, and say that the law of the state applies as well', async () => {
  const { page } = await open('/organization/texting');
  await page.getByText('For US numbers, the hours of their state’s law apply as well.').waitFor();
  const hours = (label: string) => page.getByRole('combobox', { name: label });
  await hours('Send texts from').selectOption('420');
  await page.getByText('US numbers are still texted only from 8 AM to 9 PM').waitFor();
  await hours('Send texts from').selectOption('600');
  await hours('Send texts until').selectOption('1140');
  await expectAccessible(page);
  await button(page, 'Save').click();
  await page.getByText('Texting hours saved').waitFor();
  expect((await colleague.call('GET /brand')).body).toMatchObject({ texts_from: 600, texts_until: 1140 });
  const entries = await fixture.database.query<{ fields: string[] }>(
    "select fields from audit_entries where action = 'brand.changed' order by id desc limit 1",
  );
  expect(entries[0]?.fields).toEqual(expect.arrayContaining(['texts_from', 'texts_until']));
});

test('an owner changes the language of the organization, and the preview follows', async () => {
  const { page } = await open('/organization/brand');
  await page.getByLabel('Language', { exact: true }).selectOption('Spanish');
  await frameOf(page).getByText('Su cita').waitFor();
  await expectAccessible(page);
  await button(page, 'Save').click();
  await page.getByText('Brand saved').waitFor();
  expect((await colleague.call('GET /brand')).body.language).toBe('es');
});
