import { afterAll, expect, test } from 'vitest';
import { checkWork } from '../../src/cli/doctor/work.ts';
import { openDatabase } from '../../src/platform/db.ts';
import type { Tables } from '../../src/tables.ts';
import { insertOrganization } from '../delivery/organization-rows.ts';
import { createTestDatabase, forFile } from '../harness/index.ts';

const database = await forFile(createTestDatabase(), (opened) => opened.drop());
const options = { max: 1, name: 'test', onError: () => undefined };
const db = openDatabase<Tables>({ connectionString: database.url }, options);
afterAll(() => db.close());

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
    expect.stringMatching(/^events problem: Accepted events wait for up to \d+ s\.$/),
    expect.stringMatching(/^messages problem: Texts or emails are up to \d+ s late\.$/),
    'webhooks warning: 10001 webhooks wait.',
  ]);
});
