import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { NOW, openPages, type PageIntro, type PageSetup } from './page-fixture.ts';

const PHONE = '+14155550123';
const fixture = await forFile(openPages());

/** As a browser submits a form without fields. */
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const send = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${fixture.url}${path}/opt-out`, { method: 'POST', headers: { ...FORM, ...headers }, body: '' });

const optOutRowsOf = async ({ organizationId }: PageIntro) => ({
  consents: await fixture.database.sql`select phone, kind, source, created_at from consents
    where organization_id = ${organizationId}`,
  optOuts: await fixture.database.sql`select phone, source, opted_out_at from opt_outs
    where organization_id = ${organizationId}`,
});
const NOTHING = { consents: [], optOuts: [] };
const ONCE = {
  consents: [{ phone: PHONE, kind: 'opt_out', source: 'page', created_at: NOW }],
  optOuts: [{ phone: PHONE, source: 'page', opted_out_at: NOW }],
};

test('one tap opts the number out with the page as its source, publishes one event, and confirms it in the brand', async () => {
  const intro = await fixture.createIntro({ organization: { accent: '#8a2f1d' } });
  const before = fixture.optedOut.length;
  const response = await send(intro.path);
  const text = await response.text();
  expect(response.status).toBe(200);
  expect(text).toContain('No more text messages');
  expect(text).toContain('Acme Roofing');
  expect(text).toContain('#8a2f1d');
  expect(text).not.toContain(PHONE);
  expect(response.headers.get('cache-control')).toMatch(/no-store|no-cache/);
  expect(await optOutRowsOf(intro)).toEqual(ONCE);
  expect((await send(intro.path)).status).toBe(200);
  expect(await optOutRowsOf(intro)).toEqual(ONCE);
  expect(fixture.optedOut.slice(before)).toEqual([PHONE]);
  expect(await fixture.intro(intro.id)).toMatchObject({ status: 'ready', opened_at: null });
});

test('a form from another site is refused with 403 and changes nothing', async () => {
  const intro = await fixture.createIntro();
  expect((await send(intro.path, { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  expect(await optOutRowsOf(intro)).toEqual(NOTHING);
});

test('following the address, as a reload does, redirects to the page and changes nothing', async () => {
  const intro = await fixture.createIntro();
  for (const method of ['GET', 'HEAD']) {
    const response = await fetch(`${fixture.url}${intro.path}/opt-out`, { method, redirect: 'manual' });
    expect([response.status, response.headers.get('location')]).toEqual([303, intro.path]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'private, no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
    });
  }
  const shown = await fetch(`${fixture.url}${intro.path}/opt-out`);
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Dana')]);
  expect(await optOutRowsOf(intro)).toEqual(NOTHING);
});

test.each([
  { setup: { status: 'cancelled' }, status: 410, heading: 'This page has closed' },
  { setup: { status: 'expired' }, status: 410, heading: 'This page has closed' },
  { setup: { status: 'requested', video: null }, status: 404, heading: 'Page not found' },
])('an intro that is $setup.status answers $status, and nothing changes', async ({ setup, status, heading }) => {
  const intro = await fixture.createIntro(setup as PageSetup);
  const followed = await fetch(`${fixture.url}${intro.path}/opt-out`, { redirect: 'manual' });
  for (const response of [await send(intro.path), followed]) {
    expect(response.status).toBe(status);
    expect(await response.text()).toContain(heading);
  }
  expect(await optOutRowsOf(intro)).toEqual(NOTHING);
});

test('a large body is refused with 413 and changes nothing', async () => {
  const intro = await fixture.createIntro();
  const body = `x=${'y'.repeat(10_000)}`;
  const response = await fetch(`${fixture.url}${intro.path}/opt-out`, { method: 'POST', headers: FORM, body });
  expect(response.status).toBe(413);
  expect(await optOutRowsOf(intro)).toEqual(NOTHING);
});
