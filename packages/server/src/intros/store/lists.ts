import {
  DAY_MS,
  type DeliveryStatus,
  INTRO_STATUSES,
  type IntroProblem,
  type IntroStatus,
  NEVER_SENT,
  PROBLEM_LIFE_DAYS,
  TEST_NUMBER_PREFIX,
  WAITING_REPLY_TYPES,
} from '@foreword/contract';
import { sql } from 'kysely';
import {
  allOf,
  anyOf,
  type Condition,
  hiddenLimit,
  idRange,
  type Period,
  type ScannedPage,
  scanPage,
} from '../../db/lists.ts';
import { type Db, forTenant, type Tenant } from '../../db/tenancy.ts';
import { before } from '../../platform/clock.ts';
import { idBound } from '../../platform/ids.ts';
import { CSV_FIELDS, type IntroFields, type IntroWithMember } from '../fields.ts';
import { HAS_PROVIDER, NOTICE, readFields, readIntros } from '../store.ts';

/** The conditions that an index covers, alone or in some combination. */
export interface IndexedFilter extends Partial<Period> {
  /** Empty: any status. */
  readonly statuses: readonly IntroStatus[];
  readonly memberId?: string | undefined;
  /** Null: intros without a touchpoint. Undefined: any. */
  readonly touchpoint?: string | null | undefined;
  readonly referenceId?: string | undefined;
  readonly after?: string | undefined;
  /** At least one of them, as `deliveryStatusOf` says. */
  readonly deliveries?: readonly DeliveryStatus[];
  /** Only those that were watched to the end. */
  readonly isWatched?: boolean;
  /** At least one of them, as `problemOf` says. */
  readonly problems?: ProblemFilter | undefined;
}

interface ProblemFilter {
  readonly kinds: readonly IntroProblem[];
  readonly since: Date;
}

export const problemsSince = (now: Date): Date => before(now, PROBLEM_LIFE_DAYS * DAY_MS);

const isStatus = (statuses: readonly IntroStatus[]): Condition[] =>
  statuses.length === 0 ? [] : [sql`status in (${sql.join(statuses)})`];
export const isMember = (memberId: string | undefined): Condition[] =>
  memberId === undefined ? [] : [sql`member_id = ${memberId}`];
const isTouchpoint = (slug: string | null | undefined): Condition[] =>
  slug === undefined ? [] : [slug === null ? sql`touchpoint_slug is null` : sql`touchpoint_slug = ${slug}`];
const isReference = (id: string | undefined): Condition[] => (id === undefined ? [] : [sql`reference_id = ${id}`]);

/** In SQL what `deliveryStatusOf` decides; the inner query names the columns of the row, whatever its table is called. */
const DELIVERY_STATUS = sql`case status
  when 'ready' then case when delivery_error_code is not null then 'not_sent' end
  when 'sent' then case
    when delivery_error_code is not null and opened_at is null then 'not_delivered'
    when responsibility = 'integration' then 'sent'
    else coalesce((
      select case when text.carrier in ('simulated', 'log') then 'simulated' when text.status = 'delivered' then 'delivered' else 'sent' end
      from (select organization_id as organization, id as intro) row cross join lateral (
        select status, carrier from messages
        where intro_id = row.intro and organization_id = row.organization and purpose = 'deliver' and accepted_at is not null
        order by id desc limit 1
      ) text
    ), case when recipient_phone like ${`${TEST_NUMBER_PREFIX}____`} then 'simulated' else 'sent' end)
  end
end`;

const isDelivery = (deliveries: readonly DeliveryStatus[] = []): Condition[] =>
  deliveries.length === 0 ? [] : [sql`(${DELIVERY_STATUS}) in (${sql.join(deliveries)})`];

// Literals, so that the planner sees that the partial indexes contain the rows.
const HAS_ERROR = sql`delivery_error_code is not null
  and delivery_error_code not in (${sql.join(NEVER_SENT.map((code) => sql.lit(code)))}) and recipient_phone <> ''`;
const REPLY_WAITS = sql`settled_at is null and type in (${sql.join(WAITING_REPLY_TYPES.map((type) => sql.lit(type)))})`;

/** The condition that a row belongs to the tenant. */
export type Owned = ReturnType<typeof forTenant>['owns'];

/**
 * In SQL what `problemOf` decides. An intro may have a more urgent problem, too. As arrays, so that each inner query runs once, whatever the
 * planner expects.
 */
function isProblem(owned: Owned, kind: IntroProblem, since: Date): Condition {
  switch (kind) {
    case 'declined':
      return sql`status = 'requested' and declined_generation = link_generation and recipient_phone <> ''`;
    case 'not_sent':
      return sql`${HAS_ERROR} and status = 'ready'`;
    case 'not_delivered':
      return sql`${HAS_ERROR} and status = 'sent' and opened_at is null and sent_at >= ${since}`;
    case 'member_not_reached':
      return sql`status = 'requested' and id = any(array(
        select i.id from (
          select distinct intro_id as id from messages
          where ${owned()} and audience = 'member' and status in ('failed', 'undelivered')
            and ${HAS_PROVIDER} and intro_id >= ${idBound('int', since)}
        ) failed
        cross join lateral (select * from intros where ${owned()} and id = failed.id and status = 'requested' offset 0) i
        cross join lateral ${NOTICE} notice
        where notice.error_code is not null and i.recipient_phone <> ''))`;
    case 'reply_waiting':
      return sql`status in ('ready', 'sent') and (opened_at is not null or sent_at is not null) and recipient_phone <> '' and id = any(array(
        select r.intro_id from intro_replies r where ${owned('r')} and ${REPLY_WAITS} and created_at >= ${since} and not exists (
          select from intro_replies later
          where later.organization_id = r.organization_id and later.intro_id = r.intro_id and later.number > r.number)))`;
  }
}

const hasProblem = (owned: Owned, problems: ProblemFilter | undefined): Condition[] =>
  problems === undefined ? [] : [anyOf(problems.kinds.map((kind) => sql`(${isProblem(owned, kind, problems.since)})`))];

const unindexedOf = (owned: Owned, { deliveries, isWatched, problems }: IndexedFilter): Condition[] => [
  ...isDelivery(deliveries),
  ...(isWatched === true ? [sql`watched_at is not null`] : []),
  ...hasProblem(owned, problems),
];

/** All of the conditions, for rows that were found in another way. */
export const conditionsOf = (owned: Owned, filter: IndexedFilter): Condition[] => [
  ...unindexedOf(owned, filter),
  ...isStatus(filter.statuses),
  ...isMember(filter.memberId),
  ...isTouchpoint(filter.touchpoint),
  ...isReference(filter.referenceId),
  ...idRange('int', filter),
];

const unionAll = (parts: readonly Condition[]): Condition => sql.join(parts, sql` union all `);

/** The columns that conditions use; sorting whole rows would need much more memory. */
export const SCANNED_COLUMNS = sql`organization_id, id, status, member_id, touchpoint_slug, reference_id,
  recipient_first_name, recipient_last_name, recipient_phone, metadata, responsibility, sent_at, opened_at, watched_at, delivery_error_code,
  link_generation, declined_generation`;

const newest = (owned: Condition, conditions: readonly Condition[], limit: number) =>
  sql`select ${SCANNED_COLUMNS} from intros where ${owned} and ${allOf(conditions)}
    order by id desc ${hiddenLimit(limit)}`;

/** The newest intros, in index order: each status is a separate range of the index, read only up to the limit. */
const newestByStatus = (
  owned: Condition,
  statuses: readonly IntroStatus[],
  conditions: readonly Condition[],
  limit: number,
) =>
  sql`select * from (${unionAll(
    statuses.map(
      // Each needs its own order and limit. Otherwise all rows would be read and sorted.
      (status) => sql`(${newest(owned, [sql`status = ${status}`, ...conditions], limit)})`,
    ),
  )}) as each_status order by id desc ${hiddenLimit(limit)}`;

interface Scan {
  /** The newest `count` rows, in the order of an index. */
  select(count: number): Condition;
  /** The conditions to check on each of them. */
  readonly filters: readonly Condition[];
}

/** The newest intros with one of the problems: each kind has an index of its own. */
function newestProblems(owned: Owned, { kinds, since }: ProblemFilter, range: readonly Condition[], limit: number) {
  const each = kinds.map((kind) => sql`(${newest(owned(), [isProblem(owned, kind, since), ...range], limit)})`);
  return sql`select * from (select distinct on (id) * from (${unionAll(each)}) each_problem order by id desc) problems
    order by id desc ${hiddenLimit(limit)}`;
}

/** Chooses the index: problem, reference, or member, touchpoint or nothing, each of the latter with the status. */
export function planScan(owned: Owned, filter: IndexedFilter): Scan {
  const { statuses, memberId, touchpoint, referenceId, problems } = filter;
  const range = idRange('int', filter);
  const byStatus = statuses.length === 0 ? INTRO_STATUSES : statuses;
  if (problems !== undefined) {
    return {
      select: (count) => newestProblems(owned, problems, range, count),
      filters: conditionsOf(owned, { ...filter, problems: undefined }),
    };
  }
  const unindexed = unindexedOf(owned, filter);
  if (referenceId !== undefined) {
    return {
      select: (count) => newest(owned(), [...isReference(referenceId), ...range], count),
      filters: [...isStatus(statuses), ...isMember(memberId), ...isTouchpoint(touchpoint), ...unindexed],
    };
  }
  const [indexed, ...filters] = [...isMember(memberId), ...isTouchpoint(touchpoint)];
  if (indexed !== undefined) {
    return {
      select: (count) => newestByStatus(owned(), byStatus, [indexed, ...range], count),
      filters: [...filters, ...unindexed],
    };
  }
  return {
    select: (count) =>
      statuses.length === 0 ? newest(owned(), range, count) : newestByStatus(owned(), statuses, range, count),
    filters: unindexed,
  };
}

/** If an indexed condition matches more intros than this, the newest intros are scanned instead. */
const MAX_INDEX_MATCHES = 1_000;

/**
 * Finds intros through indexes that are not in id order: at least one of `branches` must match, and all of `conditions`.
 * Returns null if a branch matches too many.
 */
export async function findByIndex(
  db: Db,
  owned: Owned,
  find: {
    branches: readonly Condition[];
    conditions: readonly Condition[];
    limit: number;
    /** The rows to search, named `intros`. Default: the table. */
    from?: Condition;
  },
): Promise<ScannedPage | null> {
  const { limit, from = sql`intros` } = find;
  const branches = find.branches.map(
    (branch, n) => sql`(select ${sql.lit(n)} as branch, ${SCANNED_COLUMNS} from ${from}
      where ${owned()} and ${branch} limit ${sql.lit(MAX_INDEX_MATCHES + 1)})`,
  );
  const { rows } = await sql<{ ids: string[] | null; highest: number | null }>`
    with found as materialized (${unionAll(branches)})
    select (select max(n)::int from (select count(*) as n from found group by branch) b) as highest,
      (select array_agg(id) from (
        select distinct id from found where ${allOf(find.conditions)} order by id desc limit ${sql.lit(limit + 1)}
      ) page) as ids`.execute(db);
  const [{ ids, highest } = { ids: null, highest: null }] = rows;
  if ((highest ?? 0) > MAX_INDEX_MATCHES) return null;
  const found = ids ?? [];
  return { ids: found.slice(0, limit), next: found.length > limit ? (found[limit - 1] ?? null) : null };
}

interface ListFilter extends IndexedFilter {
  readonly phone: string | undefined;
  /** The intro must have each of these pairs. */
  readonly metadata: Readonly<Record<string, string>>;
  readonly limit: number;
}

/** Rows that a scan checks in one statement. */
const ROWS_PER_SCAN = 2_500;
/** So that a request takes at most about 0.2 s. */
const MAX_SCANS = 40;

const hasPhone = (phone: string | undefined): Condition[] =>
  phone === undefined ? [] : [sql`recipient_phone collate "C" = ${phone}`];

/** Numbers and booleans match as their JSON text. */
const hasPairs = (metadata: ListFilter['metadata']): Condition[] =>
  Object.entries(metadata).map(([key, value]) => sql`metadata ->> ${key} = ${value}`);

/** The JSON values with this text. */
function valuesOf(text: string): (string | number | boolean)[] {
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return String(number) === text ? [text, number] : [text];
}

/**
 * Intros that the index `intros_metadata` finds, which contains each pair together with its organization. Its condition stands
 * alone: together with others, the planner would also read a whole index of the organization.
 */
function findPairs({ organizationId }: Tenant, metadata: ListFilter['metadata']): Condition {
  const pairs = Object.entries(metadata).map(([key, text]) => {
    const objects = valuesOf(text).map((value) => JSON.stringify({ [organizationId]: { [key]: value } }));
    const contains = objects.map(
      (object) => sql`jsonb_set('{}', array[organization_id], metadata::jsonb) @> ${object}::jsonb`,
    );
    return anyOf(contains);
  });
  return sql`(select * from intros where metadata::text <> '{}' and ${allOf(pairs)} offset 0) intros`;
}

interface Found {
  readonly ids: readonly string[];
  /** False if the search stopped although more intros may match. */
  readonly isComplete: boolean;
}

/**
 * Finds ids of the newest intros that match. Each step reads a limited number of rows: first the index of phone numbers, then the
 * newest intros, then the index of metadata, which costs more the more frequent a pair is, then more intros.
 */
async function searchIds(db: Db, tenant: Tenant, filter: ListFilter): Promise<Found> {
  const { owns: owned } = forTenant(db, tenant);
  const { limit, phone, metadata } = filter;
  const unindexed = [...hasPhone(phone), ...hasPairs(metadata)];
  const all = [...conditionsOf(owned, filter), ...unindexed];
  if (phone !== undefined) {
    const found = await findByIndex(db, owned, { branches: hasPhone(phone), conditions: all, limit });
    if (found !== null) return { ids: found.ids, isComplete: true };
  }
  const ids: string[] = [];
  let after = filter.after;
  for (let scans = 1; scans <= MAX_SCANS; scans++) {
    const { select, filters } = planScan(owned, { ...filter, after });
    const page = await scanPage(db, {
      newest: select,
      conditions: [...filters, ...unindexed],
      limit: limit - ids.length,
      maxRows: ROWS_PER_SCAN,
    });
    ids.push(...page.ids);
    if (ids.length === limit || page.next === null) return { ids, isComplete: true };
    after = page.next;
    if (scans === 1 && Object.keys(metadata).length > 0) {
      const from = findPairs(tenant, metadata);
      const found = await findByIndex(db, owned, { branches: [sql`true`], conditions: all, limit, from });
      if (found !== null) return { ids: found.ids, isComplete: true };
    }
  }
  return { ids, isComplete: false };
}

interface ListedIntros {
  readonly rows: IntroWithMember[];
  /** False if the search stopped although more intros may match. */
  readonly isComplete: boolean;
}

/** Lists intros, newest first. The time it takes does not depend on how many there are. */
export async function listIntros(db: Db, tenant: Tenant, filter: ListFilter): Promise<ListedIntros> {
  const { ids, isComplete } = await searchIds(db, tenant, filter);
  const rows =
    ids.length === 0
      ? []
      : await readIntros(
          db,
          ids.map((id) => ({ tenant, id })),
        );
  return { rows, isComplete };
}

/** Read one page at a time, so that a slow download does not hold a connection. */
const PAGE_SIZE = 1_000;

/** Pages of intros from one id (included) to another (excluded), oldest first. */
export async function* readExportPages(
  db: Db,
  tenant: Tenant,
  ids: { readonly from: string; readonly until: string },
): AsyncGenerator<readonly IntroFields[]> {
  const owned = forTenant(db, tenant).owns();
  let last = '';
  for (;;) {
    const page = sql`select * from intros
      where ${owned} and id >= ${ids.from} and id < ${ids.until} and id > ${last} order by id limit ${sql.lit(PAGE_SIZE)}`;
    const rows = await readFields(db, CSV_FIELDS, page, sql`i.id`);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE_SIZE) return;
    last = rows.at(-1)?.id ?? ids.until;
  }
}
