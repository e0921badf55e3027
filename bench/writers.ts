import type pg from 'pg';
import { insertIntros, type NewIntroRow } from '../packages/server/src/intros/store/creation.ts';
import { type Connection, openDatabase } from '../packages/server/src/platform/db.ts';
import { startEmbeddedPostgres } from '../packages/server/src/platform/embedded-postgres.ts';
import { newId } from '../packages/server/src/platform/ids.ts';
import type { Tables } from '../packages/server/src/tables.ts';
import { atLeast, type Finding, info, median, perSecond, print, times } from './figures.ts';
import { prepareDataDir } from './service.ts';

const WRITERS = [1, 4, 16, 64] as const;
const ROWS = 20;
const ROUNDS = 5;
const SECONDS = 2;
const WARM_UP_SECONDS = 1;
/** Commits with hints, compared with commits that report nothing. A hint costs a packet, which a single writer waits for. */
const MIN_OF_SILENT = 0.8;
const HOUR_MS = 3_600_000;

/** The body of the SQL function `hint` in each mode: no report, a hint to the client, or NOTIFY in the transaction. */
const REPORTS = {
  nothing: 'null',
  hint: `raise info using errcode = 'WH001', message = channel || ' ' || payload`,
  notify: 'perform pg_notify(channel, payload)',
} as const;
type Report = keyof typeof REPORTS;
const REPORT_NAMES = Object.keys(REPORTS) as Report[];

/** The statements of the service call this function, so that its body decides what a commit reports. */
const setReport = (pool: pg.Pool, report: Report) =>
  pool.query(`create or replace function hint(channel text, payload text) returns void language plpgsql as $$
    begin ${REPORTS[report]}; end $$`);

const BARE_ROWS = {
  name: 'bare rows',
  text: `with inserted as (insert into bench_rows select n, 'Dana Reyes' from generate_series(1, ${ROWS}) n returning n)
    select hint('bench', '') from inserted limit 1`,
};

type Write = (client: pg.Pool) => Promise<unknown>;

/** Commits per second of all writers together. */
async function writeFor(pool: pg.Pool, writers: number, seconds: number, write: Write): Promise<number> {
  const begunMs = performance.now();
  const end = begunMs + seconds * 1_000;
  let commits = 0;
  await Promise.all(
    Array.from({ length: writers }, async () => {
      while (performance.now() < end) {
        await write(pool);
        commits += 1;
      }
    }),
  );
  return (commits / (performance.now() - begunMs)) * 1_000;
}

function newIntro(organizationId: string, memberId: string): NewIntroRow {
  const now = new Date();
  return {
    organization_id: organizationId,
    environment: 'test',
    id: newId('int', now),
    status: 'requested',
    event_id: null,
    touchpoint_slug: null,
    touchpoint_version: null,
    member_id: memberId,
    recipient_first_name: 'Dana',
    recipient_last_name: 'Reyes',
    recipient_phone: '+15005550111',
    recipient_language: 'en',
    reference: null,
    reference_id: null,
    context: null,
    script: 'Hi Dana, this is Ana. See you on Tuesday.',
    script_language: 'en',
    instructed: false,
    responsibility: 'service',
    metadata: {},
    created_at: now,
    expires_at: new Date(now.getTime() + 24 * HOUR_MS),
  };
}

async function measureWriters(
  connection: Connection,
  { name, writers, rounds, seconds }: { name: string; writers: number; rounds: number; seconds: number },
  writeOf: (pool: pg.Pool) => Promise<Write>,
): Promise<Finding[]> {
  const options = { use: 'background', max: writers, name: 'bench', keyedPlans: true } as const;
  const db = openDatabase<Tables>(connection, { ...options, onError: () => undefined });
  const write = await writeOf(db.pool);
  await writeFor(db.pool, writers, WARM_UP_SECONDS, write);
  const measured = { nothing: [] as number[], hint: [] as number[], notify: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    for (const report of round % 2 === 0 ? REPORT_NAMES : REPORT_NAMES.toReversed()) {
      await setReport(db.pool, report);
      measured[report].push(await writeFor(db.pool, writers, seconds, write));
    }
  }
  await setReport(db.pool, 'hint');
  await db.close();
  const ratio = (report: Report) =>
    median(measured[report].map((commits, round) => commits / (measured.nothing[round] ?? Number.NaN)));
  const label = `${name}, ${writers} ${writers === 1 ? 'writer' : 'writers'}`;
  const line = REPORT_NAMES.map((report) => `${report} ${perSecond(median(measured[report]))}`).join('  ');
  print(`  ${label}: ${line}`);
  return [
    info(`${label}: commits that report nothing`, perSecond(median(measured.nothing))),
    atLeast('  with hints, compared with these', ratio('hint'), MIN_OF_SILENT, times),
    info('  with NOTIFY, compared with these', times(ratio('notify'))),
  ];
}

/** Commits per second of several writers, with hints and with NOTIFY. The three kinds alternate in one run. */
export async function measureWriterCommits(quick: boolean): Promise<Finding[]> {
  const { dataDir } = await prepareDataDir();
  const server = await startEmbeddedPostgres({ dataDir });
  const effort = quick ? { rounds: 1, seconds: 0.5 } : { rounds: ROUNDS, seconds: SECONDS };
  const findings: Finding[] = [];
  try {
    for (const writers of WRITERS) {
      findings.push(
        ...(await measureWriters(server.connection, { name: `${ROWS} rows`, writers, ...effort }, async (pool) => {
          await pool.query('create table if not exists bench_rows (n integer, name text)');
          return (each) => each.query(BARE_ROWS);
        })),
      );
    }
    for (const writers of WRITERS) {
      findings.push(
        ...(await measureWriters(server.connection, { name: `${ROWS} intros`, writers, ...effort }, async (pool) => {
          const { rows } = await pool.query<{ organization_id: string; id: string }>(
            'select organization_id, id from members limit 1',
          );
          const [member] = rows;
          if (member === undefined) throw new Error('the organization has no member');
          const { organization_id: organizationId, id } = member;
          return (each) =>
            insertIntros(
              each,
              Array.from({ length: ROWS }, () => newIntro(organizationId, id)),
            );
        })),
      );
    }
  } finally {
    await server.stop();
  }
  return findings;
}
