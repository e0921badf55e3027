import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { idBound } from '../../src/platform/ids.ts';
import { openTouchpoints } from '../console/touchpoints-fixture.ts';
import { DESKTOP, openConsoleTests, PHONE } from './console-test-page.ts';
import { button, expectAccessible, untilHeading } from './page-actions.ts';

const SLUG = 'new_appointment';
const RESULTS_API = `**/console/api/touchpoints/${SLUG}/results`;
const MANY = 24;

const { fixture, open } = await openConsoleTests(openTouchpoints());

const openEditor = () =>
  open(`/touchpoints/${SLUG}#results`, { client: fixture.manager, device: { ...DESKTOP, reducedMotion: 'reduce' } });

const results = (page: Page) => page.getByRole('region', { name: 'Results by script version' });

/** Recorded after half an hour; of those sent, half are watched. */
const addIntros = (version: number, amount: number) =>
  fixture.database
    .sql`insert into intros (organization_id, environment, id, status, touchpoint_slug, touchpoint_version, member_id,
       recipient_first_name, recipient_phone, instructed, responsibility, metadata, created_at, recorded_at, sent_at, opened_at,
       watched_at)
     select ${fixture.organization.id}, 'test', ${idBound('int', new Date())} || lpad((${version} * 1000 + n)::text, 16, '0'), 'sent', ${SLUG}, ${version}, ${fixture.ownerId}, 'Dana', '+14155550123', true,
       'integration', '{}', now() - interval '1 hour', now() - interval '30 minutes', now(), now(),
       case when n % 2 = 0 then now() end
     from generate_series(1, ${amount}::int) n`;

test('without intros, the results say so; while they cannot load, the editor works and they can be retried', async () => {
  const { page, errors } = await openEditor();
  await results(page).getByText('No results yet').waitFor();
  await expectAccessible(page);
  await page.route(RESULTS_API, (route) => route.abort());
  await page.reload();
  await results(page).getByRole('button', { name: 'Try again' }).waitFor();
  await page.getByRole('link', { name: 'Script', exact: true }).waitFor();
  await page.unroute(RESULTS_API);
  // The requests that failed.
  errors.splice(0);
  await results(page).getByRole('button', { name: 'Try again' }).click();
  await results(page).getByText('No results yet').waitFor();
});

test('a manager compares the versions of a script, sees what changed, and which have too few intros', async () => {
  const { version } = await fixture.read(SLUG);
  const script = 'Hi {{ recipient.first_name }}, I will look at your roof soon.';
  const body = { version, script };
  const saved = await fixture.manager.call('POST /touchpoints/{slug}', { params: { slug: SLUG }, body });
  await addIntros(version, MANY);
  await addIntros(saved.body.version, 3);
  const { page } = await openEditor();
  for (const { viewport } of [DESKTOP, PHONE]) {
    await page.setViewportSize(viewport);
    const current = results(page).getByRole('row', { name: /Version 2/ });
    const first = results(page).getByRole('row', { name: /Version 1/ });
    await current.waitFor();
    expect(await current.textContent()).toMatch(/Current.*by manager Team.*3 intros: too few to compare/);
    expect(await first.textContent()).toMatch(/From the start/);
    expect(await first.textContent()).not.toContain('too few');
    // 24 intros, all recorded after half an hour and sent; half were watched, and none was tapped or answered.
    const cells = await first.getByRole('cell').allInnerTexts();
    const figures = ['24', '24 100% 30 min median', '24 100%', '24 100%', '12 50%', '0 0%', '0 0%'];
    for (const [index, cell] of cells.entries()) expect(cell.replaceAll(/\s+/g, ' ')).toContain(figures[index]);
    await results(page).getByText('Compare only versions with at least 20 intros.').waitFor();
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    await button(page, 'See what changed in version 2').click();
    const dialog = page.getByRole('dialog', { name: 'Script, version 2' });
    await untilHeading(page, 'Script, version 2');
    const shown = 'Hi Recipient: first name, I will look at your roof soon.';
    expect(await dialog.getByRole('definition').last().textContent()).toBe(shown);
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
  }
});
