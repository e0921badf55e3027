import type { Browser, BrowserContextOptions } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTeamStage, type TeamStage } from '../console/team.ts';
import { openChromium } from './chromium.ts';
import { DESK, PHONE, tabTo, visitAs } from './console-visit.ts';
import { button, expectAccessible, untilHeading } from './studio.ts';

let stage: TeamStage;
let browser: Browser;

beforeAll(async () => {
  stage = await openTeamStage();
  browser = await openChromium();
});
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

const visit = (path: string, { who = stage.owner, device = DESK as BrowserContextOptions } = {}) =>
  visitAs(browser, who, `${stage.service.url}/console${path}`, device);

test('somebody is added, found by a part of the phone number, and changed', async () => {
  const { page, leave } = await visit('/members');
  await untilHeading(page, 'Members');
  await button(page, 'Add member').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('First name').fill('Nia');
  await dialog.getByLabel('Last name').fill('Quist');
  await dialog.getByLabel('Email', { exact: true }).fill('nia');
  await dialog.getByRole('button', { name: 'Add member' }).click();
  await dialog.getByText('Must be an e-mail address', { exact: false }).waitFor();
  await dialog.getByLabel('Email', { exact: true }).fill('nia@acme.example');
  await dialog.getByLabel('Mobile phone').fill('(415) 555-0188');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Add member' }).click();
  await untilHeading(page, 'Nia Quist');
  await page.getByLabel('Title').fill('estimator');
  await button(page, 'Save').click();
  await page.getByText('Member saved').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Back to Members' }).click();
  await page.getByRole('searchbox').fill('555 0188');
  await page.getByRole('link', { name: /Nia Quist estimator/ }).waitFor();
  await page.getByText('1 member', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('q')).toBe('555 0188');
  await expectAccessible(page);
  await leave(422);
});

test('a member is found, opened and saved by the keyboard alone', async () => {
  await stage.add({ first_name: 'Keyla', last_name: 'Board' });
  const { page, leave } = await visit('/members?q=keyla');
  await page.getByRole('link', { name: /Keyla Board/ }).waitFor();
  await tabTo(page, 'Keyla Board');
  await page.keyboard.press('Enter');
  await untilHeading(page, 'Keyla Board');
  await tabTo(page, 'Last name');
  await page.keyboard.type('Boardman');
  await page.keyboard.press('Enter');
  await page.getByText('Member saved').waitFor();
  await untilHeading(page, 'Keyla Boardman');
  await leave();
});

test('a file with bad lines is looked at, and only its good lines are written, once that was chosen', async () => {
  const { page, leave } = await visit('/members/import');
  await page.getByRole('heading', { name: 'Import members' }).waitFor();
  await expectAccessible(page);
  const csv =
    'First Name;Surname;E-Mail;Cell;Shoe size\r\nIda;Import;ida@acme.example;415-555-0142;44\r\nBad;Phone;bad@acme.example;12;\r\n';
  await page
    .getByLabel('Choose a file')
    .setInputFiles({ name: 'team.csv', mimeType: 'text/csv', buffer: Buffer.from(`\uFEFF${csv}`) });
  await button(page, 'Review changes').click();
  await untilHeading(page, 'Review changes');
  await page.getByText('Ignored columns: “Shoe size”.', { exact: false }).waitFor();
  const lines = page.getByRole('list', { name: 'Rows' });
  expect(await lines.textContent()).toMatch(/Row 3.*Phone: Must be a mobile number/);
  expect(await button(page, /^Add 1 member/).count()).toBe(0);
  await page.getByRole('radio', { name: /^Skip them/ }).check();
  await expectAccessible(page);
  await button(page, 'Add 1 member').click();
  await untilHeading(page, 'Import finished');
  await page.getByText('1 added and 1 skipped').waitFor();
  const { body } = await stage.owner.call('GET /members', { query: { q: '5550142' } });
  expect(body.members.map(({ email }) => email)).toEqual(['ida@acme.example']);
  expect((await stage.owner.call('GET /members', { query: { q: 'bad@' } })).body.members).toEqual([]);
  await leave();
});

test('a file of an older spreadsheet keeps its accents, and problems are shown first', async () => {
  const { page, leave } = await visit('/members/import');
  const csv = 'first_name,last_name,email\nRenée,Núñez,renee@acme.example\n,Nobody,nobody@acme.example\n';
  await page
    .getByLabel('Choose a file')
    .setInputFiles({ name: 'team.csv', mimeType: 'text/csv', buffer: Buffer.from(csv, 'latin1') });
  await button(page, 'Review changes').click();
  await untilHeading(page, 'Review changes');
  const lines = page.getByRole('list', { name: 'Rows' });
  expect(await lines.getByRole('listitem').allTextContents()).toEqual([expect.stringContaining('Row 3')]);
  await page.getByRole('radio', { name: 'To add 1' }).check({ force: true });
  await lines.getByText('Renée Núñez').waitFor();
  await page.getByRole('radio', { name: /^Skip them/ }).check();
  await button(page, 'Add 1 member').click();
  await untilHeading(page, 'Import finished');
  const { body } = await stage.owner.call('GET /members', { query: { q: 'renee@acme' } });
  expect(body.members.map(({ first_name }) => first_name)).toEqual(['Renée']);
  await leave();
});

test('on a phone: a refusal leads to its field, and what was typed outlives a closed dialog', async () => {
  const { page, leave } = await visit('/members', { device: PHONE });
  await button(page, 'Add member').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Last name').fill('Kept');
  await dialog.getByRole('button', { name: 'Add member' }).click();
  await dialog.getByText('Must not be empty.').waitFor();
  await dialog.getByLabel('First name').and(page.locator(':focus')).waitFor();
  await expect.poll(async () => (await dialog.getByLabel('First name').boundingBox())?.y ?? -1).toBeGreaterThan(0);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await button(page, 'Add member').click();
  expect(await dialog.getByLabel('Last name').inputValue()).toBe('Kept');
  await leave(422);
});

test('an import whose team changed meanwhile is shown anew, and nothing of it was written', async () => {
  const { page, leave } = await visit('/members/import');
  await page.getByLabel('File contents').fill('first,last,email\nMo,Twice,mo@acme.example\nLu,Once,lu@acme.example');
  await button(page, 'Review changes').click();
  await stage.add({ first_name: 'Mo', last_name: 'Twice', email: 'mo@acme.example' });
  await button(page, 'Add 2 members').click();
  await page.getByText('The team has changed since your last review', { exact: false }).waitFor();
  expect((await stage.owner.call('GET /members', { query: { q: 'lu@' } })).body.members).toEqual([]);
  await button(page, 'Add 1 member').click();
  await untilHeading(page, 'Import finished');
  await leave(409);
});

test('somebody leaves: on a phone, with an open intro for another member, and comes back', async () => {
  const [member, other] = [
    await stage.add({ first_name: 'Lea', last_name: 'Ving' }),
    await stage.add({ first_name: 'Sue', last_name: 'Cessor' }),
  ];
  const { body: intro } = await stage.org.api.post('/v1/intros', {
    member: { id: member.id },
    recipient: { first_name: 'Dana', phone: '+14155550123' },
  });
  const { page, leave } = await visit(`/members/${member.id}`, { device: PHONE });
  await untilHeading(page, 'Lea Ving');
  await button(page, 'Deactivate').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('radio', { name: /^Reassign/ }).check();
  await dialog.getByRole('button', { name: 'Deactivate' }).click();
  await dialog.getByText('Choose a member.').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('combobox', { name: 'Reassign to' }).click();
  await page.getByRole('combobox', { name: 'Search members' }).fill('cessor');
  await page.getByRole('option', { name: /Sue Cessor/ }).click();
  await dialog.getByRole('button', { name: 'Deactivate' }).click();
  await page.getByText('Lea Ving was deactivated. Open intros: 1 reassigned.').waitFor();
  expect((await stage.org.api.get(`/v1/intros/${intro.id}`)).body.member.id).toBe(other.id);
  await button(page, 'Replace videos').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Replace videos' }).click();
  await button(page, 'Show videos again').waitFor();
  await expectAccessible(page);
  await button(page, 'Reactivate').click();
  await page.getByText('Lea Ving is active again.').waitFor();
  await leave();
});

test('a manager is offered nothing that only owners do, and a member not the page at all', async () => {
  const { page, leave } = await visit(`/members/${stage.ownerId}`, { who: stage.manager });
  await untilHeading(page, 'owner Team');
  expect(await page.getByLabel('Role').isDisabled()).toBe(true);
  expect(await page.getByLabel('Email', { exact: true }).isDisabled()).toBe(true);
  expect(await button(page, 'Deactivate').count()).toBe(0);
  await leave();
  const { page: other, leave: leaveOther } = await visit('/members', { who: stage.member });
  await untilHeading(other, 'Only for owners and managers');
  await leaveOther();
});
