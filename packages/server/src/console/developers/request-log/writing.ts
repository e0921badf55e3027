import { sql } from 'kysely';
import type pg from 'pg';
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Queryable } from '../../../platform/db.ts';
import type { RequestLogRow, Tables } from '../../../tables.ts';
import { forgottenBefore } from './rules.ts';

export interface Gap {
  readonly organization_id: string;
  readonly environment: 'test';
  readonly hour: Date;
  readonly requests: number;
}

const COLUMNS = {
  organization_id: 'text',
  environment: 'text',
  id: 'text',
  key_id: 'text',
  method: 'text',
  path: 'text',
  query: 'text',
  status: 'smallint',
  error_code: 'text',
  duration_ms: 'real',
  body: 'text',
  body_bytes: 'integer',
  answer: 'text',
  object_id: 'text',
  created_at: 'timestamptz',
} as const satisfies Record<keyof RequestLogRow, string>;

const names = Object.keys(COLUMNS) as (keyof RequestLogRow)[];
const list = names.join(', ');

/** A request comes once; counts of a busy hour are added up, in one order by everybody. */
const WRITE = {
  name: 'write the request log',
  text: `
with written as (
  insert into request_log (${list})
  select ${list} from unnest(${names.map((name, i) => `$${i + 1}::${COLUMNS[name]}[]`).join(', ')}) as r(${list})
  on conflict do nothing
)
insert into request_log_gaps as g (organization_id, environment, hour, requests)
select organization_id, environment, hour, requests
from json_to_recordset($${names.length + 1}::json)
  as s(organization_id text, environment text, hour timestamptz, requests integer)
order by organization_id, environment, hour
on conflict (organization_id, environment, hour) do update set requests = g.requests + excluded.requests`,
};

export async function writeLog(pool: pg.Pool, rows: readonly RequestLogRow[], gaps: readonly Gap[]): Promise<void> {
  const columns = names.map((name) => rows.map((row) => row[name]));
  await pool.query({ ...WRITE, values: [...columns, JSON.stringify(gaps)] });
}

const BATCH = 2_000;

const FORGET = (before: Date) => sql<{ n: number }>`
  with old as materialized (
    select organization_id, id from request_log where created_at < ${before} order by created_at limit ${BATCH}
  ), gone as (
    delete from request_log r using old where r.organization_id = old.organization_id and r.id = old.id returning 1
  )
  select count(*)::int as n from gone`;

/** Any number of workers may run it at the same time: what one has deleted the other does not find. */
export async function deleteOldRequests({ kysely: db }: Database<Tables>, clock: Clock): Promise<void> {
  const before = forgottenBefore(clock());
  const forgetSome = async () => (await FORGET(before).execute(db)).rows[0]?.n ?? 0;
  while ((await forgetSome()) === BATCH);
  await forgetGaps(db, before);
}

async function forgetGaps(db: Queryable<Tables>, before: Date): Promise<void> {
  await db.deleteFrom('request_log_gaps').where('hour', '<', before).execute();
}
