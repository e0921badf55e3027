import { sql } from 'kysely';
import { allOf, type Condition, scanPage } from '../../db/scan.ts';
import { type Db, forTenant, type Tenant } from '../../db/tenancy.ts';
import type { IntroWithMember } from '../fields.ts';
import { findIntros } from '../store.ts';
import { conditionsOf, findByIndex, type IndexedFilter, planScan } from './newest.ts';

export interface ListFilter extends IndexedFilter {
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
    return sql`(${sql.join(contains, sql` or `)})`;
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
  const owned = forTenant(db, tenant).owns();
  const { limit, phone, metadata } = filter;
  const unindexed = [...hasPhone(phone), ...hasPairs(metadata)];
  const all = [...conditionsOf(filter), ...unindexed];
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

export interface ListedIntros {
  readonly rows: IntroWithMember[];
  /** False if the search stopped although more intros may match. */
  readonly isComplete: boolean;
}

/** Lists intros, newest first. The time it takes does not depend on how many there are. */
export async function listIntros(db: Db, tenant: Tenant, filter: ListFilter): Promise<ListedIntros> {
  const { select, filters } = planScan(forTenant(db, tenant).owns(), filter);
  const isIndexed = filters.length === 0 && filter.phone === undefined && Object.keys(filter.metadata).length === 0;
  if (isIndexed) return { rows: await findIntros(db, tenant, select(filter.limit)), isComplete: true };
  const { ids, isComplete } = await searchIds(db, tenant, filter);
  const rows = ids.length === 0 ? [] : await findIntros(db, tenant, sql`select unnest(${[...ids]}::text[]) as id`);
  return { rows, isComplete };
}
