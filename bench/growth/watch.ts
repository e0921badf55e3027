import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { atMost, type Finding, info, ms, times } from '../figures.ts';
import { BIG_TABLES } from './rows.ts';

/** PostgreSQL publishes its counters with a delay. */
const COUNTERS_SETTLE_MS = 1_500;
/** Shorter times are noise. */
const MIN_MS = 1;
const MAX_RATIO = 2;
const SHOWN_LENGTH = 70;
const IDLE_POLL_MS = 100;
/** Slightly longer than the service's statement timeout. */
const IDLE_LIMIT_MS = 35_000;

/** Disconnecting does not cancel a statement, and a running statement would affect the next measurement. */
export async function waitUntilIdle(database: pg.Client): Promise<void> {
  const { rows } = await database.query<{ now: Date }>('select clock_timestamp() as now');
  const active = `select from pg_stat_activity where datname = current_database() and state = 'active'
    and pid <> pg_backend_pid() and query_start < $1`;
  for (let waitedMs = 0; waitedMs < IDLE_LIMIT_MS; waitedMs += IDLE_POLL_MS) {
    if ((await database.query(active, [rows[0]?.now])).rowCount === 0) return;
    await sleep(IDLE_POLL_MS);
  }
}

export async function countScans(database: pg.Client): Promise<Map<string, number>> {
  await sleep(COUNTERS_SETTLE_MS);
  const { rows } = await database.query<{ relname: string; seq_scan: string }>(
    'select relname, seq_scan from pg_stat_user_tables where relname = any($1)',
    [BIG_TABLES],
  );
  return new Map(rows.map((row) => [row.relname, Number(row.seq_scan)]));
}

export function evaluateScans(before: Map<string, number>, after: Map<string, number>): Finding[] {
  return BIG_TABLES.map((table) => {
    const scans = (after.get(table) ?? 0) - (before.get(table) ?? 0);
    return atMost(`sequential scans of ${table}`, scans, 0, String);
  });
}

export async function resetStatements(database: pg.Client): Promise<void> {
  await database.query('create extension if not exists pg_stat_statements');
  await database.query('select pg_stat_statements_reset()');
}

async function readTimes(database: pg.Client): Promise<Map<string, number>> {
  const { rows } = await database.query<{ query: string; mean: number }>(
    `select query, (sum(total_exec_time) / sum(calls))::float8 as mean from pg_stat_statements
     where dbid = (select oid from pg_database where datname = current_database()) and toplevel and calls > 1
     group by query`,
  );
  return new Map(rows.map(({ query, mean }) => [query, mean]));
}

/**
 * Finds statements that slowed down, including background ones. A plan can be bad without a sequential scan, which the
 * service disables: reading a whole index costs as much.
 */
export async function evaluateStatements(few: pg.Client, many: pg.Client): Promise<Finding[]> {
  const [before, after] = [await readTimes(few), await readTimes(many)];
  const slower: Finding[] = [];
  for (const [query, mean] of after) {
    // A statement that never ran with few rows counts as slower, because there is nothing to compare.
    const ratio = mean / (before.get(query) ?? 0);
    if (mean < MIN_MS || ratio <= MAX_RATIO) continue;
    const shown = query.replaceAll(/\s+/g, ' ').trim().slice(0, SHOWN_LENGTH);
    slower.push(info(`  ${ms(mean / ratio)} and ${ms(mean)}: ${shown}`, times(ratio)));
  }
  return [atMost(`statements that take more than ${times(MAX_RATIO)} as long`, slower.length, 0, String), ...slower];
}
