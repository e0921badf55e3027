import { setTimeout as pause } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { DatabaseClock } from '../db/clock.ts';
import type { DatabaseHealth } from '../db/health.ts';
import { isMigrated } from '../db/migrate.ts';
import { isReachable } from '../db/pools.ts';
import type { Database } from '../db/tenancy.ts';
import type { CarrierWatch } from '../delivery/index.ts';
import { readOpenApi } from '../http/docs/openapi.ts';
import { oldestAcceptedAgeMs } from '../intros/events/index.ts';
import { INSTANCE_HEADER } from '../platform/data-dir.ts';
import { createCachedDocument } from '../platform/encoding.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Space } from '../platform/objects/index.ts';
import { isSame } from '../platform/seal.ts';

const READY_TIMEOUT_MS = 2_000;
/** The highest level would take ten times as long, while the first reader waits. */
const OPENAPI_QUALITY = 9;

/** Prometheus reads them here. */
export function registerMetrics(app: FastifyInstance, { registry }: Metrics, token: string | undefined): void {
  const mayRead = (authorization: string) => token === undefined || isSame(authorization, `Bearer ${token}`);
  app.get('/metrics', { config: { operation: 'metrics' } }, async ({ headers }, reply) => {
    if (!mayRead(headers.authorization ?? '')) {
      reply.code(401).header('www-authenticate', 'Bearer').type('text/plain; charset=utf-8');
      return 'Send METRICS_TOKEN as "Authorization: Bearer …".\n';
    }
    reply.type(registry.contentType);
    return registry.metrics();
  });
}

const passes = (check: () => Promise<boolean>): Promise<boolean> =>
  Promise.race([check().catch(() => false), pause(READY_TIMEOUT_MS, false, { ref: false })]);

/** Health, readiness and the OpenAPI document. */
export function registerOperatorRoutes(
  app: FastifyInstance,
  deps: {
    db: Database;
    space: Space;
    databaseClock: DatabaseClock;
    databaseHealth: DatabaseHealth;
    publicUrl: string;
    instance: string;
    carriers: CarrierWatch;
    isStopping: () => boolean;
  },
): void {
  const { db, databaseClock } = deps;
  const checks = {
    database: () => isReachable(db.pool),
    migrations: () => isMigrated(db.pool),
    queue: async () => (await oldestAcceptedAgeMs(db.pool, databaseClock.now())) >= 0,
  };
  const sendOpenApi = createCachedDocument({
    type: 'application/json; charset=utf-8',
    quality: OPENAPI_QUALITY,
    read: () => Buffer.from(JSON.stringify(readOpenApi(deps.publicUrl))),
  });

  app.get('/healthz', { config: { operation: 'healthz' } }, async (_request, reply) => {
    reply.header(INSTANCE_HEADER, deps.instance);
    if (deps.databaseHealth.isHealthy()) return { status: 'ok' };
    reply.code(503);
    return { status: 'failing', checks: { database: 'failing' } };
  });
  app.get('/readyz', { config: { operation: 'readyz' } }, async (_request, reply) => {
    const running = Object.entries(checks).map(async ([name, check]) => [name, await passes(check)] as const);
    const results = await Promise.all(running);
    const ready = !deps.isStopping() && results.every(([, ok]) => ok);
    reply.code(ready ? 200 : 503);
    const shown = Object.fromEntries(results.map(([name, ok]) => [name, ok ? 'ok' : 'failing']));
    return {
      status: deps.isStopping() ? 'stopping' : ready ? 'ready' : 'not ready',
      checks: shown,
      carriers: deps.carriers.states(),
      storage: await deps.space.state(),
      warnings: [deps.databaseClock.warning()].filter((warning) => warning !== null),
    };
  });
  app.get('/openapi.json', { config: { operation: 'openapi' } }, sendOpenApi);
}
