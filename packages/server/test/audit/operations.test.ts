import { CONSOLE_OPERATIONS, OPERATIONS, type OperationForm } from '@foreword/contract';
import { expect, test } from 'vitest';
import { AUDITED_OPERATIONS, type AuditDeclaration } from '../../src/privacy/audit/index.ts';
import { openTeam } from '../console/team-fixture.ts';
import { forFile } from '../harness/index.ts';
import { type Audited, credentialsOf, prepareCall } from './operation-calls.ts';

interface Entry {
  readonly id: string;
  readonly action: string;
  readonly actor_type: string;
  readonly actor_id: string | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly request_id: string | null;
}

const DECLARED: Readonly<Record<string, AuditDeclaration>> = AUDITED_OPERATIONS;
const RECORDED = Object.entries(DECLARED).flatMap(([name, declared]) =>
  typeof declared === 'string'
    ? credentialsOf(name as Audited).map((credential) => [name, declared, credential] as const)
    : [],
);

const team = await forFile(openTeam());

/** The entries of operations. The worker adds `likeness.removed` at any time after a withdrawal of consent. */
const readEntries = (): Promise<Entry[]> =>
  team.database.sql<Entry & Record<string, unknown>>`select * from audit_entries
    where organization_id = ${team.organization.id} and action <> 'likeness.removed' order by at, id`;

test('every operation that is not a GET declares its action, or why it records none', () => {
  const all: Readonly<Record<string, OperationForm>> = { ...CONSOLE_OPERATIONS, ...OPERATIONS };
  const writes = Object.keys(all).filter((id) => all[id]?.method !== 'GET');
  expect(Object.keys(DECLARED).sort()).toEqual(writes.sort());
  for (const declared of Object.values(DECLARED)) {
    if (typeof declared !== 'string') expect(declared.exempt.length).toBeGreaterThan(10);
  }
});

test.each(RECORDED)(
  '%s writes one entry, %s, with actor, address and request, for a %s',
  async (name, action, credential) => {
    const call = await prepareCall(team, name as Audited, credential);
    if (call === undefined) return;
    const before = new Set((await readEntries()).map(({ id }) => id));
    const reply = await call();
    expect(reply.status, JSON.stringify(reply.body)).toBeLessThan(300);
    const written = (await readEntries()).filter((entry) => !before.has(entry.id));
    const isConsole = credential === 'session';
    expect(written).toEqual([
      expect.objectContaining({
        action,
        actor_type: isConsole ? 'member' : 'key',
        actor_id: isConsole ? expect.stringMatching(/^mem_/) : team.organization.keyId,
        ip: expect.stringMatching(/^(127\.0\.0\.1|::1)$/),
        user_agent: expect.any(String),
        request_id: reply.headers.get('request-id'),
      }),
    ]);
  },
);

test('a refused or repeated change writes no entry', async () => {
  const { id } = await team.add();
  const before = await readEntries();
  const refused = [
    await team.member.call('POST /members/{id}', { params: { id }, body: { first_name: 'Mallory' } }),
    await team.owner.call('POST /members/{id}', { params: { id }, body: { email: 'not an email' } }),
    await team.other.owner.call('POST /members/{id}', { params: { id }, body: { first_name: 'Mallory' } }),
    await team.owner.call('POST /members/{id}/restore-pages', { params: { id: 'mem_none' } }),
  ];
  expect(refused.every(({ status }) => status >= 400)).toBe(true);
  const same = await team.owner.call('POST /members/{id}', { params: { id }, body: { first_name: 'Person' } });
  expect(same.status).toBe(200);
  expect(await readEntries()).toEqual(before);
});

test('a role change has an action of its own, and no entry contains a value', async () => {
  const { id } = await team.add({ phone: '+14155550199' });
  const body = { role: 'manager', phone: '+14155550198', first_name: 'Zebulon' } as const;
  expect((await team.owner.call('POST /members/{id}', { params: { id }, body })).status).toBe(200);
  const entry = (await readEntries()).at(-1);
  expect(entry).toMatchObject({
    action: 'member.role_changed',
    object_id: id,
    fields: ['first_name', 'phone', 'role'],
  });
  const all = JSON.stringify(await readEntries());
  for (const value of ['+1415555', 'Zebulon', team.organization.key, 'acme.example']) expect(all).not.toContain(value);
});

test('sign-ins, refused sign-ins and the links of operators are recorded', async () => {
  const { organization, service, run } = team;
  const before = new Set((await readEntries()).map(({ id }) => id));
  const { url } = await run('signin', '--org', organization.id, '--email', 'manager@acme.example');
  const headers = { origin: service.url, 'sec-fetch-site': 'same-origin' };
  const open = () => fetch(service.url + new URL(url).pathname, { method: 'POST', headers, redirect: 'manual' });
  expect((await open()).status).toBe(303);
  expect((await open()).status).toBe(410);
  const written = (await readEntries()).filter(({ id }) => !before.has(id));
  expect(written).toMatchObject([
    { action: 'session.link_created', actor_type: 'operator', object_id: team.managerId, ip: null },
    { action: 'session.started', actor_type: 'member', actor_id: team.managerId, ip: expect.any(String) },
    { action: 'session.failed', object_id: team.managerId, reason: 'link_expired', ip: expect.any(String) },
  ]);
});

test('commands are recorded as the operator', async () => {
  const { id } = await team.run('member', 'create', '--org', team.organization.id, ...names('Cleo'));
  await team.run('member', 'deactivate', id);
  const written = (await readEntries()).slice(-2);
  expect(written).toMatchObject([
    { action: 'member.added', actor_type: 'operator', actor_id: null, object_id: id },
    { action: 'member.deactivated', actor_type: 'operator', actor_id: null, object_id: id },
  ]);
});

const names = (first: string) => ['--first-name', first, '--last-name', 'Ng', '--email', `${first}@acme.example`];
