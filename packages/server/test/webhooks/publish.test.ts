import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { inTransaction } from '../../src/platform/db.ts';
import type { Tenant, WebhookMessageRow } from '../../src/tables.ts';
import { createPublish, type DomainEvent } from '../../src/webhooks/index.ts';
import { forFile } from '../harness/index.ts';
import { CONTENTS, openFixture } from './webhook-fixture.ts';

const publish = createPublish(CONTENTS);

const fixture = await forFile(openFixture());
const [subscribed, unsubscribed] = [await fixture.newTenant(), await fixture.newTenant()];
await fixture.newEndpoint(subscribed, { url: 'http://127.0.0.1:1/', events: ['intro.*'] });

const never = (): never => {
  throw new Error('no endpoint subscribes to this');
};
const event = (tenant: Tenant, type: DomainEvent['type'], data: () => object = () => ({ n: 1 })): DomainEvent => ({
  tenant,
  type,
  data,
});
const counts = () =>
  fixture.database.query(
    'select (select count(*)::int from webhook_messages) as messages, (select count(*)::int from webhook_deliveries) as deliveries',
  );

/** Counts the statements of one connection. */
async function statementsOf(work: (client: pg.PoolClient) => Promise<void>): Promise<number> {
  let statements = 0;
  await inTransaction(fixture.db.pool, async (client) => {
    const counting = new Proxy(client, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        if (name === 'query') statements += 1;
        return value.bind(target);
      },
    });
    await work(counting);
  });
  return statements;
}

describe('publishing', () => {
  test('costs one statement if no endpoint subscribes, and stores nothing', async () => {
    const events = [
      event(unsubscribed, 'intro.ready', never),
      event(unsubscribed, 'intro.sent', never),
      event(subscribed, 'recipient.opted_out', never),
    ];
    expect(await statementsOf((client) => publish(client, events, fixture.clock()))).toBe(1);
    expect(await statementsOf((client) => publish(client, [], fixture.clock()))).toBe(0);
    expect(await counts()).toEqual([{ messages: 0, deliveries: 0 }]);
  });

  test('is rolled back with the change', async () => {
    const doomed = inTransaction(fixture.db.pool, async (client) => {
      await publish(client, [event(subscribed, 'intro.ready')], fixture.clock());
      throw new Error('the change failed');
    });
    await expect(doomed).rejects.toThrow('the change failed');
    expect(await counts()).toEqual([{ messages: 0, deliveries: 0 }]);
  });

  test('works in transactions of Kysely and of the pool, costs two statements for any number of events, and wakes the senders', async () => {
    const listener = new pg.Client({ connectionString: fixture.database.url });
    await listener.connect();
    const payloads: string[] = [];
    listener.on('notification', ({ payload }) => payloads.push(payload ?? ''));
    await listener.query('listen foreword_webhooks');
    const many = Array.from({ length: 100 }, () => event(subscribed, 'intro.ready'));
    expect(await statementsOf((client) => publish(client, many, fixture.clock()))).toBe(2);
    // A node joins the hints of half a second.
    await expect.poll(() => payloads.length).toBe(1);
    const now = fixture.clock();
    await fixture.db.kysely.transaction().execute((tx) => publish(tx, [event(subscribed, 'intro.sent')], now));
    expect(await counts()).toEqual([{ messages: 101, deliveries: 101 }]);
    const [row] = await fixture.database.query<WebhookMessageRow>(
      "select * from webhook_messages where type = 'intro.sent'",
    );
    const payload = `{"type":"intro.sent","timestamp":"${now.toISOString()}","data":{"n":1}}`;
    expect(CONTENTS.openPayload(row as WebhookMessageRow)).toBe(payload);
    await expect.poll(() => payloads.length).toBe(2);
    expect(payloads[0]).toMatch(new RegExp(`^${subscribed.organizationId} whk_`));
    await listener.end();
  });
});
