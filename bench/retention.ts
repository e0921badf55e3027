import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { systemClock } from '../packages/server/src/platform/clock.ts';
import { openDatabase } from '../packages/server/src/platform/db.ts';
import { findRunningPostgres } from '../packages/server/src/platform/embedded-postgres.ts';
import { idBound } from '../packages/server/src/platform/ids.ts';
import { sweepRetention } from '../packages/server/src/retention/index.ts';
import type { Tables } from '../packages/server/src/tables.ts';
import { atLeast, atMost, type Finding, info, median, perSecond, print, times } from './figures.ts';
import { type LoadReport, postEvents } from './load.ts';
import { connectToDatabase, drain, prepareDataDir, startService } from './service.ts';

const CONNECTIONS = 16;
const ROUNDS = 7;
const SECONDS = 5;
const QUICK_ROUNDS = 1;
const QUICK_SECONDS = 2;
const WARM_UP_SECONDS = 5;
const DRAIN_LIMIT_S = 120;
/** More than a sweep removes in a round. */
const ROWS_PER_ROUND = 40_000;
const MIN_OF_USUAL = 0.9;
const MAX_P99_OF_USUAL = 1.5;
const DAY_MS = 86_400_000;

/** Rows that every rule would remove: sent intros with a text, and requests of the log. */
async function addOldRows(database: pg.Client, round: number): Promise<void> {
  const at = new Date(Date.now() - 2_000 * DAY_MS + round * 60_000);
  const id = (prefix: string) => `'${idBound(prefix, at)}' || lpad(n::text, 16, '0')`;
  const rows = `generate_series(1, ${ROWS_PER_ROUND}) n, (select organization_id, id from members limit 1) m`;
  const time = `timestamptz '${at.toISOString()}'`;
  await database.query(`
    insert into intros (organization_id, environment, id, status, member_id, recipient_first_name, recipient_phone, instructed,
        responsibility, metadata, created_at, sent_at)
      select m.organization_id, 'test', ${id('int')}, 'sent', m.id, 'Dana', '+15005550111', false, 'service', '{}', ${time}, ${time}
      from ${rows}`);
  await database.query(`
    insert into messages (organization_id, environment, id, intro_id, audience, purpose, channel, status, round, due_at, created_at,
        accepted_at, settled_at, address)
      select m.organization_id, 'test', ${id('msg')}, ${id('int')}, 'recipient', 'deliver', 'text', 'delivered', 0, ${time}, ${time},
        ${time}, ${time}, '+15005550111'
      from ${rows}`);
  await database.query(`
    insert into request_log (organization_id, environment, id, key_id, method, path, status, duration_ms, body_bytes, created_at)
      select m.organization_id, 'test', ${id('req')}, 'key_1', 'POST', '/v1/intros', 201, 1, 0, ${time}
      from ${rows}`);
}

interface Round {
  readonly usual: LoadReport;
  readonly sweeping: LoadReport;
  readonly removed: number;
}

/** Whether accepting slows down while a worker removes old data. Both kinds of rounds alternate in one run. */
export async function measureRetention(quick: boolean): Promise<Finding[]> {
  const { dataDir, key } = await prepareDataDir();
  const service = await startService({ dataDir });
  const database = await connectToDatabase(dataDir);
  const connection = await findRunningPostgres(dataDir);
  if (connection === null) throw new Error('the database is not running');
  const db = openDatabase<Tables>(connection, {
    use: 'background',
    name: 'bench sweep',
    max: 1,
    onError: () => undefined,
  });
  const seconds = quick ? QUICK_SECONDS : SECONDS;
  const load = (duration: number) =>
    postEvents({ url: `${service.url}/v1/touchpoint-events`, key, connections: CONNECTIONS, seconds: duration });

  async function runSweeping(): Promise<Pick<Round, 'sweeping' | 'removed'>> {
    const stopping = new AbortController();
    const sweep = sweepRetention({ db, clock: systemClock, signal: stopping.signal });
    const sweeping = await load(seconds);
    const isWorking = await Promise.race([sweep.then(() => false), sleep(0, true)]);
    if (!isWorking) throw new Error('the sweep ended before the round: add more rows');
    stopping.abort();
    const removed = Object.values(await sweep).reduce((sum, count) => sum + count, 0);
    return { sweeping, removed };
  }

  await load(WARM_UP_SECONDS);
  const rounds: Round[] = [];
  for (let round = 0; round < (quick ? QUICK_ROUNDS : ROUNDS); round++) {
    await drain(database, DRAIN_LIMIT_S);
    await addOldRows(database, round);
    await database.query('checkpoint');
    const isFirst = round % 2 === 0;
    const first = isFirst ? await load(seconds) : null;
    await drain(database, DRAIN_LIMIT_S);
    const swept = await runSweeping();
    await drain(database, DRAIN_LIMIT_S);
    const usual = first ?? (await load(seconds));
    rounds.push({ usual, ...swept });
    const [without, during] = [usual.requests / usual.seconds, swept.sweeping.requests / swept.sweeping.seconds];
    print(
      `  usual ${perSecond(without)}  sweeping ${perSecond(during)}  ratio ${times(during / without)}  ` +
        `removed ${swept.removed}  p99 ${usual.p99Ms} and ${swept.sweeping.p99Ms} ms`,
    );
  }
  await db.close();
  await database.end();
  const ratio = (of: (round: Round) => number) => median(rounds.map(of));
  const failures = rounds.reduce((sum, { usual, sweeping }) => sum + usual.failures + sweeping.failures, 0);
  return [
    info('accepted without a sweep', perSecond(ratio(({ usual }) => usual.requests / usual.seconds))),
    info('removed by the sweep', perSecond(ratio(({ removed, sweeping }) => removed / sweeping.seconds))),
    atLeast(
      'accepted during a sweep, compared with the round without',
      ratio(({ usual, sweeping }) => sweeping.requests / sweeping.seconds / (usual.requests / usual.seconds)),
      MIN_OF_USUAL,
      times,
    ),
    atMost(
      '  p99',
      ratio(({ usual, sweeping }) => sweeping.p99Ms / usual.p99Ms),
      MAX_P99_OF_USUAL,
      times,
    ),
    atMost('  not accepted', failures, 0, String),
  ];
}
