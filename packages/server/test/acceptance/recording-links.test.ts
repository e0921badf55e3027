import { expect, test } from 'vitest';
import { createApi, forFile } from '../harness/index.ts';
import { createIntro, expectError } from './support/actions.ts';
import { openService } from './support/service.ts';

const fixture = await forFile(openService());
const { key } = await fixture.run(
  ...['key', 'create', '--org', fixture.organization.id, '--name', 'App', '--allow-recording-links', 'true'],
);
/** With a key that may create recording links. */
const api = fixture.published.checked(createApi(fixture.service.url, key));

/** The link has the public URL of the service, which tests reach at another address. */
const open = (url: string, path = '') => fetch(fixture.service.url + new URL(url).pathname + path);

const linkOf = async (introId: string, body?: object) => {
  const reply = await api.post(`/v1/intros/${introId}/recording_link`, body);
  expect(reply.status).toBe(201);
  return reply.body;
};

/** Compared with a link of the same test, because this process has another clock. */
const secondsBetween = (a: { expires_at: string }, b: { expires_at: string }) =>
  (Date.parse(a.expires_at) - Date.parse(b.expires_at)) / 1000;

test('a recording link opens the recorder, for 15 minutes or less', async () => {
  const intro = await createIntro(api);
  const link = await linkOf(intro.id);
  expect(Object.keys(link)).toEqual(['object', 'url', 'expires_at']);
  const page = await open(link.url);
  expect(page.status).toBe(200);
  expect(page.headers.get('cache-control')).toBe('no-store');
  expect(await page.text()).toContain('Dana');
  expect(await (await open(link.url, '/state')).json()).toMatchObject({ intro: { status: 'requested' } });
  expect(secondsBetween(link, await linkOf(intro.id, { expires_in: 60 }))).toBeGreaterThan(0);
});

test('a key without the permission gets a 403, even for a key of an existing link', async () => {
  const intro = await createIntro(api);
  const path = `/v1/intros/${intro.id}/recording_link`;
  const key = `acme_app:${intro.id}:permission`;
  expectError(await fixture.api.post(path, undefined, { key }), 403, 'forbidden');
  expect((await api.post(path, undefined, { key })).status).toBe(201);
  expectError(await fixture.api.post(path, undefined, { key }), 403, 'forbidden');
});

test('a lifetime outside of 60 to 900 seconds is rejected', async () => {
  const intro = await createIntro(api);
  for (const expires_in of [0, 59, 901, 60.5, -60, '300', true]) {
    const reply = await api.post(`/v1/intros/${intro.id}/recording_link`, { expires_in });
    expectError(reply, 422, 'validation_failed', 'expires_in');
    expect(reply.body.error.message).toContain('from 60 to 900');
  }
});

test('an intro that is sent, cancelled or expired gets no link', async () => {
  for (const status of ['sent', 'cancelled', 'expired']) {
    const { id } = await createIntro(api);
    await fixture.database.sql`update intros set status = ${status}, expires_at = null where id = ${id}`;
    expectError(await api.post(`/v1/intros/${id}/recording_link`), 409, 'intro_closed');
  }
});

test('a repeat with the same key returns the same link, and the database contains none', async () => {
  const { id } = await createIntro(api);
  const key = `acme_app:${id}:recording_link`;
  const first = await api.post(`/v1/intros/${id}/recording_link`, undefined, { key });
  const again = await api.post(`/v1/intros/${id}/recording_link`, {}, { key });
  expect([again.status, again.headers.get('idempotent-replayed'), again.body]).toEqual([201, 'true', first.body]);
  expectError(
    await api.post(`/v1/intros/${id}/recording_link`, { expires_in: 60 }, { key }),
    409,
    'idempotency_conflict',
  );
  const token = String(first.body.url).split('/').at(-1) ?? '';
  const stored = await fixture.database.sql`select * from idempotency_keys
    where key_hash = substr(sha256(${key}), 1, 16)`;
  expect(stored).toHaveLength(1);
  expect(JSON.stringify(stored)).not.toContain(token.slice(-22));
});

test('a link of an intro that was cancelled is 410, and one of a reassigned intro does not exist anymore', async () => {
  const { id } = await createIntro(api);
  const link = await linkOf(id);
  await api.post(`/v1/intros/${id}/cancel`);
  expect((await open(link.url)).status).toBe(410);
  expect(await (await open(link.url, '/state')).json()).toEqual({ closed: 'cancelled' });

  const fields = { first_name: 'Rosa', last_name: 'Diaz', email: 'rosa@acme.example', external_id: 'rep_31' };
  const [leaver, next] = [
    (await api.post('/v1/members', fields)).body,
    (await api.post('/v1/members', { ...fields, external_id: 'rep_32' })).body,
  ];
  const reassigned = await createIntro(api, { member: { id: leaver.id } });
  const before = await linkOf(reassigned.id);
  const open_intros = { reassign_to: next.id };
  expect((await api.post(`/v1/members/${leaver.id}/deactivate`, { open_intros })).status).toBe(200);
  expect((await open(before.url)).status).toBe(404);
  expect((await open((await linkOf(reassigned.id)).url)).status).toBe(200);
});

test('a link with any character changed is a 404', async () => {
  const { url } = await linkOf((await createIntro(api)).id);
  const token = url.split('/').at(-1);
  for (let at = 1; at < token.length; at += 4) {
    const other = token[at] === 'a' ? 'b' : 'a';
    const forged = url.replace(token, token.slice(0, at) + other + token.slice(at + 1));
    expect((await open(forged)).status).toBe(404);
  }
});
