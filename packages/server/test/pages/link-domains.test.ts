import { createHash } from 'node:crypto';
import http from 'node:http';
import { expect, test } from 'vitest';
import { newId } from '../../src/platform/ids.ts';
import { eventually } from '../acceptance/support/actions.ts';
import { forFile } from '../harness/index.ts';
import { NOW, openPages, type PageIntro, type PageSetup } from './page-fixture.ts';

const HOST = 'go.acme.test';

interface Short extends PageIntro {
  readonly short: string;
}

let tokens = 0;

/** Adds the short link of an intro. */
async function createShort(setup?: PageSetup): Promise<Short> {
  const intro = await fixture.createIntro(setup);
  tokens += 1;
  const token = `Short${String(tokens).padStart(5, '0')}`;
  await fixture.database.sql`insert into links (organization_id, environment, intro_id, kind, hash)
    values (${intro.organizationId}, 'test', ${intro.id}, 'short', ${createHash('sha256').update(token).digest()})`;
  return { ...intro, short: `/${token}` };
}

const addDomain = (organizationId: string, host: string, state: string) =>
  fixture.database
    .sql`insert into link_domains (organization_id, environment, id, host, challenge, state, created_at, verified_at)
     values (${organizationId}, 'test', ${newId('lkd', NOW)}, ${host}, 'x', ${state}, ${NOW}, ${state === 'pending' ? null : NOW})`;

/** A request as it arrives through the proxy of a domain. */
function request(host: string, path: string, options: { method?: string; body?: string; origin?: string } = {}) {
  const { hostname, port } = new URL(fixture.url);
  const { method = 'GET', body = '', origin } = options;
  const headers = { host, ...(origin !== undefined && { origin }) };
  return new Promise<{ status: number; text: string; headers: http.IncomingHttpHeaders }>((resolve, reject) => {
    const sent = http.request({ hostname, port, path, method, headers, agent: false }, async (response) => {
      const text = (await response.setEncoding('utf8').toArray()).join('');
      resolve({ status: response.statusCode ?? 0, text, headers: response.headers });
    });
    sent.on('error', reject).end(body);
  });
}

const fixture = await forFile(openPages());
const [open, foreign] = [await createShort({ status: 'sent' }), await createShort()];
const cancelled = await createShort({ status: 'cancelled' });
await addDomain(open.organizationId, HOST, 'active');
await addDomain(cancelled.organizationId, 'go.closed.test', 'removed');
await addDomain(foreign.organizationId, 'go.pending.test', 'pending');
await eventually(() => request(HOST, open.short), { status: 200 });

test('a link domain serves the page, its files and its beacon under its own address', async () => {
  const page = await request('GO.acme.test.:443', `${open.short}?utm=1`);
  expect(page.status).toBe(200);
  expect(page.text).toContain(`<meta property="og:url" content="https://${HOST}${open.short}">`);
  expect(page.text).toContain(`content="https://${HOST}${open.short}/card.jpg"`);
  expect(page.text).not.toContain('/i/');
  expect(page.headers['content-security-policy']).toContain("img-src 'self'");
  expect(page.headers['set-cookie']).toBeUndefined();
  for (const name of ['card.jpg', 'poster.jpg', 'captions.vtt', 'icon.svg', 'appointment.ics']) {
    expect((await request(HOST, `${open.short}/${name}`)).status, name).toBe(200);
  }
  const seen = { method: 'POST', body: '{"what":"opened"}' };
  expect((await request(HOST, `${open.short}/seen`, { ...seen, origin: 'https://evil.example' })).status).toBe(403);
  expect((await request(HOST, `${open.short}/seen`, { ...seen, origin: `https://${HOST}` })).status).toBe(204);
  expect((await fixture.intro(open.id)).opened_at).not.toBeNull();
  const optOut = await request(HOST, `${open.short}/opt-out`);
  expect([optOut.status, optOut.headers.location]).toEqual([303, open.short]);
});

test('a link domain serves only the pages of its organization', async () => {
  for (const path of [
    foreign.short,
    open.path,
    `/${open.token}`,
    '/',
    '/i',
    '/console',
    '/v1/intros',
    '/a/b/c',
    '//i',
  ]) {
    expect((await request(HOST, path)).status, path).toBe(404);
  }
  expect((await request(HOST, '/v1/touchpoint-events', { method: 'POST' })).status).toBe(404);
  expect((await request(HOST, open.short, { method: 'POST' })).status).toBe(405);
  const wrong = await request(HOST, '/NoSuchLink');
  expect([wrong.status, wrong.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
});

test('short links work only on the domain of their organization, and the others still work at PUBLIC_URL', async () => {
  const own = 'intros.acme.example';
  expect((await request(own, open.path)).status).toBe(200);
  for (const path of [open.short, `/i${open.short}`]) expect((await request(own, path)).status).toBe(404);
  expect((await request('go.pending.test', foreign.short)).status).toBe(404);
  expect((await request('go.pending.test', foreign.path)).status).toBe(200);
});

test('a removed domain still serves the links that were sent, and says when one is closed', async () => {
  const page = await request('go.closed.test', cancelled.short);
  expect([page.status, page.text.includes('Acme Roofing')]).toEqual([410, true]);
});
