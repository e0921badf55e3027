import fs from 'node:fs';
import { expect, test } from 'vitest';
import { idBound } from '../../src/platform/ids.ts';
import { openTeam } from '../console/team-fixture.ts';
import { openConsoleTests } from './console-test-page.ts';
import { expectAccessible } from './page-actions.ts';

const HOUR_MS = 3_600_000;

const { fixture, open, openShared } = await openConsoleTests(openTeam());
const { page, errors } = await openShared('/overview');

async function addIntro(number: number, agoMs: number, status: 'requested' | 'sent'): Promise<void> {
  const requestedAt = new Date(Date.now() - agoMs);
  const later = status === 'sent' ? new Date(requestedAt.getTime() + HOUR_MS) : null;
  await fixture.database.query(
    `insert into intros (organization_id, environment, id, status, touchpoint_slug, member_id, recipient_first_name,
       recipient_phone, instructed, responsibility, metadata, created_at, expires_at, recorded_at, sent_at, opened_at)
     values ($1, 'test', $2, $3, 'new_appointment', $4, $5, '+14155550123', false, 'integration', '{}', $6, $7, $8, $8, $8)`,
    [
      ...[fixture.organization.id, `${idBound('int', requestedAt)}${String(number).padStart(16, '0')}`, status],
      ...[fixture.organization.memberId, `Dana ${number}`, requestedAt, new Date(Date.now() + 5 * HOUR_MS), later],
    ],
  );
}

test('the overview shows a new organization its setup instead of empty statistics', async () => {
  await page.getByRole('heading', { name: 'Set up Foreword' }).waitFor();
  const first = page.getByRole('link', { name: /^To do.*Start your first intro/ });
  expect(await first.getAttribute('href')).toBe('/console/intros/new?to=me');
  expect(await page.getByRole('heading', { name: 'Results' }).count()).toBe(0);
  await expectAccessible(page);
  expect(errors).toEqual([]);
});

test('the overview shows results, as a chart and as a table with the same numbers', async () => {
  for (const number of [1, 2, 3]) await addIntro(number, 40 * HOUR_MS, 'sent');
  await addIntro(4, 20 * 24 * HOUR_MS, 'sent');
  await addIntro(5, 3 * HOUR_MS, 'requested');
  await page.reload();
  await page.getByText('5 intros requested in the last 30 days.').waitFor();
  await page.getByRole('radio', { name: 'Days', exact: true }).check();
  const chart = page.getByRole('img', { name: /^Bar chart by day: 5 requested, 4 recorded/ });
  await chart.waitFor();
  await page.getByText('Show as a table').press('Enter');
  const table = page.getByRole('table', { name: 'Days' });
  expect(await table.getByRole('row').count()).toBe(31);
  await page.getByRole('radio', { name: 'Touchpoints' }).check();
  expect(await page.getByRole('row', { name: /New appointment/ }).textContent()).toMatch(/5.*4 80%/);
  await expectAccessible(page);
  expect(errors).toEqual([]);
});

test('one retry loads all parts of the overview that failed', async () => {
  const { page: other } = await open('/account', { mayFail: [409] });
  await other.route('**/console/api/overview/*', (route) => route.fulfill({ status: 409 }));
  await other.getByRole('link', { name: 'Overview' }).click();
  const retry = other.getByRole('button', { name: 'Try again' });
  await retry.waitFor();
  await other.unroute('**/console/api/overview/*');
  await retry.click();
  await retry.waitFor({ state: 'detached' });
});

test('the overview’s period is chosen with the keyboard, kept in the URL, and exported', async () => {
  await page.getByRole('radio', { name: '30 days' }).focus();
  await page.keyboard.press('ArrowLeft');
  await page.getByRole('radio', { name: 'Total' }).check();
  await page.getByText('4 intros requested in the last 7 days.').waitFor();
  expect(new URL(page.url()).search).toBe('?days=7');
  await page.getByRole('radio', { name: 'Members' }).check();
  await page.getByRole('table', { name: 'Members' }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export as CSV' }).click(),
  ]);
  expect(download.suggestedFilename()).toMatch(/^intros-.*\.csv$/);
  expect(
    fs
      .readFileSync(await download.path(), 'utf8')
      .trim()
      .split('\r\n'),
  ).toHaveLength(5);
});

test('the overview’s figures open lists with the same number of intros', async () => {
  for (const label of ['To record', 'Recorded', 'Sent in 7 days', 'Watched in 7 days']) {
    await page.goto(`${fixture.service.url}/console/overview?days=7`);
    const figure = page.getByRole('list', { name: 'Key figures' }).getByRole('link', { name: label });
    await expect.poll(() => figure.locator('.figure-skeleton').count()).toBe(0);
    const [count = ''] = /\d+/.exec((await figure.locator('.figure-value').textContent()) ?? '') ?? [];
    await figure.click();
    await page.getByRole('heading', { level: 1, name: 'Intros' }).waitFor();
    await expect
      .poll(() => page.locator('main .list-row a[href*="/intros/int_"]').count(), { message: label })
      .toBe(Number(count));
  }
});
