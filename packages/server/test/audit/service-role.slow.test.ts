import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createIntro, eventually, introOfEvent } from '../acceptance/support/actions.ts';
import { createApi, createTestDatabase, createTestOrganization, forFile, startService } from '../harness/index.ts';

const ROLE = `foreword_service_${randomBytes(4).toString('hex')}`;
const GUIDE = path.join(import.meta.dirname, '../../../../docs/self-hosting/console.md');
const RECORDED_WITHIN_MS = 60_000;

/** The statements of the guide, for a role that only this test has. */
function documentedGrants(): string {
  const section = fs.readFileSync(GUIDE, 'utf8').split('## Audit log')[1]?.split('\n## ')[0] ?? '';
  const sql = /```sql\n([^`]+)```/.exec(section)?.[1];
  if (sql === undefined) throw new Error(`${GUIDE} has no statements for the role of the service`);
  return sql.replaceAll('foreword_service', ROLE);
}

const database = await forFile(createTestDatabase(), (opened) => opened.drop());
await database.query(`create role ${ROLE} login`);
await database.query(documentedGrants());
const url = new URL(database.url);
url.searchParams.set('user', ROLE);
const settings = { DATABASE_URL: url.href, FOREWORD_DEMO: 'off', RATE_LIMIT: 'off' };
const service = await forFile(startService(settings), (opened) => opened.stop());
const organization = await createTestOrganization(settings, service.url);
afterAll(() => database.query(`drop owned by ${ROLE}; drop role ${ROLE}`));

test('a service whose role owns no table processes an event until it is sent, and writes the audit log', async () => {
  const { api } = organization;
  const event = await introOfEvent(api, { recipient: { first_name: 'Dana', phone: '+15005550123' } });
  await api.post(`/v1/test_helpers/intros/${event.id}/record`);
  const find = async () => (await api.get(`/v1/intros/${event.id}`)).body;
  await eventually(find, { status: 'sent' }, RECORDED_WITHIN_MS);
  const direct = await createIntro(api);
  expect((await api.post(`/v1/intros/${direct.id}/cancel`)).body.status).toBe('cancelled');
  const actions = await database.sql<{ action: string }>`select action from audit_entries
    where organization_id = ${organization.id} order by id`;
  expect(actions.map(({ action }) => action)).toContain('intro.cancelled');
});

test.each(['update audit_entries set action = action', 'delete from audit_entries', 'truncate audit_entries'])(
  'the role of the service is refused: %s',
  async (statement) => {
    const before = await database.query('select id from audit_entries');
    expect(before.length).toBeGreaterThan(0);
    await expect(database.query(`begin; set local role ${ROLE}; ${statement}; commit`)).rejects.toThrow(
      'permission denied',
    );
    await database.query('rollback');
    expect(await database.query('select id from audit_entries')).toEqual(before);
  },
);

test('the role of the service cannot drop the trigger or the table', async () => {
  for (const statement of ['drop trigger audit_entries_append_only on audit_entries', 'drop table audit_entries']) {
    await expect(database.query(`do $$ begin set local role ${ROLE}; ${statement}; end $$`)).rejects.toThrow(
      'must be owner',
    );
  }
});

test('a service with that role removes entries that are old enough', async () => {
  const id = 'aud_00000000000000000000000001';
  await database.sql`insert into audit_entries (organization_id, environment, id, at, action, actor_type)
     values (${organization.id}, 'test', ${id}, now() - interval '400 days', 'brand.changed', 'system')`;
  // A worker sweeps at its start.
  const worker = await startService({ DATABASE_URL: url.href, FOREWORD_DEMO: 'off', FOREWORD_ROLE: 'worker' });
  try {
    await eventually(
      () => database.sql`select id from audit_entries where id = ${id}`,
      { length: 0 },
      RECORDED_WITHIN_MS,
    );
  } finally {
    await worker.stop();
  }
  expect((await createApi(service.url, organization.key).get('/v1/touchpoints')).status).toBe(200);
});
