import { foldName, INTRO_PROBLEMS, INTRO_STATUSES, type IntroSort, type IntroStatus } from '@foreword/contract';
import { sql } from 'kysely';
import { allOf, anyOf, type Condition, hiddenLimit, type ScannedPage, scanPage } from '../../db/lists.ts';
import { planOnce } from '../../db/statements.ts';
import { type Db, forTenant, type Tenant } from '../../db/tenancy.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import { type IntroFields, LISTED_FIELDS } from '../fields.ts';
import { readFields, rowsOf } from '../store.ts';
import {
  conditionsOf,
  findByIndex,
  type IndexedFilter,
  isMember,
  type Owned,
  planScan,
  SCANNED_COLUMNS,
} from './lists.ts';
import { DEADLINE } from './transitions.ts';

/** One way to match an intro. Names are compared as `foldName` writes them. */
type SearchTerm =
  | { readonly kind: 'id' | 'event' | 'reference'; readonly value: string }
  | { readonly kind: 'phone'; readonly prefix: string }
  | { readonly kind: 'phone_end'; readonly digits: string }
  | { readonly kind: 'first_name' | 'last_name'; readonly prefix: string }
  /** Both names, the first of them complete. */
  | { readonly kind: 'first_last'; readonly first: string; readonly lastPrefix: string }
  | { readonly kind: 'last_first'; readonly last: string; readonly firstPrefix: string };

/** Fewer digits match too many numbers. */
const MIN_DIGITS = 4;
const MAX_DIGITS = 15;
const MAX_WORDS = 4;
const COUNTRY = '1';

/**
 * The last digits, as on a phone, or the beginning: E.164 prefixes for "(415) 555-01" or "+1 415". Without a country code, the default
 * one is tried as well. Four digits are the last ones: many customers share an area code.
 */
export function phoneTerms(text: string): Extract<SearchTerm, { kind: 'phone' | 'phone_end' }>[] {
  if (!/^\+?[\d\s().\-–/]+$/.test(text)) return [];
  const digits = text.replaceAll(/\D/g, '');
  if (digits.length < MIN_DIGITS || digits.length > MAX_DIGITS) return [];
  const whole = { kind: 'phone', prefix: `+${digits}` } as const;
  if (text.startsWith('+')) return [whole];
  const end = { kind: 'phone_end', digits } as const;
  return digits.length === MIN_DIGITS ? [end] : [end, whole, { kind: 'phone', prefix: `+${COUNTRY}${digits}` }];
}

const upperFirst = (word: string): string => word.charAt(0).toLocaleUpperCase('en') + word.slice(1);

/** In the C locale, `lower()` handles only ASCII: "Ирина" is found by "Ирина" but not by "ирина". */
const spellings = (name: string): string[] => (/^\p{ASCII}/u.test(name) ? [name] : [name, upperFirst(name)]);

function nameTerms(text: string): SearchTerm[] {
  const words = text
    .split(/[\s,]+/)
    .map(foldName)
    .filter((word) => word !== '');
  if (words.length === 0 || words.length > MAX_WORDS) return [];
  const terms: SearchTerm[] = [];
  for (const prefix of spellings(words.join(''))) {
    terms.push({ kind: 'first_name', prefix }, { kind: 'last_name', prefix });
  }
  for (let at = 1; at < words.length; at++) {
    const [head, tail] = [words.slice(0, at).join(''), words.slice(at).join('')];
    terms.push({ kind: 'first_last', first: head, lastPrefix: tail });
    terms.push({ kind: 'last_first', last: head, firstPrefix: tail });
  }
  return terms;
}

/** Every interpretation of the text. An intro that matches any of them is a result. */
export function parseSearchTerms(text: string): readonly SearchTerm[] {
  const wanted = text.trim();
  if (ID_PATTERN.test(wanted)) {
    if (wanted.startsWith('int_')) return [{ kind: 'id', value: wanted }];
    if (wanted.startsWith('evt_')) return [{ kind: 'event', value: wanted }];
  }
  const phones = phoneTerms(wanted);
  return [{ kind: 'reference', value: wanted }, ...phones, ...(phones.length > 0 ? [] : nameTerms(wanted))];
}

export interface IntroSearch extends IndexedFilter {
  /** At least one must match, unless there are none. */
  readonly terms: readonly SearchTerm[];
  readonly limit: number;
  /** Always the same filters and limit. */
  readonly isFixed?: boolean;
}

/** Scanned per page of results. */
const MAX_ROWS = 2_500;

/** Sorts after every character in byte order. */
const LAST_CHARACTER = '\u{10ffff}';
const startsWith = (expression: Condition, prefix: string): Condition =>
  sql`${expression} collate "C" >= ${prefix} and ${expression} collate "C" < ${prefix + LAST_CHARACTER}`;

const FIRST = sql`search_name(recipient_first_name)`;
const LAST = sql`search_name(recipient_last_name)`;

function matches(owned: Owned, term: SearchTerm): Condition {
  switch (term.kind) {
    case 'id':
      return sql`id = ${term.value}`;
    case 'event':
      return sql`id = (select e.intro_id from touchpoint_events e where ${owned('e')} and e.id = ${term.value})`;
    case 'reference':
      return sql`reference_id = ${term.value}`;
    case 'phone':
      return startsWith(sql`recipient_phone`, term.prefix);
    case 'phone_end':
      return startsWith(sql`reverse(recipient_phone)`, [...term.digits].reverse().join(''));
    case 'first_name':
      return startsWith(FIRST, term.prefix);
    case 'last_name':
      return startsWith(LAST, term.prefix);
    case 'first_last':
      return sql`${startsWith(LAST, term.lastPrefix)} and ${FIRST} collate "C" = ${term.first}`;
    case 'last_first':
      return sql`${startsWith(FIRST, term.firstPrefix)} and ${LAST} collate "C" = ${term.last}`;
  }
}

const matchesAny = (owned: Owned, terms: readonly SearchTerm[]): Condition[] =>
  terms.length === 0 ? [] : [anyOf(terms.map((term) => matches(owned, term)))];

export async function searchIntros(db: Db, tenant: Tenant, search: IntroSearch): Promise<ScannedPage> {
  const { owns: owned } = forTenant(db, tenant);
  const { limit, isFixed } = search;
  const branches = search.terms.map((term) => matches(owned, term));
  if (branches.length > 0) {
    const found = await findByIndex(db, owned, { branches, conditions: conditionsOf(owned, search), limit });
    if (found !== null) return found;
  }
  const { select, filters } = planScan(owned, search);
  const conditions = [...filters, ...matchesAny(owned, search.terms)];
  return scanPage(db, { newest: select, conditions, limit, maxRows: MAX_ROWS, isFixed });
}

/** The columns behind a row of the console's lists. */
export const ROW_FIELDS = [
  ...LISTED_FIELDS,
  ...(['touchpoint_slug', 'touchpoint_name', 'member_id', 'member_first_name', 'member_last_name'] as const),
  ...(['recipient_first_name', 'recipient_last_name', 'recipient_phone'] as const),
  ...(['delivery_error_code', 'delivery_error_message', 'sent_text_status', 'sent_text_carrier'] as const),
  ...([
    'decline_reason',
    'decline_message',
    'declined_at',
    'notification_error_code',
    'notification_error_message',
  ] as const),
  ...(['reply_type', 'reply_label', 'reply_message', 'replied_at', 'reply_settled_at'] as const),
  ...(['recording_id', 'video_deleted_at', 'link_host'] as const),
];

export type IntroListRow = Pick<IntroFields, (typeof ROW_FIELDS)[number]>;

/** The rows with these ids, in the same order. */
export async function readListRows(db: Db, tenant: Tenant, ids: readonly string[]): Promise<IntroListRow[]> {
  const rows = rowsOf(ids.map((id) => ({ tenant, id })));
  return ids.length === 0 ? [] : readFields(db, ROW_FIELDS, rows, sql`i.place`);
}

/** Counts what is open. Counting stops at `atMost + 1`, so that it stays fast. */
export async function countOpen(
  db: Db,
  tenant: Tenant,
  { memberId, since, atMost }: { memberId: string | undefined; since: Date; atMost: number },
): Promise<{ problems: number; requested: number; ready: number }> {
  const { owns: owned } = forTenant(db, tenant);
  const limit = hiddenLimit(atMost + 1);
  // In the order of an index. Otherwise the planner reads the whole range of the index before the first row.
  const counted = (status: IntroStatus) => sql`(select count(*)::int from (
    select from intros where ${owned()} and status = ${status} and ${allOf(isMember(memberId))} order by id desc ${limit}
  ) counted)`;
  const { select, filters } = planScan(owned, { statuses: [], memberId, problems: { kinds: INTRO_PROBLEMS, since } });
  const statement = sql<{ problems: number; requested: number; ready: number }>`
    select ${counted('requested')} as requested, ${counted('ready')} as ready, (
      select count(*)::int from (select from (${select(MAX_ROWS)}) found where ${allOf(filters)} ${limit}) counted
    ) as problems`;
  const { rows } = await db.executeQuery(planOnce(statement.compile(db)));
  return rows[0] ?? { problems: 0, requested: 0, ready: 0 };
}

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
  const { owns } = forTenant(db, tenant);
  const conditions = [...conditionsOf(owns, { ...search, after: undefined }), ...matchesAny(owns, search.terms)];
  const owned = [owns(), open, ...isLater(after)];
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
