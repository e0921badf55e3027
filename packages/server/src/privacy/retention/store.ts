import type { RetentionRule } from '@foreword/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type TableName, tablesWhere } from '../../db/tables.ts';
import { acrossTenants, type Db, forTenant, type Tenant, type Tx } from '../../db/tenancy.ts';
import { idBound } from '../../platform/ids.ts';
import type { Choice } from './rules.ts';

/** The rows to remove: of one organization, from before a time. */
interface Period {
  /** The condition that a row belongs to the organization. */
  owns(alias: string): RawBuilder<SqlBool>;
  readonly organizationId: string;
  readonly before: Date;
}

/** One table of a rule with the rows that go with each of its rows. */
export interface Part {
  readonly table: TableName;
  /** Identifies the row, within the organization. */
  readonly key: string;
  /** Rows are removed in the order of this column. A later batch starts where the one before it stopped. */
  readonly order: string;
  /** Further columns that `remove` needs. */
  readonly columns?: RawBuilder<unknown>;
  /** The due rows, as `t`. */
  due(period: Period): RawBuilder<SqlBool>;
  /** Excludes due rows that need no work, which a preview still counts. */
  readonly isOpen?: RawBuilder<SqlBool>;
  /** Data-modifying parts of a statement with the rows as `due`. */
  remove(period: Period): RawBuilder<unknown>;
}

/** Removes rows whose `id` is the key, and rows that refer to it. */
const deleteFrom = (table: TableName, column: string, { organizationId }: Period) => sql`
  ${sql.ref(`old_${table}`)} as (delete from ${sql.table(table)} x using due
    where x.organization_id = ${organizationId} and x.${sql.ref(column)} = due.key)`;

/**
 * Ids begin with the time of their creation, so a range of the primary key has the old rows. No other index is needed, and
 * accepting maintains none.
 */
const isOlder = (prefix: string, { owns, before }: Period) => sql<SqlBool>`
  ${owns('t')} and t.id < ${idBound(prefix, before)} and t.created_at < ${before}`;

/** The sweep of files deletes the files at their next check, and then marks the row. */
const VIDEOS: Part = {
  table: 'recordings',
  key: 'id',
  order: 'ready_at',
  due: ({ owns, before }) => sql`${owns('t')} and t.deleted_at is null and t.status = 'ready' and t.ready_at < ${before}
    and exists (select from intros i where i.organization_id = t.organization_id and i.id = t.intro_id
      and i.recording_id = t.id and i.status = 'sent' and i.sent_at < ${before})`,
  isOpen: sql`t.files_check_at > now()`,
  remove: ({ organizationId }) => sql`
    checked as (update recordings x set files_check_at = now() from due
      where x.organization_id = ${organizationId} and x.id = due.key)`,
};

/** The emails to owners and managers that name the recipient of a due intro, and the figures of those weekly summaries. */
const teamEmails = ({ owns }: Period) => sql`
    declined as (delete from owner_emails l using due, intro_declines d
      where ${owns('d')} and d.intro_id = due.key
        and ${owns('l')} and l.purpose = 'intro_declined' and position(due.key in l.body) > 0),
    weeks as materialized (select distinct s.week from weekly_summaries s
      cross join json_array_elements(s.figures -> 'longest') as e join due on due.key = e ->> 'id'
      where ${owns('s')}),
    weekly as (delete from owner_emails l using weeks
      where ${owns('l')} and l.purpose = 'weekly_summary' and l.week = weeks.week),
    summaries as (delete from weekly_summaries s using weeks where ${owns('s')} and s.week = weeks.week)`;

/** Webhooks about a due intro, and responses to requests that changed it, may be much younger than its end: a page is watched later. */
const laterChanges = ({ owns, organizationId }: Period) => sql`
    responses as (update idempotency_keys k set response = null from due
      where ${owns('k')} and k.object_id = due.key and k.response is not null),
    webhooks as (delete from webhook_messages w using due where ${owns('w')} and w.object_id = due.key returning w.id as key),
    ${sql.join(
      (['webhook_deliveries', 'webhook_attempts'] as const).map(
        (table) => sql`${sql.ref(`old_${table}`)} as (delete from ${sql.table(table)} x using webhooks
          where x.organization_id = ${organizationId} and x.message_id = webhooks.key)`,
      ),
    )}`;

/** Tables whose rows are removed with their intro, also when their own rule keeps them longer. */
const OF_INTROS = tablesWhere(
  ({ recipient, retention }) => typeof retention === 'string' && (recipient === 'intro_id' || recipient === 'address'),
);

/**
 * The links stay: they have only hashes, and tell a closed page from an unknown one. The event, emails to the team, webhooks and responses
 * go even if their own period is longer: they name the recipient, and an erasure finds them only through the intro.
 */
const INTROS: Part = {
  table: 'intros',
  key: 'id',
  order: 'id',
  columns: sql`, t.recipient_phone as phone, t.event_id`,
  due: (period) => sql`${isOlder('int', period)} and t.status in ('sent', 'cancelled', 'expired')
    and coalesce(case t.status when 'sent' then t.sent_at when 'cancelled' then t.cancelled_at else t.expires_at end,
      t.created_at) < ${period.before}
    and not exists (select from recordings r
      where r.organization_id = t.organization_id and r.intro_id = t.id and r.deleted_at is null)
    and not exists (select from message_queue m where m.organization_id = t.organization_id and m.intro_id = t.id)`,
  remove: (period) => sql`
    numbers as (delete from texted_numbers n using due
      where ${period.owns('n')} and n.phone = due.phone and n.texted_at < ${period.before}),
    flags as (delete from flagged_numbers f using due
      where ${period.owns('f')} and f.phone = due.phone and f.flagged_at < ${period.before}),
    events as (delete from touchpoint_events e using due where ${period.owns('e')} and e.id = due.event_id),
    ${teamEmails(period)},
    ${laterChanges(period)},
    ${sql.join(OF_INTROS.map((table) => deleteFrom(table, 'intro_id', period)))},
    ${deleteFrom('intros', 'id', period)}`,
};

/** Old rows that nothing else goes with. */
const oldRows = (table: TableName, prefix: string, isDue: (before: Date) => RawBuilder<unknown>): Part => ({
  table,
  key: 'id',
  order: 'id',
  due: (period) => sql`${isOlder(prefix, period)} ${isDue(period.before)}`,
  remove: (period) => deleteFrom(table, 'id', period),
});

const EVENTS = oldRows('touchpoint_events', 'evt', (before) => sql`and t.settled_at < ${before}`);

const MESSAGES = oldRows(
  'messages',
  'msg',
  (before) => sql`and coalesce(t.settled_at, t.accepted_at, t.created_at) < ${before}
    and not exists (select from intros i
      where i.organization_id = t.organization_id and i.id = t.intro_id and i.status in ('requested', 'ready'))`,
);

const OWNER_EMAILS = oldRows(
  'owner_emails',
  'msg',
  (before) => sql`and t.status <> 'scheduled' and coalesce(t.settled_at, t.created_at) < ${before}`,
);

const SUMMARIES: Part = {
  table: 'weekly_summaries',
  key: 'week',
  order: 'created_at',
  due: ({ owns, before }) => sql`${owns('t')} and t.created_at < ${before}`,
  remove: ({ owns }) => sql`
    rows as (delete from weekly_summaries x using due where ${owns('x')} and x.week = due.key)`,
};

const REQUESTS = oldRows('request_log', 'req', () => sql``);

const REQUEST_GAPS: Part = {
  table: 'request_log_gaps',
  key: 'hour',
  order: 'hour',
  due: ({ owns, before }) => sql`${owns('t')} and t.hour < ${before}`,
  remove: ({ owns }) => sql`
    rows as (delete from request_log_gaps x using due where ${owns('x')} and x.hour = due.key)`,
};

const WEBHOOKS: Part = {
  table: 'webhook_messages',
  key: 'id',
  order: 'id',
  due: (period) => sql`${isOlder('msg', period)} and not exists (select from webhook_deliveries d
    where d.organization_id = t.organization_id and d.message_id = t.id and d.due_at is not null)`,
  remove: (period) => sql`
    ${deleteFrom('webhook_deliveries', 'message_id', period)},
    ${deleteFrom('webhook_messages', 'id', period)}`,
};

/** An attempt may be younger than its message, which is sent again on request. */
const ATTEMPTS: Part = {
  table: 'webhook_attempts',
  key: 'id',
  order: 'message_id',
  columns: sql`, t.endpoint_id`,
  due: ({ owns, before }) =>
    sql`${owns('t')} and t.message_id < ${idBound('msg', before)} and t.created_at < ${before}`,
  remove: ({ organizationId }) => sql`
    rows as (delete from webhook_attempts x using due
      where x.organization_id = ${organizationId} and x.endpoint_id = due.endpoint_id and x.id = due.key)`,
};

/** The key and its fingerprint stay. */
const RESPONSES: Part = {
  table: 'idempotency_keys',
  key: 'key_hash',
  order: 'created_at',
  due: ({ owns, before }) => sql`${owns('t')} and t.response is not null and t.created_at < ${before}`,
  remove: ({ owns }) => sql`
    rows as (update idempotency_keys x set response = null from due where ${owns('x')} and x.key_hash = due.key)`,
};

/** The tables of each rule. The first has the objects that a preview counts. The audit log is deleted by its own function. */
export const PARTS: Readonly<Record<Exclude<RetentionRule, 'audit'>, readonly [Part, ...Part[]]>> = {
  videos: [VIDEOS],
  intros: [INTROS],
  events: [EVENTS],
  messages: [MESSAGES, OWNER_EMAILS, SUMMARIES],
  requests: [REQUESTS, REQUEST_GAPS],
  webhooks: [WEBHOOKS, ATTEMPTS],
  responses: [RESPONSES],
};

const periodOf = (db: Db, tenant: Tenant, before: Date): Period => ({
  owns: forTenant(db, tenant).owns,
  organizationId: tenant.organizationId,
  before,
});

/** The `order` of the last row of a batch. */
type Cursor = string | Date;

interface Batch {
  readonly removed: number;
  /** Null: nothing was due. */
  readonly last: Cursor | null;
}

/** Removes up to `limit` due rows, from the cursor on. Rows that others have locked are left for the next sweep. */
export async function removeBatch(
  tx: Tx,
  tenant: Tenant,
  part: Part,
  { before, from, limit }: { readonly before: Date; readonly from: Cursor | null; readonly limit: number },
): Promise<Batch> {
  const period = periodOf(tx, tenant, before);
  const order = sql.ref(`t.${part.order}`);
  const { rows } = await sql<Batch>`
    with due as materialized (
      select ${sql.ref(`t.${part.key}`)} as key, ${order} as place ${part.columns ?? sql``}
      from ${sql.table(part.table)} t
      where ${part.due(period)} ${part.isOpen === undefined ? sql`` : sql`and ${part.isOpen}`}
        ${from === null ? sql`` : sql`and ${order} >= ${from}`}
      order by ${order} limit ${limit} for update of t skip locked
    ), ${part.remove(period)}
    select count(*)::int as removed, max(place) as last from due`.execute(tx);
  return rows[0] ?? { removed: 0, last: null };
}

/** How many objects are due, up to `limit`. */
export async function countDue(
  db: Db,
  tenant: Tenant,
  part: Part,
  { before, limit }: { readonly before: Date; readonly limit: number },
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (
      select from ${sql.table(part.table)} t where ${part.due(periodOf(db, tenant, before))} limit ${limit}
    ) counted`.execute(db);
  return rows[0]?.n ?? 0;
}

/** A crash may lose the removal of a batch, which the next sweep repeats. So a commit need not wait for the disk. */
export async function commitLazily(tx: Tx): Promise<void> {
  await sql`set local synchronous_commit = off`.execute(tx);
}

const COLUMNS = ['days', 'earlier_days', 'changed_at'] as const;

/** The choices of one organization, by rule. */
export async function findChoices(db: Db, tenant: Tenant): Promise<ReadonlyMap<RetentionRule, NonNullable<Choice>>> {
  const rows = await forTenant(db, tenant)
    .selectFrom('retention_settings')
    .select(['rule', ...COLUMNS])
    .execute();
  return new Map(rows.map(({ rule, ...choice }) => [rule, choice]));
}

export async function saveChoice(
  db: Db,
  { organizationId: organization_id, environment }: Tenant,
  rule: RetentionRule,
  choice: NonNullable<Choice>,
): Promise<void> {
  await acrossTenants(db)
    .insertInto('retention_settings')
    .values({ organization_id, environment, rule, ...choice })
    .onConflict((on) => on.columns(['organization_id', 'environment', 'rule']).doUpdateSet(choice))
    .execute();
}

/** Every organization with its choice for the rule. */
export async function listChoices(
  db: Db,
  rule: RetentionRule,
): Promise<readonly { readonly tenant: Tenant; readonly choice: Choice; readonly auditDays: number | null }[]> {
  const rows = await acrossTenants(db)
    .selectFrom('organizations as o')
    .leftJoin('retention_settings as s', (on) =>
      on.onRef('s.organization_id', '=', 'o.id').on('s.environment', '=', 'test').on('s.rule', '=', rule),
    )
    .select(['o.id', 'o.audit_days', 's.days', 's.earlier_days', 's.changed_at'])
    .orderBy('o.id')
    .execute();
  return rows.map(({ id, audit_days: auditDays, days, earlier_days, changed_at }) => ({
    tenant: { organizationId: id, environment: 'test' },
    choice: days === null || changed_at === null ? null : { days, earlier_days, changed_at },
    auditDays,
  }));
}
