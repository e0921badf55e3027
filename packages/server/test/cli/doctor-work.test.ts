import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkWork } from '../../src/cli/doctor/work.ts';
import { type Database, openDatabase } from '../../src/platform/db.ts';
import type { Tables } from '../../src/tables.ts';
import { insertOrganization } from '../delivery/organization-rows.ts';
import { createTestDatabase, type TestDatabase } from '../harness/index.ts';

let database: TestDatabase;
let db: Database<Tables>;
beforeAll(async () => {
  database = await createTestDatabase();
  db = openDatabase<Tables>({ connectionString: database.url }, { max: 1, name: 'test', onError: () => undefined });
});
afterAll(async () => {
  await db.close();
  await database.drop();
});

const findings = async () => (await checkWork(db)).map(({ name, status, message }) => `${name} ${status}: ${message}`);

test('the doctor reports events that wait, late messages and a backlog of webhooks', async () => {
  expect(await findings()).toEqual([
    'events ok: No event waits for long.',
    'messages ok: No text and no email is late.',
    'webhooks ok: No backlog.',
  ]);
  const { tenant, memberId } = await insertOrganization(database, {}, new Date());
  await database.query(
    `insert into touchpoint_events (organization_id, environment, id, status, touchpoint_id, touchpoint_name, member_id, request,
       created_at)
     values ($1, 'test', 'evt_1', 'accepted', 'tp_1', 'Update', $2, '{}', now() - interval '90 seconds')`,
    [tenant.organizationId, memberId],
  );
  await database.query(
    `insert into messages (organization_id, environment, id, intro_id, audience, purpose, status, due_at, created_at)
     values ($1, 'test', 'msg_1', 'int_1', 'member', 'ask', 'scheduled', now() - interval '10 minutes', now())`,
    [tenant.organizationId],
  );
  await database.query(
    `insert into webhook_deliveries (organization_id, environment, message_id, endpoint_id, status, due_at, created_at)
     select $1, 'test', 'msg_' || n, 'we_1', 'pending', now(), now() from generate_series(1, 10001) n`,
    [tenant.organizationId],
  );
  expect(await findings()).toEqual([
    expect.stringMatching(/^events problem: Accepted events wait for up to (9|10)\d s\.$/),
    expect.stringMatching(/^messages problem: Texts or emails are up to 6[0-9]\d s late\.$/),
    'webhooks warning: 10001 webhooks wait.',
  ]);
});
