import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { type Connection, openDatabase } from '../packages/server/src/platform/db.ts';
import { startEmbeddedPostgres } from '../packages/server/src/platform/embedded-postgres.ts';
import { startPgBouncer } from '../packages/server/test/harness/pgbouncer.ts';
import { makeFolder } from './children.ts';
import { atMost, type Finding, info, median, times } from './figures.ts';

const MAX_RATIO = 6;
const CONNECTIONS = 10;

const microseconds = (valueMs: number): string => `${Math.round(valueMs * 1_000)} µs`;

/** The median time of a statement that looks up one value. */
async function measureStatement(connection: Connection, statements: number): Promise<number> {
  const db = openDatabase(connection, { max: CONNECTIONS, name: 'bench', keyedPlans: true, onError: () => undefined });
  const tookMs: number[] = [];
  for (let n = 0; n < statements; n++) {
    const startedMs = performance.now();
    await db.pool.query({ name: 'bench', text: 'select $1::int', values: [n] });
    tookMs.push(performance.now() - startedMs);
  }
  await db.close();
  return median(tookMs);
}

/** Measures a statement through PgBouncer in transaction mode against a direct connection. */
export async function measurePooler(quick: boolean): Promise<Finding[]> {
  const dataDir = makeFolder();
  chmodSync(dataDir, 0o711);
  const server = await startEmbeddedPostgres({ dataDir });
  try {
    const { connection } = server;
    const folder = join(dataDir, 'pgbouncer');
    const pooler = await startPgBouncer({
      folder,
      serverSocketDir: connection.host,
      mode: 'transaction',
      poolSize: CONNECTIONS,
    });
    try {
      const pooled = { ...connection, host: pooler.socketDir, pooled: true };
      const count = quick ? 200 : 5_000;
      const direct = await measureStatement(connection, count);
      const throughPooler = await measureStatement(pooled, count);
      return [
        info('a statement on a direct connection', microseconds(direct)),
        info('a statement through PgBouncer, transaction mode', microseconds(throughPooler)),
        atMost('… compared with the direct connection', throughPooler / direct, MAX_RATIO, times),
      ];
    } finally {
      await pooler.stop();
    }
  } finally {
    await server.stop();
  }
}
