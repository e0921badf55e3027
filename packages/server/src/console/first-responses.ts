import {
  CONSOLE_OPERATIONS,
  type ConsoleKey,
  type ConsoleQuery,
  DEFAULT_OVERVIEW_DAYS,
  OVERVIEW_DAYS,
} from '@foreword/contract';
import { mayActAs } from './access.ts';
import type { FirstResponse } from './document.ts';
import type { ConsoleHandlers } from './operations.ts';
import type { ConsoleUser } from './sessions/service.ts';

type FirstRequest = { [K in ConsoleKey]: { readonly key: K; readonly query?: ConsoleQuery<K> } }[ConsoleKey];

/** On an idle server they take 20 ms. The page makes requests of its own for those that take longer. */
const LIMIT_MS = 200;

function overviewRequests(search: URLSearchParams): readonly FirstRequest[] {
  const days = OVERVIEW_DAYS.find((each) => String(each) === search.get('days')) ?? DEFAULT_OVERVIEW_DAYS;
  return [
    { key: 'GET /overview/setup' },
    { key: 'GET /text-limits' },
    { key: 'GET /overview/waiting' },
    { key: 'GET /overview', query: { days } },
    { key: 'GET /overview/replies' },
    { key: 'GET /overview/issues' },
  ];
}

/** The requests that a page makes when it opens. A difference costs time but nothing else: the page makes those it lacks. */
function listFirstRequests(path: string, search: URLSearchParams): readonly FirstRequest[] {
  if (path === '/overview') return overviewRequests(search);
  // With filters, the page decides what to request.
  if (path === '/intros' && search.size === 0)
    return [{ key: 'GET /intros', query: { sort: 'created' } }, { key: 'GET /intro-counts' }];
  if (path === '/home') return [{ key: 'GET /home' }];
  return [];
}

/** The request's address, as the page writes it. */
function addressOf({ key, query = {} }: FirstRequest): string {
  const texts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const search = new URLSearchParams(texts).toString();
  const path = key.slice('GET '.length);
  return search === '' ? path : `${path}?${search}`;
}

function after(limitMs: number): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, limitMs, null).unref());
}

export interface FirstVisit {
  readonly user: ConsoleUser;
  /** Relative to `/console`. */
  readonly path: string;
  readonly search: URLSearchParams;
  readonly requestId: string;
}

export type ReadFirstResponses = (visit: FirstVisit) => Promise<readonly FirstResponse[]>;

/** The responses to what a page requests first, so that it can show them without a second round trip. */
export function createFirstResponses(handlers: ConsoleHandlers): ReadFirstResponses {
  async function read(request: FirstRequest, { user, requestId }: FirstVisit): Promise<FirstResponse | null> {
    if (!mayActAs(user.role, CONSOLE_OPERATIONS[request.key].role)) return null;
    const handle = handlers[request.key] as (request: unknown) => Promise<unknown>;
    try {
      const response = await handle({ user, params: {}, query: request.query ?? {}, body: {}, requestId });
      return { address: addressOf(request), response };
    } catch {
      // The page makes the request itself, and shows why it fails.
      return null;
    }
  }
  return async (visit) => {
    const late = after(LIMIT_MS);
    const requests = listFirstRequests(visit.path, visit.search);
    const responses = await Promise.all(requests.map((request) => Promise.race([read(request, visit), late])));
    return responses.filter((response) => response !== null);
  };
}
