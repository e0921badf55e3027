import http from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { startDns, type Zone } from '../delivery/dns-server.ts';
import { type Api, forFile, tryForeword } from '../harness/index.ts';
import { createIntro, eventually } from './support/actions.ts';
import { openService } from './support/service.ts';

const PATH = '/v1/link-domains';
const HOST = 'go.acme.test';

const zone: Zone = {};
const dns = await forFile(startDns(zone));
const fixture = await forFile(openService({ DNS_SERVERS: dns.server }));

interface Domain {
  readonly id: string;
  readonly state: string;
  readonly failure: { readonly code: string } | null;
  readonly verification: { readonly dns: { readonly name: string; readonly value: string } };
}

async function add(host: string, api: Api = fixture.api): Promise<Domain> {
  const { status, body } = await api.post(PATH, { host });
  expect(status).toBe(201);
  return body;
}

const until = (id: string, isDone: (domain: Domain) => boolean, api: Api = fixture.api): Promise<Domain> =>
  eventually(async () => (await api.get(`${PATH}/${id}`)).body, isDone);

const remove = (id: string, api: Api = fixture.api) =>
  api.raw('DELETE', `${PATH}/${id}`, { headers: { 'idempotency-key': `remove:${id}` } });

/** Arrange: without a certificate, no check can reach the service. Lets the next check wait. */
const arrange = (host: string, changes: string) =>
  fixture.database.query(
    `update link_domains set check_at = now() + interval '1 hour', failure_code = null, failure_message = null, ${changes}
     where host = $1`,
    [host],
  );
const activate = (host: string) =>
  arrange(
    host,
    "state = 'active', verified_at = now(), active_at = now() - interval '11 seconds', failing_since = null",
  );

/** A request as it arrives through the proxy of a link domain. */
function request(
  host: string,
  path: string,
  method = 'GET',
): Promise<{ status: number; body: string; headers: http.IncomingHttpHeaders }> {
  const { hostname, port } = new URL(fixture.service.url);
  return new Promise((resolve, reject) => {
    const sent = http.request({ hostname, port, path, method, headers: { host }, agent: false }, async (response) => {
      const body = (await response.setEncoding('utf8').toArray()).join('');
      resolve({ status: response.statusCode ?? 0, body, headers: response.headers });
    });
    sent.on('error', reject).end();
  });
}

async function record(api: Api = fixture.api, { until: status = 'ready', ...changes }: Record<string, unknown> = {}) {
  const { id } = await createIntro(api, changes);
  expect((await api.post(`/v1/test_helpers/intros/${id}/record`)).status).toBe(202);
  return eventually(async () => (await api.get(`/v1/intros/${id}`)).body, { status });
}

test('a domain is checked until its owner has proven it, and says what is missing', async () => {
  const created = await add('Größe.Acme.TEST');
  const missing = await until(created.id, ({ failure }) => failure !== null);
  expect(missing).toMatchObject({ state: 'pending', failure: { code: 'record_missing' } });
  const { name, value } = created.verification.dns;
  zone[name] = ['something else', value];
  const { status } = await fixture.api.post(`${PATH}/${created.id}/check`);
  expect(status).toBe(202);
  // Proven, but its name has no address.
  const verified = await until(created.id, ({ state, failure }) => state === 'verified' && failure !== null);
  expect(verified).toMatchObject({ failure: { code: 'name' }, verified_at: expect.any(String), active_at: null });
  expect((await request('127.0.0.1', `/link-domains/ask?domain=xn--gre-6ka8i.acme.test`)).status).toBe(200);
  expect((await request('127.0.0.1', '/link-domains/ask?domain=other.acme.test')).status).toBe(404);
});

test('a host belongs to one organization: another one can prove it, but gets it only once it is removed there', async () => {
  const [first, second] = [await fixture.newOrganization(), await fixture.newOrganization()];
  const host = 'shared.acme.test';
  const mine = await add(host, first.api);
  await activate(host);
  const theirs = await add(host, second.api);
  zone[theirs.verification.dns.name] = [theirs.verification.dns.value];
  await until(theirs.id, ({ failure }) => failure?.code === 'taken', second.api);
  expect((await first.api.get(`${PATH}/${theirs.id}`)).status).toBe(404);
  expect((await remove(theirs.id, first.api)).status).toBe(404);
  await remove(mine.id, first.api);
  // A claim that is not proven again does not hold the host.
  const again = await add(host, first.api);
  await fixture.database.sql`update link_domains set check_at = now() where id = ${theirs.id}`;
  await until(theirs.id, ({ state }) => state === 'verified', second.api);
  expect((await first.api.get(`${PATH}/${again.id}`)).status).toBe(404);
});

describe('with an active domain', () => {
  let domain: Domain;
  let before: string;
  let link: URL;
  let intro: Awaited<ReturnType<typeof record>>;
  beforeAll(async () => {
    before = (await record()).delivery.recipient_url;
    domain = await add(HOST);
    await activate(HOST);
    intro = await record();
    link = new URL(intro.delivery.recipient_url);
    // Each node reads the hosts on its own, and new connections alternate between the nodes.
    await eventually(
      async () => [await request(HOST, '/'), await request(HOST, '/'), await request(HOST, '/')],
      (answers) => answers.every(({ headers }) => headers['content-type']?.startsWith('text/html') === true),
    );
  });

  test('new links are at most 30 characters long, everywhere', async () => {
    expect(intro.delivery.recipient_url).toMatch(/^https:\/\/go\.acme\.test\/[0-9A-Za-z]{10}$/);
    expect(`https://go.acme.us${link.pathname}`.length).toBeLessThanOrEqual(30);
    expect(intro.media.page_url).toBe(link.href);
    expect(intro.media.poster_url).toBe(`${link.href}/poster.jpg`);
    expect(intro.media.share_text).toContain(link.href);
    const sent = () => fixture.api.post(`/v1/intros/${intro.id}/mark_sent`, {}, { key: 'sent:1' });
    expect((await sent()).body.delivery.recipient_url).toBe(link.href);
    // A repetition is filled in from a stored response without links.
    expect((await sent()).body.delivery.recipient_url).toBe(link.href);
    const rows = await fixture.database.query(
      'select response as text from idempotency_keys union all select body from all_messages union all select l::text from links l',
    );
    expect(JSON.stringify(rows)).not.toContain(link.pathname.slice(1));
    expect((await fixture.api.get(`/v1/intros/${intro.id}`)).body).not.toHaveProperty('link_host');
  });

  test('a text contains the link, and the database does not', async () => {
    const recipient = { first_name: 'Dana', phone: '+15005550180' };
    const sent = await record(fixture.api, { until: 'sent', recipient, delivery: { responsibility: 'service' } });
    const url: string = sent.delivery.recipient_url;
    expect(url).toContain(`https://${HOST}/`);
    const { data } = await fixture.run('message', 'list', '--org', fixture.organization.id, '--intro', sent.id);
    const text = data.find(({ purpose }: { purpose: string }) => purpose === 'deliver');
    expect(text.body).toContain(url);
    const [row] = await fixture.database.sql<{ body: string }>`select body from all_messages where intro_id = ${sent.id}
      and purpose = 'deliver'`;
    expect(row?.body).toContain(`https://${HOST}/`);
    expect(row?.body).not.toContain(new URL(url).pathname.slice(1));
  });

  test('serves the page with its files, under its own address', async () => {
    const page = await request(HOST, link.pathname);
    expect(page.status).toBe(200);
    expect(page.body).toContain(`<meta property="og:url" content="${link.href}">`);
    expect(page.body).not.toContain(new URL(fixture.service.url).host);
    expect(page.headers['set-cookie']).toBeUndefined();
    const files = [...page.body.matchAll(/(?:src|poster|href)="(\/[^"]+)"/g)].map(([, path]) => path ?? '');
    expect(files.length).toBeGreaterThan(2);
    for (const path of files) expect((await request(`${HOST}:443`, path)).status, path).toBe(200);
  });

  test('serves nothing else, and no page of another organization', async () => {
    const other = await fixture.newOrganization();
    const theirs = await add('go.other.test', other.api);
    await activate('go.other.test');
    const short = new URL((await record(other.api)).delivery.recipient_url).pathname;
    const paths = [
      ...[short, `/i${short}`, new URL(before).pathname, '/', '/i', '/r/x', '/v1/intros', '/openapi.json'],
      ...['/console', '/console/signin', '//console', '/./console', '/healthz', '/metrics', '/docs'],
      '/link-domains/ask?domain=go.acme.test',
    ];
    for (const path of paths) expect((await request(HOST, path)).status, path).toBe(404);
    expect((await request(HOST, '/v1/touchpoint-events', 'POST')).status).toBe(404);
    // The short form is for link domains only.
    expect((await request('127.0.0.1', `/i${link.pathname}`)).status).toBe(404);
    expect((await request('127.0.0.1', link.pathname)).status).toBe(404);
    expect((await remove(theirs.id, other.api)).status).toBe(200);
  });

  test('proves that it leads here: its answer depends on the nonce, and no other host has one', async () => {
    const [nonce, another] = ['a'.repeat(22), 'b'.repeat(22)];
    const ask = (host: string, value: string) => request(host, `/.well-known/foreword-reach?nonce=${value}`);
    const answer = await ask(HOST, nonce);
    expect(answer).toMatchObject({ status: 200, body: expect.stringMatching(/^[\w-]{43}$/) });
    expect((await ask(HOST, nonce)).body).toBe(answer.body);
    expect((await ask(HOST, another)).body).not.toBe(answer.body);
    expect((await ask('127.0.0.1', nonce)).status).toBe(404);
    expect((await ask(HOST, 'short')).status).toBe(404);
  });

  test('links that were sent stay the same while it fails, and new ones leave it after 10 minutes', async () => {
    await arrange(HOST, "state = 'failing', failing_since = now() - interval '9 minutes'");
    expect((await record()).delivery.recipient_url).toContain(`https://${HOST}/`);
    await arrange(HOST, "state = 'failing', failing_since = now() - interval '11 minutes'");
    expect((await record()).delivery.recipient_url).toContain(`${fixture.service.url}/i/`);
    expect((await fixture.api.get(`/v1/intros/${intro.id}`)).body.delivery.recipient_url).toBe(link.href);
    expect((await request(HOST, link.pathname)).status).toBe(200);
    await fixture.database.query("update link_domains set failure_code = 'timeout', failure_message = 'Too late.'");
    const { stdout } = await tryForeword(fixture.environment, 'doctor', '--json');
    const check = JSON.parse(stdout).checks.find(({ name }: { name: string }) => name === `link domain ${HOST}`);
    expect(check).toMatchObject({ status: 'problem', message: expect.stringContaining('Too late.') });
    expect(check.next).toContain(`foreword link-domain check ${domain.id}`);
  });

  test('after it was removed, links that were sent still work, and closed ones still say so', async () => {
    await remove(domain.id);
    expect((await record()).delivery.recipient_url).toContain(`${fixture.service.url}/i/`);
    expect((await request(HOST, link.pathname)).status).toBe(200);
    await fixture.api.post('/v1/recipients/erase', { phone: intro.recipient.phone });
    expect((await request(HOST, link.pathname)).status).toBe(410);
  });
});
