import type pg from 'pg';
import { type Finding, info } from '../figures.ts';

const SHOWN = 15;
const SHOWN_LENGTH = 80;

/** The statements that take the most time of each event. Elapsed time within PostgreSQL, so waiting for a disk counts. */
export async function listStatements(database: pg.Client, events: number): Promise<Finding[]> {
  const { rows } = await database.query<{ query: string; calls: number; rows: number; total_ms: number }>(
    `select query, calls::float8, rows::float8, total_exec_time::float8 as total_ms from pg_stat_statements
     where dbid = (select oid from pg_database where datname = current_database()) and toplevel
     order by total_exec_time desc limit $1`,
    [SHOWN],
  );
  return rows.map(({ query, calls, rows: count, total_ms }) => {
    const text = query.replaceAll(/\s+/g, ' ').trim().slice(0, SHOWN_LENGTH);
    const each = `${Math.round((total_ms * 1_000) / events)} µs`;
    return info(`  ${text}`, `${each}, ${(calls / events).toFixed(3)} calls, ${(count / events).toFixed(2)} rows`);
  });
}
