import { expect, test } from 'vitest';
import { openTeam } from '../console/team-fixture.ts';

import { openConsoleTests, PHONE } from './console-test-page.ts';
import { button, expectAccessible, untilHeading } from './page-actions.ts';

const { fixture, open } = await openConsoleTests(openTeam());

test('a member is added, found by part of the phone number, and edited', async () => {
  const { page, close } = await open('/members');
  await untilHeading(page, 'Members');
  await button(page, 'Add member').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('First name').fill('Nia');
  await dialog.getByLabel('Last name').fill('Quist');
  await dialog.getByLabel('Email', { exact: true }).fill('nia');
  await dialog.getByRole('button', { name: 'Add member' }).click();
  await dialog.getByText('Must be an email address', { exact: false }).waitFor();
  await dialog.getByLabel('Email', { exact: true }).fill('nia@acme.example');
  const welcome = dialog.getByRole('checkbox', { name: 'Send a welcome text with a practice recording' });
  expect(await welcome.count()).toBe(0);
  await dialog.getByLabel('Mobile phone').fill('(415) 555-0188');
  expect(await welcome.isChecked()).toBe(true);
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Add member' }).click();
  await untilHeading(page, 'Nia Quist');
  await page
    .getByRole('link', { name: /^Alex \(practice\)/ })
    .first()
    .waitFor();
  await page.getByRole('textbox', { name: /^Title optional$/ }).fill('estimator');
  await button(page, 'Save').click();
  await page.getByText('Member saved').waitFor();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Back to Members' }).click();
  await page.getByRole('searchbox').fill('555 0188');
  await page.getByRole('link', { name: /Nia Quist estimator/ }).waitFor();
  await page.getByText('1 member', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('q')).toBe('555 0188');
  await expectAccessible(page);
  await close(422);
});

test('an import with invalid lines is previewed, and only the valid lines are imported on request', async () => {
  const { page } = await open('/members/import');
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
  await expectAccessible(page);
  await button(page, 'Add 1 member and skip 1 row').click();
  await untilHeading(page, 'Import finished');
  await page.getByText('1 added and 1 skipped').waitFor();
  const { body } = await fixture.owner.call('GET /members', { query: { q: '5550142' } });
  expect(body.members.map(({ email }) => email)).toEqual(['ida@acme.example']);
  expect((await fixture.owner.call('GET /members', { query: { q: 'bad@' } })).body.members).toEqual([]);
});

test('an import in an older encoding keeps its accents, and problems are listed first', async () => {
  const { page } = await open('/members/import');
  const csv = 'first_name,last_name,email\nRenée,Núñez,renee@acme.example\n,Noname,noname@acme.example\n';
  await page
    .getByLabel('Choose a file')
    .setInputFiles({ name: 'team.csv', mimeType: 'text/csv', buffer: Buffer.from(csv, 'latin1') });
  await button(page, 'Review changes').click();
  await untilHeading(page, 'Review changes');
  const lines = page.getByRole('list', { name: 'Rows' });
  const [problem, added] = await lines.getByRole('listitem').allTextContents();
  expect(problem).toContain('Row 3');
  expect(added).toContain('Renée Núñez');
  await button(page, 'Add 1 member and skip 1 row').click();
  await untilHeading(page, 'Import finished');
  const { body } = await fixture.owner.call('GET /members', { query: { q: 'renee@acme' } });
  expect(body.members.map(({ first_name }) => first_name)).toEqual(['Renée']);
});

test('on a phone, an error moves the focus to its field, and a closed dialog keeps what was typed', async () => {
  const { page, close } = await open('/members', { device: PHONE });
  await button(page, 'Add member').click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Last name').fill('Kept');
  await dialog.getByRole('button', { name: 'Add member' }).click();
  // All problems at once, and the first one has the focus.
  await dialog.getByText('Enter a first name.').waitFor();
  await dialog.getByText('Enter an email address.').waitFor();
  await dialog.getByLabel('First name').and(page.locator(':focus')).waitFor();
  await expect.poll(async () => (await dialog.getByLabel('First name').boundingBox())?.y ?? -1).toBeGreaterThan(0);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await button(page, 'Add member').click();
  expect(await dialog.getByLabel('Last name').inputValue()).toBe('Kept');
  await close();
});

test('an import is previewed again if the team changed in the meantime, and imports nothing before that', async () => {
  const { page, close } = await open('/members/import');
  await page.getByLabel('File contents').fill('first,last,email\nMo,Twice,mo@acme.example\nLu,Once,lu@acme.example');
  await button(page, 'Review changes').click();
  await button(page, 'Add 2 members').waitFor();
  await fixture.add({ first_name: 'Mo', last_name: 'Twice', email: 'mo@acme.example' });
  await button(page, 'Add 2 members').click();
  await page.getByText('The team has changed since your last review', { exact: false }).waitFor();
  expect((await fixture.owner.call('GET /members', { query: { q: 'lu@' } })).body.members).toEqual([]);
  await button(page, 'Add 1 member').click();
  await untilHeading(page, 'Import finished');
  await close(409);
});

test('on a phone, deactivating a member reassigns their open intro by default, and they are reactivated', async () => {
  const [member, other] = [
    await fixture.add({ first_name: 'Lea', last_name: 'Ving' }),
    await fixture.add({ first_name: 'Sue', last_name: 'Cessor' }),
  ];
  const { body: intro } = await fixture.api.post('/v1/intros', {
    member: { id: member.id },
    recipient: { first_name: 'Dana', phone: '+14155550123' },
  });
  const { page } = await open(`/members/${member.id}`, { device: PHONE });
  await untilHeading(page, 'Lea Ving');
  await button(page, 'Deactivate').click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('radio', { name: /^Reassign/ }).isChecked()).toBe(true);
  await dialog.getByRole('button', { name: 'Deactivate' }).click();
  await dialog.getByText('Choose a member.').waitFor();
  await expectAccessible(page);
  await dialog.getByRole('combobox', { name: 'Reassign to' }).click();
  await page.getByRole('combobox', { name: 'Search members' }).fill('cessor');
  await page.getByRole('option', { name: /Sue Cessor/ }).click();
  await dialog.getByRole('button', { name: 'Deactivate' }).click();
  await page.getByText('Lea Ving was deactivated.').waitFor();
  expect((await fixture.api.get(`/v1/intros/${intro.id}`)).body.member.id).toBe(other.id);
  await button(page, 'Replace videos').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Replace videos' }).click();
  await button(page, 'Show videos again').waitFor();
  await expectAccessible(page);
  await button(page, 'Reactivate').click();
  await page.getByText('Lea Ving is active again.').waitFor();
});

test('a manager has no owner actions on the members page', async () => {
  const { page } = await open(`/members/${fixture.ownerId}`, { client: fixture.manager });
  await untilHeading(page, 'owner Team');
  expect(await page.getByLabel('Role').isDisabled()).toBe(true);
  expect(await page.getByLabel('Email', { exact: true }).isDisabled()).toBe(true);
  expect(await button(page, 'Deactivate').count()).toBe(0);
});

test('a member whose email bounces is marked in the list, and on their page until the address is confirmed', async () => {
  const { database, organization } = fixture;
  await database.sql`insert into members (organization_id, environment, id, first_name, last_name, email, lanes, role, active, notify_by,
       created_at, bounced_email, email_bounced_at, email_bounce_reason)
     select organization_id, environment, 'mem_01kahzv8e1f0rtx5m2q6n9d3zz', 'Otto', 'Bounce', 'otto@acme.example', '{}', 'member',
       true, 'email', now(), 'otto@acme.example', now() - interval '3 hours', '550 5.1.1 no such user'
     from members where id = ${organization.memberId}`;
  const { page } = await open('/members?q=otto', { device: PHONE });
  const row = page.getByRole('link', { name: /Otto Bounce/ });
  await row.getByText('Email bounces').waitFor();
  await expectAccessible(page);
  await row.click();
  await untilHeading(page, 'Otto Bounce');
  await page.getByText('Emails to this address bounce').waitFor();
  await page.getByText('550 5.1.1 no such user', { exact: false }).waitFor();
  await expectAccessible(page);
  await button(page, 'The address works').click();
  await page.getByText('Emails are sent to this address again.').waitFor();
  await page.getByText('Emails to this address bounce').waitFor({ state: 'detached' });
});
