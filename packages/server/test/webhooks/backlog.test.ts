import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { openFixture } from './webhook-fixture.ts';

/** More than one statement changes. */
const BACKLOG = 45_000;

const fixture = await forFile(openFixture());

test('a backlog of an endpoint is discarded, replayed and deleted as a whole', async () => {
  const tenant = await fixture.newTenant();
  const { id } = await fixture.newEndpoint(tenant, { url: 'http://127.0.0.1:1/' });
  await fixture.database.sql`
    insert into webhook_deliveries (organization_id, environment, message_id, endpoint_id, status, due_at, created_at, failures)
    select ${tenant.organizationId}, 'test', 'msg_' || n, ${id}, 'pending', now() + interval '1 hour', now(), n % 2
    from generate_series(1, ${BACKLOG}::int) n`;
  const count = async () => {
    const rows = await fixture.database.sql<{ status: string; n: number }>`
      select status, count(*)::int as n from webhook_deliveries where endpoint_id = ${id} group by status`;
    return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
  };
  const caller = { ...tenant, by: null };
  const replay = async () =>
    (await fixture.use('replayWebhooks', caller, { params: { id }, body: { since: '2020-01-01T00:00:00Z' } })).messages;
  const turn = (active: boolean) => fixture.use('updateWebhookEndpoint', caller, { params: { id }, body: { active } });

  expect(await replay()).toBe(Math.ceil(BACKLOG / 2));
  await turn(false);
  expect(await count()).toEqual({ failed: BACKLOG });
  await turn(true);
  expect(await replay()).toBe(BACKLOG);
  expect(await count()).toEqual({ pending: BACKLOG });
  await fixture.use('deleteWebhookEndpoint', caller, { params: { id } });
  expect(await count()).toEqual({});
});
