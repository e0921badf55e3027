import { INTRO_STATUSES, type IntroSort, type IntroStatus } from '@foreword/contract';
import { sql } from 'kysely';
import { allOf, type Condition, hiddenLimit, type ScannedPage } from '../../db/scan.ts';
import { type Db, forTenant, type Tenant } from '../../db/tenancy.ts';
import { conditionsOf, SCANNED_COLUMNS } from './newest.ts';
import { type IntroSearch, matchesAny, searchIntros } from './search.ts';
import { DEADLINE } from './transitions.ts';

/** A part of the list with an order of its own. */
interface Part {
  readonly name: string;
  read(after: string | undefined, limit: number): Promise<ScannedPage>;
}

/** The position in a list: a part, and a cursor within it. `after` is undefined at the start of the part. */
export interface SortCursor {
  readonly part: string;
  readonly after: string | undefined;
}

/** Scanned per page of results. */
const MAX_ROWS = 2_500;
const OPEN: readonly IntroStatus[] = ['requested', 'ready'];
const DUE = 'due';
const CLOSED = 'closed';
const NEVER = 'never';
const SEPARATOR = '~';

/** In microseconds, so that no deadline is rounded. */
const DEADLINE_TEXT = sql`case when deadline = 'infinity' then ${sql.lit(NEVER)}
  else (extract(epoch from deadline) * 1000000)::bigint::text end || ${sql.lit(SEPARATOR)} || id`;

const DUE_CURSOR = /^(\d{1,16}|never)~(int_[0-9a-z]{26})$/;
const ID = /^int_[0-9a-z]{26}$/;

/** Null: not a cursor of a list with this order. */
export function readSortCursor(sort: Exclude<IntroSort, 'created'>, text: string): SortCursor | null {
  const [, part = '', after = ''] = /^(\w+)~(.*)$/.exec(text) ?? [];
  const parts: readonly string[] = sort === 'status' ? INTRO_STATUSES : [DUE, CLOSED];
  if (!parts.includes(part)) return null;
  if (after === '') return { part, after: undefined };
  return (part === DUE ? DUE_CURSOR : ID).test(after) ? { part, after } : null;
}

function isLater(cursor: string | undefined): Condition[] {
  const [, micros = '', id = ''] = DUE_CURSOR.exec(cursor ?? '') ?? [];
  if (id === '') return [];
  const deadline =
    micros === NEVER
      ? sql`'infinity'::timestamptz`
      : sql`'epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond'`;
  return [sql`(${DEADLINE}, id) > (${deadline}, ${id})`];
}

/** Scans open intros in the order of their deadlines. */
async function readByDeadline(
  db: Db,
  tenant: Tenant,
  search: IntroSearch,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<ScannedPage> {
  // Literals, not parameters: the planner uses the partial index only if it sees the statuses.
  const open = sql`status in (${sql.join(OPEN.map((status) => sql.lit(status)))})`;
  const conditions = [...conditionsOf({ ...search, after: undefined }), ...matchesAny(search.terms)];
  const owned = [forTenant(db, tenant).owns(), open, ...isLater(after)];
  const { rows } = await sql<{ ids: string[] | null; cursors: string[] | null; end: string | null }>`
    with scanned as materialized (
      select ${SCANNED_COLUMNS}, ${DEADLINE} as deadline from intros where ${allOf(owned)}
      order by ${DEADLINE}, id ${hiddenLimit(MAX_ROWS)}
    ), page as materialized (
      select id, deadline from scanned where ${allOf(conditions)} order by deadline, id limit ${sql.lit(limit + 1)}
    )
    select (select array_agg(id order by deadline, id) from page) as ids,
      (select array_agg(${DEADLINE_TEXT} order by deadline, id) from page) as cursors,
      (select ${DEADLINE_TEXT} from scanned order by deadline, id offset ${sql.lit(MAX_ROWS - 1)} limit 1) as end`.execute(
    db,
  );
  const { ids, cursors, end } = rows[0] ?? { ids: null, cursors: null, end: null };
  const found = ids ?? [];
  return { ids: found.slice(0, limit), next: found.length > limit ? (cursors?.[limit - 1] ?? null) : end };
}

function partsOf(db: Db, tenant: Tenant, sort: IntroSort, search: IntroSearch): Part[] {
  const wanted = INTRO_STATUSES.filter((status) => search.statuses.length === 0 || search.statuses.includes(status));
  const newest = (name: string, statuses: readonly IntroStatus[]): Part => ({
    name,
    read: (after, limit) => searchIntros(db, tenant, { ...search, statuses, after, limit }),
  });
  if (sort === 'status') return wanted.map((status) => newest(status, [status]));
  const closed = wanted.filter((status) => !OPEN.includes(status));
  const due: Part = {
    name: DUE,
    read: (after, limit) => readByDeadline(db, tenant, search, { after, limit }),
  };
  return [...(closed.length < wanted.length ? [due] : []), ...(closed.length > 0 ? [newest(CLOSED, closed)] : [])];
}

/**
 * By status, each newest first; or open intros by deadline, then the others, newest first. A page may be short and still have
 * a next one, like a page of `scanPage`.
 */
export async function sortIntros(
  db: Db,
  tenant: Tenant,
  search: IntroSearch,
  { sort, cursor }: { sort: Exclude<IntroSort, 'created'>; cursor: SortCursor | undefined },
): Promise<ScannedPage> {
  const parts = partsOf(db, tenant, sort, search);
  const ids: string[] = [];
  let after = cursor?.after;
  const start = cursor === undefined ? 0 : parts.findIndex(({ name }) => name === cursor.part);
  for (const part of start < 0 ? [] : parts.slice(start)) {
    if (ids.length === search.limit) return { ids, next: part.name + SEPARATOR };
    const page = await part.read(after, search.limit - ids.length);
    ids.push(...page.ids);
    if (page.next !== null) return { ids, next: part.name + SEPARATOR + page.next };
    after = undefined;
  }
  return { ids, next: null };
}
