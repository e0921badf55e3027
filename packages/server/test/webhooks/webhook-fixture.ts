import type { CreateWebhookEndpoint, WebhookEndpoint, WebhookEventType } from '@foreword/contract';
import { expect } from 'vitest';
import { type Database, inTransaction } from '../../src/db/pools.ts';
import type { Row, Tables, Tenant } from '../../src/db/tenancy.ts';
import { useOperations } from '../../src/http/index.ts';
import { createTraces } from '../../src/intros/traces/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { createOutbound } from '../../src/platform/outbound.ts';
import { createSeal } from '../../src/platform/seal.ts';
import { toServerKey } from '../../src/platform/server-key.ts';
import {
  createContentSeal,
  createPublish,
  MAX_CONCURRENT_ATTEMPTS,
  WebhookSender,
  webhookOperations,
} from '../../src/webhooks/index.ts';
import type { WebhookSenderDeps } from '../../src/webhooks/sender.ts';
import { openTestPool } from '../db/fixture.ts';
import { type Receiver, startReceiver } from './receiver.ts';

const SEAL_KEY = Buffer.alloc(32, 7);
export const CONTENTS = createContentSeal(toServerKey(SEAL_KEY));

export function openSender(db: Database<Tables>, url: string, changes: Partial<WebhookSenderDeps> = {}): WebhookSender {
  const sender = new WebhookSender({
    yieldToRequests: async () => undefined,
    db,
    connection: { connectionString: url },
    clock: systemClock,
    chance: () => 0.5,
    seal: createSeal(SEAL_KEY),
    contents: CONTENTS,
    outbound: createOutbound({ allowPrivate: true, connectionsPerOrigin: MAX_CONCURRENT_ATTEMPTS }),
    log: createLogger('silent'),
    metrics: createMetrics(),
    traces: createTraces(undefined),
    ...changes,
  });
  sender.start();
  return sender;
}

/** The webhooks module on a real database, with a clock that a test can advance. */
export async function openFixture() {
  const pool = await openTestPool({ max: 5, keyedPlans: true });
  const { database, db } = pool;
  let offsetMs = 0;
  const clock = () => new Date(systemClock().getTime() + offsetMs);
  const deps = { db, clock, seal: createSeal(SEAL_KEY), contents: CONTENTS, allowPrivate: true };
  const use = useOperations(db, webhookOperations(deps));
  const senders: WebhookSender[] = [];
  const receivers: Receiver[] = [];
  /** Stops the senders and receivers of a test, so that they do not take the messages of the next one. */
  async function stopAll(): Promise<void> {
    for (const sender of senders.splice(0)) await sender.stop();
    for (const receiver of receivers.splice(0)) await receiver.close();
  }
  async function openReceiver(...args: Parameters<typeof startReceiver>) {
    const receiver = await startReceiver(...args);
    receivers.push(receiver);
    return receiver;
  }
  const newEndpoint = (tenant: Tenant, body: CreateWebhookEndpoint): Promise<WebhookEndpoint & { secret: string }> =>
    use('createWebhookEndpoint', { ...tenant, by: null }, { body });
  return {
    ...pool,
    use,
    clock,
    advance(ms: number) {
      offsetMs += ms;
    },
    newEndpoint,
    /** A receiver for every event of a new organization. */
    async newTarget(...args: Parameters<typeof startReceiver>) {
      const [receiver, tenant] = [await openReceiver(...args), await pool.newTenant()];
      return { receiver, tenant, endpoint: await newEndpoint(tenant, { url: receiver.url }) };
    },
    publish: (tenant: Tenant, type: WebhookEventType, ...objects: object[]) =>
      inTransaction(db.pool, (client) =>
        createPublish(CONTENTS)(
          client,
          objects.map((object) => ({ tenant, type, data: () => object })),
          clock(),
        ),
      ),
    stopAll,
    async attemptsOf(endpointId: string, count: number): Promise<Row<'webhook_attempts'>[]> {
      const read = () =>
        database.sql<Row<'webhook_attempts'>>`select * from webhook_attempts
          where endpoint_id = ${endpointId} order by id`;
      await expect.poll(async () => (await read()).length).toBe(count);
      return (await read()).map((row) => ({ ...row, answer: CONTENTS.openAnswer(row) }));
    },
    startReceiver: openReceiver,
    startSender(changes: Partial<WebhookSenderDeps> = {}) {
      const sender = openSender(db, database.url, { clock, ...changes });
      senders.push(sender);
      return sender;
    },
    async close() {
      await stopAll();
      await pool.close();
    },
  };
}
