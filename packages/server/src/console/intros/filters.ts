import {
  type ConsoleQuery,
  DAY_MS,
  type DeliveryStatus,
  INTRO_PROBLEMS,
  type IntroProblem,
  type IntroStatus,
  WITHOUT_TOUCHPOINT,
} from '@foreword/contract';
import { type IntroSearch, parseSearchTerms, problemsSince, readSortCursor } from '../../intros/index.ts';
import { invalid } from '../../platform/errors.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import { parseZonedTime } from '../../platform/instants.ts';

const PAGE = 50;
const AFTER = 'must be the `next` value of the previous page';

type ListQuery = ConsoleQuery<'GET /intros'> | ConsoleQuery<'GET /events'>;

const listOf = <T extends string>(text: string | undefined): T[] =>
  text === undefined ? [] : (text.split(',') as T[]);

/** Midnight of a day in the organization's time zone. */
function startOf(field: string, day: string, timezone: string): Date {
  const at = parseZonedTime(`${day}T00:00:00`, timezone);
  if (at === null) throw invalid(field, 'must be a valid date');
  return at;
}

/** The next calendar day. Not 24 hours later, because the clocks may change. */
function dayAfter(field: string, day: string): string {
  const next = startOf(field, day, 'UTC').getTime() + DAY_MS;
  return new Date(next).toISOString().slice(0, 10);
}

/** The times from the start of `from` to the end of `to`, which is excluded. */
export const readPeriod = ({ from, to }: { readonly from?: string; readonly to?: string }, timezone: string) => ({
  from: from === undefined ? undefined : startOf('from', from, timezone),
  until: to === undefined ? undefined : startOf('to', dayAfter('to', to), timezone),
});

const readCommon = (query: ListQuery, timezone: string) => ({
  memberId: query.member,
  ...readPeriod(query, timezone),
  limit: PAGE,
});

/** The cursor of a list that is ordered by id. */
function readAfter(after: string | undefined): string | undefined {
  if (after !== undefined && !ID_PATTERN.test(after)) throw invalid('after', AFTER);
  return after;
}

/** The order of the list of intros. Null: newest first, which needs no other cursor than `after`. */
export function readSort({ sort = 'created', after }: ConsoleQuery<'GET /intros'>) {
  if (sort === 'created') return null;
  const cursor = after === undefined ? undefined : readSortCursor(sort, after);
  if (cursor === null) throw invalid('after', AFTER);
  return { sort, cursor };
}

function readProblems(text: string | undefined, now: Date): IntroSearch['problems'] {
  const kinds = listOf<IntroProblem | 'any'>(text);
  if (kinds.length === 0) return undefined;
  return {
    kinds: INTRO_PROBLEMS.filter((kind) => kinds.includes('any') || kinds.includes(kind)),
    since: problemsSince(now),
  };
}

/** The statuses of the intros with these results, which an index finds. */
const statusesOf = (deliveries: readonly DeliveryStatus[]): IntroStatus[] => [
  ...new Set(deliveries.map((delivery) => (delivery === 'not_sent' ? 'ready' : 'sent'))),
];

export function readIntroFilters(query: ConsoleQuery<'GET /intros'>, timezone: string, now: Date): IntroSearch {
  const { touchpoint, q, sort = 'created', after } = query;
  const deliveries = listOf<DeliveryStatus>(query.delivery);
  const statuses = listOf<IntroStatus>(query.status);
  return {
    ...readCommon(query, timezone),
    after: sort === 'created' ? readAfter(after) : undefined,
    statuses: statuses.length === 0 ? statusesOf(deliveries) : statuses,
    deliveries,
    isWatched: query.watched === 'yes',
    problems: readProblems(query.problem, now),
    touchpoint: touchpoint === WITHOUT_TOUCHPOINT ? null : touchpoint,
    terms: q === undefined || q.trim() === '' ? [] : parseSearchTerms(q),
  };
}

export function readEventFilters(query: ConsoleQuery<'GET /events'>, timezone: string) {
  const { touchpoint, q } = query;
  return {
    ...readCommon(query, timezone),
    after: readAfter(query.after),
    statuses: listOf<'accepted' | 'processed' | 'failed'>(query.status),
    touchpoint,
    text: q === undefined || q.trim() === '' ? undefined : q,
  };
}

export const readOutboxFilters = ({ status, audience, after }: ConsoleQuery<'GET /messages'>) => ({
  statuses: listOf<'scheduled' | 'sending' | 'accepted' | 'delivered' | 'undelivered' | 'failed' | 'dropped'>(status),
  audiences: listOf<'member' | 'recipient'>(audience),
  after: readAfter(after),
  limit: PAGE,
});
