/** The SQL of intros. */

import { NO_PROVIDER } from '@foreword/contract';
import { type RawBuilder, sql, type UpdateResult } from 'kysely';
import type pg from 'pg';
import type { Condition } from '../db/lists.ts';
import { planned, planOnce } from '../db/statements.ts';
import { type Database, type Db, keyColumns, type ObjectOfTenant, queryForTenant, type Tenant } from '../db/tenancy.ts';
import {
  API_FIELDS,
  type IntroField,
  type IntroFields,
  type IntroWithMember,
  JOINED_FIELDS,
  type JoinedRow,
} from './fields.ts';

/** As literals, so that the planner sees that a partial index contains the rows. */
export const HAS_PROVIDER = sql`error_code not in (${sql.join(NO_PROVIDER.map((code) => sql.lit(code)))})`;

/**
 * One lookup by key. The messages to an earlier member do not count: reminders by hand have rounds of their own, so they count from
 * the first message to the current member on. A missing provider is not an error of the member.
 */
export const NOTICE = sql<{ notified_at: Date | null; error_code: string | null; error_message: string | null }>`(
  select notified_at, case when is_failed then error_code end as error_code, case when is_failed then error_message end as error_message
  from (select *, is_unsent and ${HAS_PROVIDER} as is_failed from (
    select min(accepted_at) filter (where status in ('accepted', 'delivered')) as notified_at,
      not bool_or(status in ('accepted', 'delivered') or (status in ('scheduled', 'sending') and purpose = 'ask')) as is_unsent,
      (array_agg(error_code order by settled_at desc, id desc) filter (where status in ('failed', 'undelivered')))[1] as error_code,
      (array_agg(error_message order by settled_at desc, id desc) filter (where status in ('failed', 'undelivered')))[1] as error_message
    from all_messages
    where organization_id = i.organization_id and intro_id = i.id and audience = 'member' and (
      (purpose in ('ask', 'remind', 'remind_last') and round = i.link_generation)
      or (purpose = 'remind_by_hand' and created_at >= (
        select min(asked.created_at) from all_messages asked
        where asked.organization_id = i.organization_id and asked.intro_id = i.id and asked.purpose = 'ask'
          and asked.round = i.link_generation))
    )
  ) messages) messages
)`;

/** Each is one lookup by key for each intro that can have such a row, and none for the others. `offset 0` forces that. */
const JOINS: Readonly<Record<JoinedRow, RawBuilder<unknown>>> = {
  member: sql`cross join lateral (
    select * from members where organization_id = i.organization_id and id = i.member_id offset 0
  ) member`,
  touchpoint: sql`left join lateral (
    select * from touchpoints
    where slug = i.touchpoint_slug and organization_id = i.organization_id and environment = i.environment offset 0
  ) touchpoint on true`,
  text: sql`left join lateral (
    select * from message_queue
    where organization_id = i.organization_id and intro_id = i.id and purpose = 'deliver'
      and i.status = 'ready' and i.responsibility = 'service'
    order by round desc limit 1
  ) text on true`,
  sent_text: sql`left join lateral (
    select status, carrier from messages
    where intro_id = i.id and organization_id = i.organization_id and purpose = 'deliver' and accepted_at is not null
      and i.status = 'sent' and i.responsibility = 'service'
    order by id desc limit 1
  ) sent_text on true`,
  // A reply on the page opens it, and a text needs one to reply to.
  reply: sql`left join lateral (
    select * from intro_replies
    where organization_id = i.organization_id and intro_id = i.id and (i.opened_at is not null or i.sent_at is not null)
    order by number desc limit 1
  ) reply on true`,
  decline: sql`left join lateral (
    select * from intro_declines
    where organization_id = i.organization_id and intro_id = i.id and generation = i.declined_generation
      and i.declined_generation = i.link_generation and i.status = 'requested' offset 0
  ) decline on true`,
  notice: sql`left join lateral ${NOTICE} notice on true`,
  video: sql`left join lateral (
    select * from recordings where organization_id = i.organization_id and id = i.recording_id offset 0
  ) video on true`,
  organization: sql`left join lateral (
    select * from organizations where id = i.organization_id and i.recording_id is not null offset 0
  ) organization on true`,
  take: sql`left join lateral (
    select * from recordings
    where organization_id = i.organization_id and intro_id = i.id and member_id = i.member_id and status <> 'discarded'
    order by coalesce(received_at, created_at) desc, id desc limit 1
  ) take on true`,
  opted: sql`cross join lateral (select exists (
    select from opt_outs
    where organization_id = i.organization_id and environment = i.environment and phone = i.recipient_phone
  ) as out) opted`,
};

/**
 * The fields of the intros that `rows` selects, in an order of `i`. Every list of intros goes through here. Selects the intros first
 * and joins after: joining first would read and sort every intro. Planning takes 5 ms, so `rows` must have few texts.
 */
export async function readFields<Name extends IntroField>(
  db: Db,
  names: readonly Name[],
  rows: Condition,
  order: Condition,
): Promise<Pick<IntroFields, Name>[]> {
  const joined: Partial<Record<string, string>> = JOINED_FIELDS;
  const columns = names.map((name) => (joined[name] === undefined ? `i.${name}` : `${joined[name]} as ${name}`));
  const used = new Set(columns.map((column) => column.split('.')[0]));
  const joins = Object.entries(JOINS).flatMap(([alias, join]) => (used.has(alias) ? [join] : []));
  const statement = sql<Pick<IntroFields, Name>>`
select ${sql.raw(columns.join(', '))}
from (${rows}) i
${sql.join(joins, sql`\n`)}
order by ${order}`;
  return (await db.executeQuery(planOnce(statement.compile(db)))).rows;
}

/** The rows of the intros of a batch that exist, with their `place` in it. */
export function rowsOf(intros: readonly ObjectOfTenant[]): Condition {
  const [organizations, environments, ids] = keyColumns(intros);
  return sql`
  select x.*, k.place
  from unnest(${organizations}::text[], ${environments}::text[], ${ids}::text[]) with ordinality
    as k(organization_id, environment, id, place)
  cross join lateral (
    select * from intros where organization_id = k.organization_id and environment = k.environment and id = k.id offset 0
  ) x`;
}

/** Whether the update of one row found it. */
export const changesRow = async (update: { executeTakeFirst(): Promise<UpdateResult> }): Promise<boolean> =>
  (await update.executeTakeFirst()).numUpdatedRows === 1n;

export const NEWEST_FIRST = sql`i.id desc`;

/** The intros of a batch that exist, newest first. */
export const readIntros = (db: Db, intros: readonly ObjectOfTenant[]): Promise<IntroWithMember[]> =>
  readFields(db, API_FIELDS, rowsOf(intros), NEWEST_FIRST);

export async function findIntro(db: Db, tenant: Tenant, id: string): Promise<IntroWithMember | null> {
  return (await readIntros(db, [{ tenant, id }]))[0] ?? null;
}

const FIND_NEWER = planned(`
select i.n::int - 1 as position
from unnest($1::text[], $2::text[], $3::text[], $4::int[])
  with ordinality as i(organization_id, environment, id, version, n)
cross join lateral (
  select from intros
  where organization_id = i.organization_id and environment = i.environment and id = i.id and version > i.version offset 0
) newer`);

export interface IntroVersion extends ObjectOfTenant {
  readonly version: number;
}

/** The positions of the intros that have a higher version. */
export async function findNewer(pool: pg.Pool, known: readonly IntroVersion[]): Promise<number[]> {
  const values = [...keyColumns(known), known.map(({ version }) => version)];
  return (await pool.query<{ position: number }>(FIND_NEWER, values)).rows.map(({ position }) => position);
}

export async function hasIntros({ pool }: Database, tenant: Tenant, memberId?: string): Promise<boolean> {
  const [condition, values] = memberId === undefined ? ['', []] : ['and member_id = $3', [memberId]];
  const any = `select 1 from intros where organization_id = $1 and environment = $2 ${condition} limit 1`;
  return (await queryForTenant(pool, tenant, any, values)).rows.length > 0;
}
