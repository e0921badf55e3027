import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { inTransaction } from '../../src/db/pools.ts';
import type { Row, Tenant } from '../../src/db/tenancy.ts';
import { readEventObjects, retrieveEvent } from '../../src/intros/events/index.ts';
import { createIntroEvents, findIntro, presentIntro } from '../../src/intros/index.ts';
import { createLinks } from '../../src/intros/links/index.ts';
import { toServerKey } from '../../src/platform/server-key.ts';
import { createPublish, type DomainEvent } from '../../src/webhooks/index.ts';
import { forFile } from '../harness/index.ts';
import { openRows } from '../retention/old-rows.ts';
import { CONTENTS, openFixture } from './webhook-fixture.ts';

const publish = createPublish(CONTENTS);
const links = createLinks(toServerKey(Buffer.alloc(32, 7)), 'https://go.acme.example');
const introEvents = createIntroEvents(links, publish);

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

interface Change {
  readonly event: DomainEvent;
  /** As the API returns it. */
  readonly object: { readonly id: string };
}

/** An endpoint for all events, a member and a touchpoint. */
async function newTeam(tenant: Tenant): Promise<void> {
  await fixture.newEndpoint(tenant, { url: 'http://127.0.0.1:1/', events: ['*'] });
  const { insert } = openRows(fixture.database, tenant.organizationId);
  const created = { environment: 'test', created_at: fixture.clock() };
  const names = { first_name: 'Sam', last_name: 'Carter', email: 'sam@acme.example' };
  await insert('members', { ...created, ...names, id: 'mem_1', role: 'member' });
  const template = { page_title: 'Update', script: 'Hi', context: 'none', delivery: 'service', minutes_to_record: 60 };
  const touchpoint = { id: 'tp_1', slug: 'update', name: 'Update', position: 99, updated_at: fixture.clock() };
  await insert('touchpoints', { ...created, ...template, ...touchpoint });
}

/** An event and its intro. */
async function processedEvent(tenant: Tenant, at: Date): Promise<Change[]> {
  const { kysely } = fixture.db;
  const rows = openRows(fixture.database, tenant.organizationId);
  const request = { touchpoint: 'update', occurred_at: at.toISOString(), metadata: { area: 1.5 } };
  const id = await rows.event(at, { request: JSON.stringify(request) });
  const introId = await rows.intro(at, { event_id: id });
  const intro = (await findIntro(kysely, tenant, introId)) ?? never();
  const introEvent = introEvents.toDomainEvent({ tenant, introId, type: 'intro.requested' });
  return [
    {
      event: { tenant, type: 'touchpoint_event.processed', id, read: readEventObjects },
      object: await retrieveEvent(kysely, tenant, id),
    },
    { event: introEvent, object: presentIntro(intro, links.pageUrl) },
  ];
}

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
        return (...values: unknown[]) => {
          if (name === 'query') statements += 1;
          return value.apply(target, values);
        };
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
    const [row] = await fixture.database.query<Row<'webhook_messages'>>(
      "select * from webhook_messages where type = 'intro.sent'",
    );
    const payload = `{"type":"intro.sent","timestamp":"${now.toISOString()}","data":{"n":1}}`;
    expect(CONTENTS.openPayload(row as Row<'webhook_messages'>)).toBe(payload);
    await expect.poll(() => payloads.length).toBe(2);
    expect(payloads[0]).toMatch(new RegExp(`^${subscribed.organizationId} whk_`));
    await listener.end();
  });

  test('reads the intros and events of a batch with one statement each, however many there are', async () => {
    const now = fixture.clock();
    const tenants = [await fixture.newTenant(), await fixture.newTenant()];
    for (const tenant of tenants) await newTeam(tenant);
    for (const size of [1, 20]) {
      const changes: Change[] = [];
      for (let n = 0; n < size; n++) for (const tenant of tenants) changes.push(...(await processedEvent(tenant, now)));
      const events = changes.map(({ event }) => event);
      expect(await statementsOf((client) => publish(client, events, now))).toBe(4);
      const stored = await fixture.database.sql<Row<'webhook_messages'>>`select * from webhook_messages
        where object_id = any(${changes.map(({ object }) => object.id)}) order by ctid`;
      const payloads = changes.map(({ event: { type }, object }) => ({
        type,
        timestamp: now.toISOString(),
        data: object,
      }));
      expect(stored.map((row) => CONTENTS.openPayload(row))).toEqual(
        payloads.map((payload) => JSON.stringify(payload)),
      );
    }
    const [tenant] = tenants as [Tenant];
    const [, { event } = never()] = await processedEvent(tenant, now);
    const missing = { ...event, id: 'int_missing' };
    await expect(statementsOf((client) => publish(client, [event, missing], now))).rejects.toThrow(
      'int_missing does not',
    );
  });
});
