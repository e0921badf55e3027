import { describe, expect, test } from 'vitest';
import { createApi, forFile, nextKey, type Reply, type TestOrganization } from '../harness/index.ts';
import { UNKNOWN_IDS } from '../robustness/bad-requests.table.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { anEvent, anIntro, createIntro, expectError, sendEvent, settled } from './support/actions.ts';
import { openService } from './support/service.ts';

/** Tests request objects of `theirs` with the key of `mine`. Both have a rep_17 with the same email. */
const fixture = await forFile(openService());
const receiver = await forFile(startReceiver());
const mine = fixture.organization;
const theirs = await fixture.newOrganization({ name: 'Second' });
const introId = (await createIntro(theirs.api, { reference: { id: 'theirs' } })).id;
const eventId = (await sendEvent(theirs.api, { reference: { id: 'theirs' } })).id;
await settled(theirs.api, eventId);
const { key } = await fixture.run('key', 'create', '--org', mine.id, '--allow-recording-links', 'true');
const api = fixture.published.checked(createApi(fixture.service.url, key));

async function createTheirs(path: string, body?: object): Promise<string> {
  const reply = await theirs.api.post(path, body);
  expect(reply.status).toBeLessThan(300);
  return reply.body.id;
}

const endpointId = await createTheirs('/v1/webhook_endpoints', { url: 'https://crm.acme.example', active: false });
/** An object of the other organization, by the part of a path before `{id}`. */
const THEIRS: Record<string, string> = {
  '/v1/intros/': introId,
  '/v1/test_helpers/intros/': introId,
  '/v1/events/': eventId,
  '/v1/members/': theirs.memberId,
  '/v1/touchpoints/': (await theirs.api.get('/v1/touchpoints')).body.data[0].id,
  '/v1/recipients/erasures/': await createTheirs('/v1/recipients/erase', { phone: '+14155550188' }),
  '/v1/link-domains/': await createTheirs('/v1/link-domains', { host: 'theirs.acme.test' }),
  '/v1/webhook_endpoints/': endpointId,
  '/v1/webhook_messages/': await createTheirs('/v1/webhook_endpoints', { url: receiver.url }).then((id) =>
    createTheirs(`/v1/webhook_endpoints/${id}/test`),
  ),
};
/** For operations whose body is required. */
const BODIES: Record<string, object> = {
  '/v1/members/{id}': {},
  '/v1/intros/{id}/correct_phone': { phone: '+14155550132' },
  '/v1/webhook_endpoints/{id}': {},
  '/v1/test_helpers/intros/{id}/fail': { step: 'recording' },
  '/v1/webhook_endpoints/{id}/replay': { since: '2020-01-01T00:00:00Z' },
};

const operations = Object.entries(fixture.published.document.paths)
  .filter(([path]) => path.includes('{id}'))
  .flatMap(([path, methods]) => Object.keys(methods).map((method) => [method.toUpperCase(), path] as const));

function request(method: string, path: string, id: string): Promise<Reply> {
  const target = path.replace('{id}', id);
  if (method === 'POST') return api.post(target, BODIES[path]);
  return api.raw(method, target, method === 'GET' ? {} : { headers: { 'idempotency-key': nextKey() } });
}

/** Everything of theirs that the operations could have changed. */
const readTheirs = () =>
  Promise.all(
    ['/v1/intros', '/v1/members', '/v1/touchpoints', '/v1/link-domains', '/v1/webhook_endpoints'].map(async (list) => {
      const { data } = (await theirs.api.get(list)).body as { data: object[] };
      // The service itself checks a link domain several times a minute.
      return data.map((one) => ({ ...one, checked_at: null, next_check_at: null, failure: null }));
    }),
  );
const countKeys = () =>
  fixture.database.sql`select count(*)::int as n from idempotency_keys where organization_id = ${mine.id}`;

describe('an object of another organization', () => {
  test.each(operations)('is 404 not_found for %s %s, exactly like an unknown ID of any form', async (method, path) => {
    const [before, keys] = [await readTheirs(), await countKeys()];
    const foreign = THEIRS[path.slice(0, path.indexOf('{id}'))];
    if (foreign === undefined) throw new Error(`add an object for ${path} to THEIRS`);
    const reply = await request(method, path, foreign);
    expectError(reply, 404, 'not_found');
    for (const [name, id] of UNKNOWN_IDS) {
      const { body } = await request(method, path, id);
      expect([name, body.error.code]).toEqual([name, 'not_found']);
      if (name === 'no such object') expect(body).toEqual(reply.body);
    }
    expect([await readTheirs(), await countKeys()]).toEqual([before, keys]);
  });

  test('is not listed, and cannot be used as a cursor', async () => {
    for (const list of ['/v1/intros', '/v1/events', '/v1/link-domains', '/v1/webhook_endpoints'])
      expect((await mine.api.get(list)).body.data).toEqual([]);
    for (const filter of ['reference_id=theirs', `member=${theirs.memberId}`])
      expect((await mine.api.get(`/v1/intros?${filter}`)).body.data).toEqual([]);
    for (const filter of ['reference_id=theirs', 'touchpoint=project_kickoff', 'status=processed'])
      expect((await mine.api.get(`/v1/events?${filter}`)).body.data).toEqual([]);
    for (const [list, id] of [
      ['events', eventId],
      ['intros', introId],
      ['members', theirs.memberId],
      ['webhook_endpoints', endpointId],
    ]) {
      const after = await mine.api.get(`/v1/${list}?starting_after=${id}`);
      expectError(after, 422, 'validation_failed', 'starting_after');
    }
  });

  test('cannot be used as a member, and members of other organizations are not listed', async () => {
    const member = { id: theirs.memberId };
    expectError(await mine.api.post('/v1/intros', anIntro({ member })), 422, 'member_not_found', 'member.id');
    expectError(
      await mine.api.post('/v1/touchpoint-events', anEvent({ member })),
      422,
      'member_not_found',
      'member.id',
    );
    const ids = (await mine.api.get('/v1/members')).body.data.map(({ id }: { id: string }) => id);
    expect(ids).toEqual([mine.memberId]);
  });

  test('shares no touchpoint: IDs differ, and turning one off does not affect the other organization', async () => {
    const idsOf = async (organization: TestOrganization) =>
      (await organization.api.get('/v1/touchpoints')).body.data.map(({ id }: { id: string }) => id);
    const [own, foreign] = [await idsOf(mine), await idsOf(theirs)];
    expect(own.filter((id: string) => foreign.includes(id))).toEqual([]);
    await fixture.run('touchpoint', 'set', '--org', theirs.id, 'project_kickoff', '--active', 'false');
    expectError(await theirs.api.post('/v1/touchpoint-events', anEvent()), 422, 'touchpoint_not_found', 'touchpoint');
    await sendEvent(mine.api);
  });
});

test('the same external_id and email in two organizations belong to two members and are not ambiguous', async () => {
  for (const member of [{ external_id: 'rep_17' }, { email: 'ana@acme.example' }]) {
    expect((await createIntro(mine.api, { member })).member.id).toBe(mine.memberId);
    expect((await createIntro(theirs.api, { member })).member.id).toBe(theirs.memberId);
  }
});

test('a sync with an external_id of another organization creates a member of its own', async () => {
  const rep = { first_name: 'Rosa', last_name: 'Diaz', email: 'rosa@acme.example', external_id: 'crm_1' };
  const [own, foreign] = [await mine.api.post('/v1/members', rep), await theirs.api.post('/v1/members', rep)];
  expect([own.status, foreign.status]).toEqual([200, 200]);
  expect(own.body.id).not.toBe(foreign.body.id);
});

test('the same Idempotency-Key in two organizations creates an intro in each', async () => {
  const shared = 'acme_crm:appt_8812:tenancy';
  const own = await mine.api.post('/v1/intros', anIntro(), { key: shared });
  const foreign = await theirs.api.post('/v1/intros', anIntro({ metadata: { b: 2 } }), { key: shared });
  expect([own.status, foreign.status]).toEqual([201, 201]);
  expect(own.body.id).not.toBe(foreign.body.id);
});
