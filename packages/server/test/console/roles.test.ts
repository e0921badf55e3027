import { createHash } from 'node:crypto';
import { OPERATIONS as API, type ConsoleKey, type OperationForm, ROLES, type Role } from '@foreword/contract';
import { describe, expect, test } from 'vitest';
import { createIntro, eventually, sendEvent } from '../acceptance/support/actions.ts';
import { forFile, openService, sleep } from '../harness/index.ts';
import { type ConsoleAsk, type ConsoleClient, clientWith } from './console-client.ts';
import { CALLS, type Ids, OPERATIONS, readRows, UNKNOWN_IDS } from './operation-calls.ts';

const NAMED = OPERATIONS.filter(([key]) => key.includes('{'));
const QUIET_MS = 1_000;

const fixture = await forFile(openService());
const { database, service, organization: acme } = fixture;
const readAll = () => readRows(database, acme.id);
let sessions = 0;
const people = new Map<string, { org: string; id: string }>();

/** Creates a session directly. One per call, because some calls end it. */
async function signIn(who: string): Promise<ConsoleClient & { readonly sessionId: string }> {
  const person = people.get(who);
  if (person === undefined) throw new Error(`there is no ${who}`);
  const secret = `${'s'.repeat(24)}${String(++sessions).padStart(8, '0')}`;
  const sessionId = `ses_${String(sessions).padStart(26, '0')}`;
  await database.sql`insert into console_sessions (organization_id, environment, id, member_id, hash, device, created_at, rotated_at, seen_at)
     values (${person.org}, 'test', ${sessionId}, ${person.id}, ${createHash('sha256').update(secret).digest()}, 'Test', now(), now(), now())`;
  return { ...clientWith(service.url, `foreword_session=${secret}`), sessionId };
}

async function addPerson(name: string, org: string, role: Role): Promise<void> {
  const names = ['--first-name', name, '--last-name', 'Table', '--email', `${name}@acme.example`];
  const { id } = await fixture.run('member', 'create', '--org', org, ...names, '--role', role);
  people.set(name, { org, id });
}

async function gatherOurs() {
  const intro = await createIntro(acme.api);
  const event = await sendEvent(acme.api);
  const hook = await acme.api.post('/v1/webhook-endpoints', { url: 'http://127.0.0.1:9/hook' });
  const asked = await acme.api.get('/v1/members');
  const request = asked.headers.get('request-id') ?? '';
  await eventually(() => database.sql`select id from request_log where id = ${request}`, { length: 1 });
  await database.sql`insert into touchpoints select (jsonb_populate_record(t, '{"id": "tpt_00000000000000000000000001", "slug": "only_ours"}')).*
     from touchpoints t where organization_id = ${acme.id} and slug = 'project_kickoff'`;
  people.set('ana', { org: acme.id, id: acme.memberId });
  const { sessionId } = await signIn('ana');
  const passkey = 'pk_00000000000000000000000001';
  await database.sql`insert into passkeys (organization_id, environment, id, member_id, name, credential_id, public_key, counter, transports, created_at)
     values (${acme.id}, 'test', ${passkey}, ${acme.memberId}, 'Laptop', 'c', 'k', 0, '{}', now())`;
  return {
    member: acme.memberId,
    intro: intro.id,
    event: event.id,
    session: sessionId,
    key: acme.keyId,
    webhook: hook.body.id,
    request,
    passkey,
    domain: (await acme.api.post('/v1/link-domains', { host: 'ours.acme.example' })).body.id,
    slug: 'only_ours',
  };
}

const other = await fixture.newOrganization({ name: 'Elsewhere' });
for (const role of ROLES) await addPerson(role, acme.id, role);
await addPerson('stranger', other.id, 'owner');
const gathered = await gatherOurs();
const ours: Ids = { ...UNKNOWN_IDS, ...gathered };
// Waits for the workers, so that any later change was made by a call.
await eventually(
  async () => {
    const before = JSON.stringify(await readAll());
    await sleep(QUIET_MS);
    return before === JSON.stringify(await readAll());
  },
  (isQuiet) => isQuiet,
  60_000,
);

/** Calls the operation, untyped, because the table mixes all operations. */
const call = (client: ConsoleClient, key: ConsoleKey, about: Ids) => {
  const ask = CALLS[key](about) as ConsoleAsk<ConsoleKey>;
  return client.call(key, ask);
};

const rank = (role: Role): number => ROLES.indexOf(role);

describe.each(OPERATIONS)('%s', (key, { role: needed }) => {
  test('rejects requests without a session and with an invented cookie', async () => {
    for (const cookie of ['', 'foreword_session=', `foreword_session=${'x'.repeat(32)}`]) {
      const { status, error } = await call(clientWith(service.url, cookie), key, ours);
      expect([status, error.code]).toEqual([401, 'unauthorized']);
    }
  });

  test(`is open to ${ROLES.filter((role) => rank(role) >= rank(needed)).join(' and ')}`, async () => {
    for (const role of ROLES.filter((one) => rank(one) >= rank(needed))) {
      // With unknown ids and an empty body: authorized, but not found or invalid.
      const { params } = CALLS[key](UNKNOWN_IDS) as { params?: Record<string, string> };
      const ask = { params, ...(!key.startsWith('GET ') && { body: {} }) } as ConsoleAsk<ConsoleKey>;
      const { status } = await (await signIn(role)).call(key, ask);
      expect([role, status, status >= 500 || status === 401 || status === 403]).toEqual([role, status, false]);
    }
  });
});

describe.each(OPERATIONS.filter(([key]) => !key.startsWith('GET ')))('%s', (key) => {
  test('rejects a request from another site, and changes nothing', async () => {
    const before = await readAll();
    const { cookie } = await signIn('owner');
    for (const origin of [
      { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' },
      { origin: service.url, 'sec-fetch-site': 'same-site' },
      { origin: 'https://elsewhere.example' },
      {},
    ]) {
      const { status, error } = await call(clientWith(service.url, cookie, origin), key, ours);
      expect([origin, status, error.code]).toEqual([origin, 403, 'forbidden']);
    }
    expect(await readAll()).toEqual(before);
  });
});

test('a session does not authenticate the API of integrations', async () => {
  const { cookie } = await signIn('owner');
  const response = await fetch(`${service.url}/v1/link-domains`, { headers: { cookie, origin: service.url } });
  expect(response.status).toBe(401);
});

test('sessions have no other operation of the API', async () => {
  const { cookie } = await signIn('owner');
  for (const { role, method, path } of Object.values<OperationForm>(API)) {
    if (role !== undefined) continue;
    const url = `${service.url}/console/api${path.replace('{id}', ours.intro)}`;
    const headers = { cookie, origin: service.url, 'sec-fetch-site': 'same-origin', 'idempotency-key': 'a-key' };
    const { status } = await fetch(url, { method, headers });
    expect([method, path, status]).toEqual([method, path, method === 'GET' ? 404 : 405]);
  }
});

describe.each(OPERATIONS.filter(([, { role }]) => role !== 'member'))('%s', (key, { role: needed }) => {
  test(`rejects roles below ${needed}, and changes nothing`, async () => {
    const before = await readAll();
    for (const role of ROLES.filter((one) => rank(one) < rank(needed))) {
      const { status, error } = await call(await signIn(role), key, ours);
      expect([role, status, error.code]).toEqual([role, 403, 'forbidden']);
    }
    expect(await readAll()).toEqual(before);
  });
});

describe.each(NAMED)('%s', (key) => {
  test('finds and changes nothing of another organization', async () => {
    const before = await readAll();
    const { status, error } = await call(await signIn('stranger'), key, ours);
    expect([status, error.code]).toEqual([404, 'not_found']);
    expect(await readAll()).toEqual(before);
  });
});

describe.each(NAMED.filter(([, { role }]) => role === 'member'))('%s', (key) => {
  test('finds and changes nothing of another member', async () => {
    const before = await readAll();
    const { status, error } = await call(await signIn('member'), key, ours);
    expect([status, error.code]).toEqual([404, 'not_found']);
    expect(await readAll()).toEqual(before);
  });
});

test('no list names an object of another organization', async () => {
  const secrets = [acme.id, ...Object.values(gathered)];
  const client = await signIn('stranger');
  for (const [key] of OPERATIONS.filter(([name]) => name.startsWith('GET ') && !name.includes('{'))) {
    const { status, body } = await call(client, key, ours);
    expect([key, status]).toEqual([key, 200]);
    const text = JSON.stringify(body);
    expect([key, secrets.filter((secret) => text.includes(secret))]).toEqual([key, []]);
  }
});
