import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openService, type ServiceFixture } from '../acceptance/support/service.ts';
import { type ConsoleClient, openConsole } from '../console/console-client.ts';
import { openChromium } from './chromium.ts';
import { signIn } from './console-browser.ts';
import { openTestPage, type TestPage } from './console-test-page.ts';
import { button, expectAccessible } from './page-actions.ts';

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 160 40"><rect width="160" height="40" fill="#14508f"/></svg>';

let fixture: ServiceFixture;
let browser: Browser;
let colleague: ConsoleClient;

beforeAll(async () => {
  fixture = await openService();
  browser = await openChromium();
  const { id } = fixture.organization;
  for (const email of ['olive@acme.example', 'max@acme.example']) {
    const names = ['--first-name', 'Olive', '--last-name', 'Stone', '--email', email, '--role', 'manager'];
    await fixture.run('member', 'create', '--org', id, ...names);
  }
  const { service, environment } = fixture;
  colleague = await openConsole({ url: service.url, environment }, { org: id, email: 'max@acme.example' });
});

afterAll(async () => {
  await browser.close();
  await fixture.close();
});

/** Opens the brand page as a manager. */
async function openBrand(viewport: { width: number; height: number }): Promise<TestPage> {
  const link = await fixture.run('signin', '--org', fixture.organization.id, '--email', 'olive@acme.example');
  const opened = await openTestPage(browser, { viewport });
  const { page } = opened;
  await signIn(page, fixture.service.url, link.url);
  await page.getByRole('link', { name: 'Brand', exact: true }).click();
  await page.getByRole('heading', { name: 'Name and logo' }).waitFor();
  return opened;
}

/** Ignores the 409 that a test expects. */
const expectNoErrors = (errors: string[]) => expect(errors.filter((error) => error !== '409')).toEqual([]);

const frameOf = (page: Page) => page.frameLocator('iframe[title^="The recipient"]');

test('a manager edits the brand with a live preview and saves with the keyboard', async () => {
  const { page, errors } = await openBrand({ width: 1280, height: 800 });
  const name = page.getByRole('textbox', { name: 'Name' });
  await name.fill('Acme Roofing & Sons');
  await frameOf(page).getByText('Acme Roofing & Sons', { exact: true }).first().waitFor();
  await page.getByRole('textbox', { name: /^Your color/ }).fill('#ffe9a0');
  await page.getByText('your color would not stand out here').waitFor();
  await page.getByRole('radio', { name: 'Text message' }).check({ force: true });
  await page.getByText(/Jane from Acme Roofing & Sons has a short personal video/).waitFor();
  await expectAccessible(page);
  await name.press('Enter');
  await page.getByText('Brand saved').waitFor();
  expect((await colleague.call('GET /brand')).body).toMatchObject({ name: 'Acme Roofing & Sons', accent: '#ffe9a0' });
  expectNoErrors(errors);
});

test('a new logo appears immediately on the form and in the preview, and an invalid file is rejected', async () => {
  const { page, errors } = await openBrand({ width: 1280, height: 800 });
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
  expectNoErrors(errors);
  await file.setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: Buffer.from('no picture') });
  await page.getByText('Is neither a PNG nor a JPEG.').waitFor();
  await button(page, 'Remove').click();
  await button(page, 'Remove logo').click();
  await page.getByText('Pages show your name instead').waitFor();
});

test('the brand page shows what someone else changed in the meantime, keeps what was typed, and saves both', async () => {
  const { page, errors } = await openBrand({ width: 1280, height: 800 });
  await page.getByRole('textbox', { name: /^License/ }).fill('ROC 77');
  const { logo_url: _, ...theirs } = (await colleague.call('GET /brand')).body;
  await colleague.call('POST /brand', { body: { ...theirs, name: 'Theirs' } });
  await button(page, 'Save').click();
  await page.getByText('They changed: name.').waitFor();
  expect((await colleague.call('GET /brand')).body).toMatchObject({ name: 'Theirs', license: null });
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('Theirs');
  expect(await page.getByRole('textbox', { name: /^License/ }).inputValue()).toBe('ROC 77');
  await button(page, 'Save').click();
  await page.getByText('Brand saved').waitFor();
  expect((await colleague.call('GET /brand')).body).toMatchObject({ name: 'Theirs', license: 'ROC 77' });
  expectNoErrors(errors);
});

test('on a phone the website is checked while typing, and an address with https:// is saved', async () => {
  const { page } = await openBrandOnPhone();
  const website = page.getByRole('textbox', { name: /^Website/ });
  await website.fill('acme.example');
  await page.getByText('Must be an address of at most 200 characters that starts with https://').waitFor();
  expect(await website.getAttribute('aria-invalid')).toBe('true');
  await expectAccessible(page);
  await website.fill('https://acme.example/');
  await button(page, 'Save').click();
  await page.getByText('Brand saved').waitFor();
  expect((await colleague.call('GET /brand')).body.website).toBe('https://acme.example/');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});

test('on a phone the form and the preview are separate views, and typing finds a time zone', async () => {
  const { page, errors } = await openBrandOnPhone();
  await page.getByRole('combobox', { name: 'Time zone' }).click();
  await page.keyboard.type('Denver');
  await page.getByRole('option', { name: /Denver, America/ }).waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await button(page, 'Save').click();
  await page.getByText('Brand saved').waitFor();
  expect((await colleague.call('GET /brand')).body.timezone).toBe('America/Denver');
  await expectAccessible(page);
  await page.getByRole('radio', { name: 'Preview' }).check({ force: true });
  await frameOf(page).getByText('For Sarah').waitFor();
  expect(await page.getByRole('heading', { name: 'Contact' }).isVisible()).toBe(false);
  expectNoErrors(errors);
});

test('the hours for texts are saved, recorded in the audit log, and say that the law of the state applies as well', async () => {
  const { page, errors } = await openBrand({ width: 1280, height: 800 });
  await page.getByText('For US numbers, the hours of their state’s law apply as well.').waitFor();
  const hours = (label: string) => page.getByRole('combobox', { name: label });
  await hours('Send texts from').selectOption('420');
  await page.getByText('US numbers are still texted only from 8 AM to 9 PM').waitFor();
  await hours('Send texts from').selectOption('600');
  await hours('Send texts until').selectOption('1140');
  await expectAccessible(page);
  await button(page, 'Save').click();
  await page.getByText('Brand saved').waitFor();
  expect((await colleague.call('GET /brand')).body).toMatchObject({ texts_from: 600, texts_until: 1140 });
  const entries = await fixture.database.query<{ fields: string[] }>(
    "select fields from audit_entries where action = 'brand.changed' order by id desc limit 1",
  );
  expect(entries[0]?.fields).toEqual(expect.arrayContaining(['texts_from', 'texts_until']));
  expectNoErrors(errors);
});

async function openBrandOnPhone() {
  const opened = await openBrand({ width: 1280, height: 800 });
  await opened.page.setViewportSize({ width: 390, height: 844 });
  return opened;
}
