import fs from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createIntro, sendEvent, settled } from '../acceptance/support/actions.ts';
import { errorOf, foreword, forFile, openService, tryForeword } from '../harness/index.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

// Commands of intros, events, webhooks and recipients follow from the operations of the API, which have tests of their own.

const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

const fixture = await forFile(openService());
const { api, database, organization, run } = fixture;
const org = ['--org', organization.id];
// The command checks the address with its own settings.
const settings = { ...fixture.environment, WEBHOOKS_ALLOW_PRIVATE: 'on' };
const order = (...args: string[]) => tryForeword(fixture.environment, ...args);
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
const introOf = async (id: string) => (await api.get(`/v1/intros/${id}`)).body;

const { id: first } = await createIntro(api, { context: { title: 'Hello' } });
const { id: second } = await createIntro(api);
const { id: endpoint, secret } = await foreword(settings, 'webhook', 'create', ...org, '--url', 'http://127.0.0.1:9/');

test('a list has the filters and pages of its operation, and only objects of the organization', async () => {
  const list = (...args: string[]) => run('intro', 'list', ...org, ...args);
  const { body } = await api.get('/v1/intros');
  expect(await list()).toEqual(body);
  expect(idsOf(body)).toEqual([second, first]);
  expect(await list('--limit', '1')).toMatchObject({ data: [{ id: second }], has_more: true });
  expect(idsOf(await list('--member', organization.memberId))).toEqual([second, first]);
  expect((await list('--status', 'sent')).data).toEqual([]);
  for (const wrong of [
    ['--status', 'lost'],
    ['--limit', '101'],
  ])
    expect(await order('intro', 'list', ...org, ...wrong)).toMatchObject({ code: 2, stdout: '' });
  const { stderr } = await order('intro', 'list', ...org, '--status', 'ready,sent');
  expect(stderr).toContain('--status must be one of requested, ready,');
  const time = await order('intro', 'list', ...org, '--created-after', 'yesterday');
  expect(time.stderr).toContain('such as 2026-03-10T09:15:00Z. See foreword');
  const other = await fixture.newOrganization();
  expect((await run('intro', 'list', '--org', other.id)).data).toEqual([]);
});

test('an object is shown as the API does, with what belongs to it', async () => {
  const { timeline, ...intro } = await run('intro', 'show', first);
  expect(intro).toEqual(await introOf(first));
  expect(timeline).toEqual((await api.get(`/v1/intros/${first}/timeline`)).body.data);
  const { stdout } = await order('intro', 'show', first);
  expect(stdout).toMatch(/^context.title: +Hello$/m);
  expect(stdout).toMatch(/^timeline:\n.*\n.*\d{4}-\d\d-\d\d \d\d:\d\dZ.* asked /m);
});

test('a change does what the API does: links stop, one webhook is sent, and the next one changes nothing', async () => {
  const { url } = await run('intro', 'link', second);
  const open = async () => (await fetch(fixture.service.url + new URL(url).pathname)).status;
  expect(await open()).toBe(200);
  const cancelled = await run('intro', 'cancel', second);
  expect(cancelled).toMatchObject({ ...(await introOf(second)), status: 'cancelled' });
  expect(await open()).toBe(410);
  expect(await run('intro', 'cancel', second)).toEqual(cancelled);
  const messages = await database.sql`select type from webhook_messages where object_id = ${second}`;
  expect(messages).toEqual([{ type: 'intro.cancelled' }]);
  const { data } = (await api.get(`/v1/intros/${second}/timeline`)).body;
  const steps = data.filter(({ type }: { type: string }) => type === 'cancelled');
  expect(steps).toMatchObject([{ cause: 'service', detail: null }]);
});

test('a failed event is shown with its reason, and processed again on request, once its cause is gone', async () => {
  const phone = '+14155550177';
  await run('touchpoint', 'set', ...org, 'project_kickoff', '--delivery', 'service');
  await run('recipient', 'opt-out', ...org, phone, '--reason', 'Dana');
  const { id } = await sendEvent(api, { recipient: { first_name: 'Dana', phone } });
  const failed = await settled(api, id);
  expect(await run('event', 'show', id)).toEqual(failed);
  expect((await order('event', 'show', id)).stdout).toMatch(/^error: +recipient_opted_out: /m);
  expect(idsOf(await run('event', 'list', ...org, '--status', 'failed'))).toEqual([id]);
  await run('recipient', 'opt-in', ...org, phone, '--reason', 'Dana');
  expect(await run('event', 'retry', id)).toMatchObject({ id, status: 'accepted' });
  expect(await settled(api, id)).toMatchObject({ status: 'processed', intro: expect.stringMatching(/^int_/) });
  expect(await order('event', 'retry', id)).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: expect.stringContaining('did not fail'),
  });
});

test('a webhook endpoint shows its secret once, changes only in the given fields, and is tested and deleted', async () => {
  expect(secret).toMatch(SECRET);
  const shown = await run('webhook', 'show', endpoint);
  expect(shown).toEqual((await api.get(`/v1/webhook_endpoints/${endpoint}`)).body);
  expect(shown).not.toHaveProperty('secret');
  expect(await run('webhook', 'set', endpoint, '--events', 'intro.ready')).toEqual({
    ...shown,
    events: ['intro.ready'],
  });
  const rotated = await run('webhook', 'rotate', endpoint);
  expect(rotated).toMatchObject({ id: endpoint, secret: expect.stringMatching(SECRET) });
  expect(rotated.secret).not.toBe(secret);
  const { id: message, type } = await run('webhook', 'test', endpoint);
  expect(type).toBe('webhook.test');
  const replay = await run('webhook', 'replay', endpoint, '--message', message);
  expect(replay).toEqual({ object: 'webhook_replay', endpoint, messages: 1 });
  expect(await run('webhook', 'delete', endpoint)).toEqual({ id: endpoint, object: 'webhook_endpoint', deleted: true });
  expect((await run('webhook', 'list', ...org)).data).toEqual([]);
});

test.each([
  ['intro', 'show', 'int_none'],
  ['event', 'show', 'evt_none'],
  ['event', 'retry', 'evt_none'],
  ['webhook', 'set', 'whk_none', '--active', 'true'],
  ['webhook', 'rotate', 'whk_none'],
])('%s %s refuses the unknown id %s in one line', async (...args) => {
  expect(errorOf(await order(...args, '--json'))).toContain(args[2]);
});

test('recipient erase prints the receipt, and recipient erasure prints it again', async () => {
  const { organization, api, run } = fixture;
  const { id } = await createIntro(api, { recipient: { first_name: 'Gwen', phone: '+14155550171' } });
  const erasure = await run('recipient', 'erase', '--org', organization.id, '--phone', '+14155550171');
  expect(erasure).toMatchObject({ object: 'recipient_erasure', status: 'processing', intros: [id] });
  expect(await run('recipient', 'erasure', erasure.id)).toMatchObject({ id: erasure.id, intros: [id] });
  expect((await api.get(`/v1/intros/${id}`)).body).toMatchObject({
    status: 'cancelled',
    erased_at: erasure.created_at,
  });
  const entries = await run('audit', 'list', '--org', organization.id, '--action', 'recipient.erased');
  expect(entries.data).toMatchObject([{ actor: { type: 'operator' }, target: { id: erasure.id } }]);
});

test('foreword recipient explains a number that is not valid, and an unknown receipt', async () => {
  const wrong = ['recipient', 'erase', '--org', fixture.organization.id, '--phone', '555'];
  expect((await tryForeword(fixture.environment, ...wrong)).code).toBe(2);
  const unknown = await tryForeword(fixture.environment, 'recipient', 'erasure', 'ers_none');
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('no erasure')]);
});

test('recipient opt-out, opt-in and import-opt-outs change who is texted, as the operator', async () => {
  const { organization, api, run } = fixture;
  const phone = '+14155550172';
  const org = ['--org', organization.id];
  const listed = async () =>
    (await api.get('/v1/recipients/opt_outs')).body.data.map(
      (one: { phone: string; source: string; reason: string }) => [one.phone, one.source, one.reason],
    );
  expect(await run('recipient', 'opt-out', ...org, phone, '--reason', 'Dana, on the phone')).toMatchObject({
    ...{ object: 'opt_out', phone, source: 'operator', reason: 'Dana, on the phone' },
  });
  expect(await listed()).toEqual([[phone, 'operator', 'Dana, on the phone']]);
  expect(await run('recipient', 'opt-in', ...org, phone)).toMatchObject({ object: 'recipient', phone });
  expect(await listed()).toEqual([]);
  const file = path.join(temporaryFolder(), 'opt-outs.csv');
  await fs.writeFile(file, 'Name,Phone,Reason\r\nDana,(415) 555-0172,By email; twice\n\nSam,none,\r\n');
  expect(await run('recipient', 'import-opt-outs', ...org, file)).toMatchObject({
    ...{ added: 1, already: 0, problems: [{ line: 4, given: 'none' }] },
  });
  expect(await listed()).toEqual([[phone, 'import', 'By email; twice']]);
  await fs.writeFile(file, '\uFEFFPhone\tReason\r\n(415) 555-0173\tMuñoz, by email\r\n', 'utf16le');
  expect(await run('recipient', 'import-opt-outs', ...org, file)).toMatchObject({ added: 1, problems: [] });
  expect((await listed())[0]).toEqual(['+14155550173', 'import', 'Muñoz, by email']);
});
