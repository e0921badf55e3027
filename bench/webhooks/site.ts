import type { ChildProcess } from 'node:child_process';
import { createOrganization, testTenant } from '../../packages/server/src/organizations/index.ts';
import { systemClock } from '../../packages/server/src/platform/clock.ts';
import { type Database, inTransaction, openDatabase } from '../../packages/server/src/platform/db.ts';
import { findRunningPostgres } from '../../packages/server/src/platform/embedded-postgres.ts';
import { Hints } from '../../packages/server/src/platform/hints.ts';
import { createSeal } from '../../packages/server/src/platform/seal.ts';
import { openServerKey } from '../../packages/server/src/platform/server-key.ts';
import type { Tables, Tenant } from '../../packages/server/src/tables.ts';
import {
  addEndpoint,
  createContentSeal,
  createPublish,
  type Publish,
  SEAL_PURPOSE,
} from '../../packages/server/src/webhooks/index.ts';
import { ask, atEnd, startPart } from '../children.ts';
import { prepareDataDir, type Service, startService } from '../service.ts';
import type { Arrival, Ports, ReceiverRequest } from './receivers.ts';

/** Makes a payload as large as an intro. */
export const PADDING = 'x'.repeat(1_000);

export interface Bench {
  readonly db: Database<Tables>;
  readonly publish: Publish;
  readonly receivers: ChildProcess;
  readonly loop: ChildProcess;
  readonly urls: string[];
  /** One organization with one endpoint for each responding receiver. */
  readonly tenants: Tenant[];
  /** Likewise, with receivers that never respond. */
  readonly hanging: Tenant[];
  readonly service: Service;
  readonly dataDir: string;
  /** The key of an organization without endpoints. */
  readonly eventsKey: string;
}

export const nowMs = () => performance.timeOrigin + performance.now();
export const askReceivers = ({ receivers }: Bench, request: ReceiverRequest) => ask(receivers, request);

export async function openBench(): Promise<Bench> {
  const { dataDir, key: eventsKey } = await prepareDataDir();
  const service = await startService({ dataDir, environment: { WEBHOOKS_ALLOW_PRIVATE: 'on' } });
  const connection = await findRunningPostgres(dataDir);
  if (connection === null) throw new Error('the database does not run');
  // As a node of the service does, so that its sender is woken.
  const hints = new Hints();
  const db = openDatabase<Tables>(connection, { max: 2, name: 'bench', hints, onError: () => undefined });
  hints.sendWith(db.pool);
  atEnd(async () => {
    await hints.close();
    await db.close().catch(() => undefined);
  });
  const receivers = await startPart('webhooks/receivers.ts', []);
  const loop = await startPart('webhooks/post-loop.ts', []);
  const request: ReceiverRequest = { type: 'ports' };
  const ports = (await ask(receivers, request)) as Ports;
  const key = openServerKey({ dataDir, given: undefined });
  const seal = createSeal(key.derive(SEAL_PURPOSE));
  const publish = createPublish(createContentSeal(key));
  const addTenant = (url: string): Promise<Tenant> =>
    db.kysely.transaction().execute(async (tx) => {
      const values = { name: 'Bench', industry: 'real_estate' as const, lanes: [], timezone: 'America/Chicago' };
      const tenant = testTenant((await createOrganization(tx, systemClock, values)).id);
      await addEndpoint(tx, { clock: systemClock, seal }, tenant, { url, events: ['*'], active: true });
      return tenant;
    });
  const urlsOf = (list: readonly number[]) => list.map((port) => `http://127.0.0.1:${port}/hook`);
  const urls = urlsOf(ports.answering);
  const tenants: Tenant[] = [];
  const hanging: Tenant[] = [];
  for (const url of urls) tenants.push(await addTenant(url));
  for (const url of urlsOf(ports.hanging)) hanging.push(await addTenant(url));
  return { db, publish, receivers, loop, urls, tenants, hanging, service, dataDir, eventsKey };
}

/** Publishes in one transaction. Returns when it committed, in ms since 1970. */
export async function publishBatch(
  { db, publish }: Bench,
  batch: readonly (readonly [tenant: Tenant, n: number])[],
): Promise<number> {
  const events = batch.map(([tenant, n]) => ({
    tenant,
    type: 'intro.ready' as const,
    data: () => ({ object: 'intro', n, padding: PADDING }),
  }));
  await inTransaction(db.pool, (client) => publish(client, events, systemClock()));
  return nowMs();
}

export async function awaitArrivals(bench: Bench, count: number): Promise<readonly Arrival[]> {
  const arrivals = (await askReceivers(bench, { type: 'arrivals', count })) as Arrival[];
  const different = new Set(arrivals.map(([n]) => n)).size;
  if (different !== count) throw new Error(`${different} of ${count} webhooks arrived`);
  return arrivals;
}

export function tenantOf(tenants: readonly Tenant[], n: number): Tenant {
  const tenant = tenants[n % tenants.length];
  if (tenant === undefined) throw new Error('no organization was created');
  return tenant;
}

/** Webhooks that wait for a hanging endpoint must not affect the next round. */
export async function giveUpWaiting({ db }: Bench): Promise<void> {
  await db.pool.query("update webhook_deliveries set status = 'failed', due_at = null where due_at is not null");
}
