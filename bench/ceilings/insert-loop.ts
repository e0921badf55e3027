import { createHash } from 'node:crypto';
import pg from 'pg';
import { systemClock } from '../../packages/server/src/platform/clock.ts';
import { startEmbeddedPostgres } from '../../packages/server/src/platform/embedded-postgres.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';
import { migrate } from '../../packages/server/src/platform/migrate.ts';

/**
 * The ceiling of a simple design: one transaction per event, with one connection per caller. Arguments: data folder, event body.
 * Runs one round per message. Exits with its parent.
 */
export interface LoopRound {
  readonly connections: number;
  readonly seconds: number;
}

export interface LoopReport {
  readonly transactions: number;
  readonly seconds: number;
}

const [dataDir = '', body = ''] = process.argv.slice(2);
const ORGANIZATION = newId('org', systemClock());
const TOUCHPOINT = newId('tch', systemClock());
const MEMBER = newId('mem', systemClock());

const database = await startEmbeddedPostgres({ dataDir });
await migrate(database.connection);
let sent = 0;

async function insertEvent(client: pg.Client): Promise<void> {
  sent += 1;
  const now = systemClock();
  const id = newId('evt', now);
  const scattered = ((sent * 2_654_435_761) % 4_294_967_296).toString(16).padStart(8, '0');
  await client.query('begin');
  await client.query({
    name: 'key',
    text: 'insert into idempotency_keys (organization_id, environment, key, fingerprint, object_id) values ($1, $2, $3, $4, $5)',
    values: [
      ORGANIZATION,
      'test',
      `acme_crm:loop-${scattered}:new_appointment`,
      createHash('sha256').update(body).digest(),
      id,
    ],
  });
  await client.query({
    name: 'event',
    text: `insert into touchpoint_events (organization_id, environment, id, status, touchpoint_id, member_id, request, created_at)
      values ($1, $2, $3, 'accepted', $4, $5, $6, $7)`,
    values: [ORGANIZATION, 'test', id, TOUCHPOINT, MEMBER, body, now],
  });
  await client.query('commit');
}

async function runRound({ connections, seconds }: LoopRound): Promise<LoopReport> {
  const clients = Array.from({ length: connections }, () => new pg.Client({ ...database.connection }));
  await Promise.all(clients.map((client) => client.connect()));
  const started = performance.now();
  const end = started + seconds * 1000;
  let transactions = 0;
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < end) {
        await insertEvent(client);
        transactions += 1;
      }
    }),
  );
  const elapsed = (performance.now() - started) / 1000;
  await Promise.all(clients.map((client) => client.end()));
  return { transactions, seconds: elapsed };
}

process.on('message', async (round: LoopRound) => {
  const report = await runRound(round);
  // The bench may have exited in the meantime.
  if (process.connected) process.send?.(report);
});
process.on('disconnect', () => void database.stop().then(() => process.exit(0)));
process.send?.('ready');
