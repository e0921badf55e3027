import { expect, test } from 'vitest';
import { createIntro } from '../acceptance/support/actions.ts';
import { openTeam } from '../console/team-fixture.ts';
import { openConsoleTests, PHONE } from './console-test-page.ts';
import { button, expectAccessible, untilHeading } from './page-actions.ts';

const { fixture: team, open } = await openConsoleTests(openTeam());

test('an owner finds who changed a role, in the organization’s zone, and opens the member', async () => {
  const { id } = await team.add({ first_name: 'Bo', last_name: 'Lee' });
  await team.manager.call('POST /members/{id}', { params: { id }, body: { title: 'estimator' } });
  await team.owner.call('POST /members/{id}', { params: { id }, body: { role: 'manager' } });
  await team.owner.call('POST /keys', { body: { name: 'Acme CRM' } });
  const { id: intro } = await createIntro(team.api);
  await team.api.post(`/v1/intros/${intro}/cancel`);
  const { page } = await open('/organization/activity');
  await untilHeading(page, 'Activity');
  await untilHeading(page, 'Today');
  await page.getByText('API key Tests').first().waitFor();
  await expectAccessible(page);

  await page.getByText('Filters', { exact: true }).click();
  await page.getByRole('combobox', { name: 'Action' }).selectOption({ label: 'Role changed' });
  const entry = page.locator('[data-action="member.role_changed"]');
  await expect.poll(() => page.locator('.activity-entry').count()).toBe(1);
  expect(await entry.textContent()).toMatch(/Role changed\s*Bo Lee.*C[DS]T · owner Team · Changed: role/);
  await entry.getByText('Details').click();
  await entry.getByText('IP address').waitFor();
  await entry.getByText(id).waitFor();
  await expectAccessible(page);
  await entry.getByRole('link', { name: 'Bo Lee' }).click();
  await untilHeading(page, 'Bo Lee');
  expect(new URL(page.url()).pathname).toBe(`/console/members/${id}`);
});

test('the activity log is searched by id and by person, says when nothing matches, and clears its filters', async () => {
  const { id } = await team.add();
  await team.manager.call('POST /members/{id}', { params: { id }, body: { title: 'estimator' } });
  const { page } = await open(`/activity?q=${id}&actor=${team.managerId}`);
  await expect.poll(() => page.locator('.activity-entry').count()).toBe(1);
  await page.getByLabel('Find an ID').fill('mem_unknown');
  await untilHeading(page, 'No matching activity');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await expect.poll(() => page.locator('.activity-entry').count()).toBeGreaterThan(1);
  expect(new URL(page.url()).search).toBe('');
  await page.getByText('Filters', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Until' }).fill('2020-01-31');
  await untilHeading(page, 'No matching activity');
  expect(new URL(page.url()).search).toBe('?to=2020-01-31');
  await page.getByRole('textbox', { name: 'From' }).fill('2020-01-01');
  await expect.poll(() => new URL(page.url()).search).toContain('from=2020-01-01');
  await expectAccessible(page);
});

test('the activity log loads older entries, and exports what the filters show', async () => {
  await team.database.sql`insert into audit_entries (organization_id, environment, id, at, action, actor_type)
     select ${team.organization.id}, 'test', 'aud_' || lpad(n::text, 26, '0'), now() - interval '3 days' - n * interval '1 minute', 'brand.changed', 'operator'
     from generate_series(1, 60) n`;
  const { page } = await open('/activity?action=brand', { device: PHONE });
  await expect.poll(() => page.locator('.activity-entry').count()).toBe(50);
  await button(page, 'Load more').click();
  await expect.poll(() => page.locator('.activity-entry').count()).toBe(60);
  await expectAccessible(page);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Export' }).click();
  expect((await download).suggestedFilename()).toMatch(/^activity-until-\d{4}-\d\d-\d\d\.csv$/);
});

test('a manager sees no sign-ins, keys, addresses and export; Ctrl+K opens the page', async () => {
  const { page } = await open('/overview', { client: team.manager });
  await untilHeading(page, 'Overview');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('activity');
  await page.getByRole('option', { name: 'Activity' }).click();
  await untilHeading(page, 'Activity');
  await page.locator('.activity-entry').first().waitFor();
  expect(await page.locator('[data-action^="session."], [data-action^="key."]').count()).toBe(0);
  expect(await page.getByRole('link', { name: 'Export' }).count()).toBe(0);
  await page.getByText('Details').first().click();
  expect(await page.getByText('IP address').count()).toBe(0);
  await expectAccessible(page);
});

test('an owner downloads the archive of the organization, and that of a recipient from an intro', async () => {
  const { id } = await createIntro(team.api);
  const { page } = await open('/organization/data');
  await untilHeading(page, 'Export your data');
  await page.getByText('and no videos.').waitFor();
  await expectAccessible(page);
  await page.route('**/console/api/export', (route) =>
    route.fulfill({ json: { intros: 1, videos: 0, bytes: 0, is_running: true } }),
  );
  await page.getByRole('link', { name: 'Download archive' }).click();
  await page.getByText('An export is already running.').waitFor();
  await expectAccessible(page);
  await page.unroute('**/console/api/export');
  const whole = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download archive' }).click();
  expect((await whole).suggestedFilename()).toMatch(/^foreword-org_\w+-\d{4}-\d\d-\d\d\.tar$/);
  await page.goto(`${team.service.url}/console/intros/${id}`);
  await page.locator('summary', { hasText: 'Developer' }).click();
  const recipient = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download archive' }).click();
  expect((await recipient).suggestedFilename()).toMatch(/^foreword-recipient-\d{4}-\d\d-\d\d\.tar$/);
});
