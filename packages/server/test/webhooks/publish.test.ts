import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTransaction } from '../../src/platform/db.ts';
import type { Tenant } from '../../src/tables.ts';
import { type DomainEvent, publish } from '../../src/webhooks/index.ts';
import { openStage, type Stage } from './stage.ts';

let stage: Stage;
let wanting: Tenant;
let silent: Tenant;

beforeAll(async () => {
  stage = await openStage();
  [wanting, silent] = [await stage.newTenant(), await stage.newTenant()];
  await stage.newEndpoint(wanting, { url: 'http://127.0.0.1:1/', events: ['intro.*'] });
});
afterAll(() => stage.close());

const never = (): never => {
  throw new Error('nobody wants this');
};
const change = (tenant: Tenant, type: DomainEvent['type'], data: () => object = () => ({ n: 1 })): DomainEvent => ({
  tenant,
  type,
  data,
});
const counts = () =>
  stage.database.query(
    'select (select count(*)::int from webhook_messages) as messages, (select count(*)::int from webhook_deliveries) as deliveries',
  );

/** Counts the statements of one connection. */
async function statementsOf(work: (client: pg.PoolClient) => Promise<void>): Promise<number> {
  let statements = 0;
  await inTransaction(stage.db.pool, async (client) => {
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

describe('telling', () => {
  it('costs one statement where nobody wants to know, and makes nothing', async () => {
    const changes = [
      change(silent, 'intro.ready', never),
      change(silent, 'intro.sent', never),
      change(wanting, 'recipient.opted_out', never),
    ];
    expect(await statementsOf((client) => publish(client, changes, stage.clock()))).toBe(1);
    expect(await statementsOf((client) => publish(client, [], stage.clock()))).toBe(0);
    expect(await counts()).toEqual([{ messages: 0, deliveries: 0 }]);
  });

  it('is undone with the change that it tells', async () => {
    const doomed = inTransaction(stage.db.pool, async (client) => {
      await publish(client, [change(wanting, 'intro.ready')], stage.clock());
      throw new Error('the change failed');
    });
    await expect(doomed).rejects.toThrow('the change failed');
    expect(await counts()).toEqual([{ messages: 0, deliveries: 0 }]);
  });

  it('works in transactions of Kysely and of the pool, costs two statements for any number, and wakes workers', async () => {
    const listener = new pg.Client({ connectionString: stage.database.url });
    await listener.connect();
    const heard: string[] = [];
    listener.on('notification', ({ payload }) => heard.push(payload ?? ''));
    await listener.query('listen foreword_webhooks');
    const many = Array.from({ length: 100 }, () => change(wanting, 'intro.ready'));
    expect(await statementsOf((client) => publish(client, many, stage.clock()))).toBe(2);
    const now = stage.clock();
    await stage.db.kysely.transaction().execute((tx) => publish(tx, [change(wanting, 'intro.sent')], now));
    expect(await counts()).toEqual([{ messages: 101, deliveries: 101 }]);
    const [row] = await stage.database.query("select payload from webhook_messages where type = 'intro.sent'");
    expect(row).toEqual({ payload: `{"type":"intro.sent","timestamp":"${now.toISOString()}","data":{"n":1}}` });
    await expect.poll(() => heard.length).toBe(2);
    expect(heard[0]).toMatch(new RegExp(`^${wanting.organizationId} whk_`));
    await listener.end();
  });
});
