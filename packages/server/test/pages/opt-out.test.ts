import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOW, openPages, type PageFixture, type PageIntro, type PageSetup } from './page-fixture.ts';

const PHONE = '+14155550123';
let fixture: PageFixture;
beforeAll(async () => {
  fixture = await openPages();
});
afterAll(() => fixture?.close());

/** As a browser sends a form without fields, with or without scripts. */
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const send = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${fixture.url}${path}/opt-out`, { method: 'POST', headers: { ...FORM, ...headers }, body: '' });

const ledgerOf = async ({ organizationId }: PageIntro) => ({
  consents: await fixture.database.query(
    'select phone, kind, source, created_at from consents where organization_id = $1',
    [organizationId],
  ),
  optOuts: await fixture.database.query('select phone, source, opted_out_at from opt_outs where organization_id = $1', [
    organizationId,
  ]),
});
const NOTHING = { consents: [], optOuts: [] };
const ONCE = {
  consents: [{ phone: PHONE, kind: 'opt_out', source: 'page', created_at: NOW }],
  optOuts: [{ phone: PHONE, source: 'page', opted_out_at: NOW }],
};

test('one tap keeps the number out: in the ledger with the page as its source, told once, said in the brand', async () => {
  const intro = await fixture.createIntro({ organization: { accent: '#8a2f1d' } });
  const told = fixture.optedOut.length;
  const answer = await send(intro.path);
  const text = await answer.text();
  expect(answer.status).toBe(200);
  expect(text).toContain('No more text messages');
  expect(text).toContain('Acme Roofing');
  expect(text).toContain('#8a2f1d');
  expect(text).not.toContain(PHONE);
  expect(answer.headers.get('cache-control')).toMatch(/no-store|no-cache/);
  expect(await ledgerOf(intro)).toEqual(ONCE);
  expect((await send(intro.path)).status).toBe(200);
  expect(await ledgerOf(intro)).toEqual(ONCE);
  expect(fixture.optedOut.slice(told)).toEqual([PHONE]);
  expect(await fixture.intro(intro.id)).toMatchObject({ status: 'ready', opened_at: null });
});

test('needs no script: the page holds a form with nothing to fill in, outside of any script, and may send it', async () => {
  const intro = await fixture.createIntro();
  const response = await fetch(fixture.url + intro.path);
  const page = (await response.text()).replaceAll(/<script.*?<\/script>/gs, '');
  const [, address = '', inside = ''] = /<form method="post" action="([^"]*)">(.*?)<\/form>/s.exec(page) ?? [];
  expect(address).toBe(`${intro.path}/opt-out`);
  expect(inside).toMatch(/^<button>[^<]*Acme Roofing<\/button>$/);
  expect(response.headers.get('content-security-policy')).toContain("form-action 'self'");
});

test('our own page is heard, also through a proxy that names only where it came from', async () => {
  for (const headers of [{ 'sec-fetch-site': 'same-origin' }, { origin: 'https://intros.acme.example' }]) {
    const intro = await fixture.createIntro();
    expect((await send(intro.path, headers as Record<string, string>)).status).toBe(200);
    expect(await ledgerOf(intro)).toEqual(ONCE);
  }
});

test.each([{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { origin: 'https://evil.example' }])(
  'what another site sends is 403 and changes nothing: %o',
  async (headers) => {
    const intro = await fixture.createIntro();
    expect((await send(intro.path, headers as Record<string, string>)).status).toBe(403);
    expect(await ledgerOf(intro)).toEqual(NOTHING);
  },
);

test('whoever only follows the address, by a reload or the way back, is shown the page and changes nothing', async () => {
  const intro = await fixture.createIntro();
  for (const method of ['GET', 'HEAD']) {
    const answer = await fetch(`${fixture.url}${intro.path}/opt-out`, { method, redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, intro.path]);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'cache-control': 'private, no-cache',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'x-robots-tag': 'noindex, nofollow',
    });
  }
  const shown = await fetch(`${fixture.url}${intro.path}/opt-out`);
  expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('Dana')]);
  expect(await ledgerOf(intro)).toEqual(NOTHING);
});

test.each([
  { setup: { status: 'cancelled' }, status: 410, says: 'This page has closed' },
  { setup: { status: 'expired' }, status: 410, says: 'This page has closed' },
  { setup: { status: 'requested', video: null }, status: 404, says: 'There is nothing here' },
])(
  'a page that is not there answers $status for $setup.status, and changes nothing',
  async ({ setup, status, says }) => {
    const intro = await fixture.createIntro(setup as PageSetup);
    const followed = await fetch(`${fixture.url}${intro.path}/opt-out`, { redirect: 'manual' });
    for (const answer of [await send(intro.path), followed]) {
      expect(answer.status).toBe(status);
      expect(await answer.text()).toContain(says);
    }
    expect(await ledgerOf(intro)).toEqual(NOTHING);
  },
);

test('an unknown link is the plain 404 page', async () => {
  const answer = await send('/i/Unknown00000');
  expect(answer.status).toBe(404);
  expect(await answer.text()).toContain('There is nothing here');
});

test('a form that brings more than a form without fields has is 413, and changes nothing', async () => {
  const intro = await fixture.createIntro();
  const body = `x=${'y'.repeat(10_000)}`;
  const answer = await fetch(`${fixture.url}${intro.path}/opt-out`, { method: 'POST', headers: FORM, body });
  expect(answer.status).toBe(413);
  expect(await ledgerOf(intro)).toEqual(NOTHING);
});
