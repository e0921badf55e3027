import { setTimeout } from 'node:timers/promises';
import {
  CONSOLE_OPERATIONS,
  type ConsoleId,
  type ConsoleOperation,
  DEFAULT_OVERVIEW_DAYS,
  OVERVIEW_DAYS,
} from '@foreword/contract';
import { mayActAs } from './access.ts';
import type { ConsoleHandlers, ConsoleInput } from './operations.ts';
import type { FirstResponse } from './page.ts';
import type { ConsoleUser } from './sessions/service.ts';

type FirstRequest = { [K in ConsoleId]: { readonly id: K; readonly query?: ConsoleInput<K>['query'] } }[ConsoleId];

/** On an idle server they take 20 ms. The page makes requests of its own for those that take longer. */
const LIMIT_MS = 200;

function overviewRequests(search: URLSearchParams): readonly FirstRequest[] {
  const days = OVERVIEW_DAYS.find((each) => String(each) === search.get('days')) ?? DEFAULT_OVERVIEW_DAYS;
  return [
    { id: 'readSetup' },
    { id: 'readTextLimits' },
    { id: 'readAttention' },
    { id: 'countIntros' },
    { id: 'readOverview', query: { days } },
  ];
}

/** The outbox leaves out messages that were not sent. */
const ATTEMPTED = 'sending,accepted,delivered,undelivered,failed';

const PAGES: Readonly<Record<string, readonly FirstRequest[]>> = {
  '/home': [{ id: 'readHome' }, { id: 'readAttention' }, { id: 'listOwnRecorded' }],
  '/account': [{ id: 'readOwnSettings' }, { id: 'readLikeness' }, { id: 'listPasskeys' }, { id: 'listSessions' }],
  '/touchpoints': [{ id: 'readTouchpoints' }],
  '/organization/brand': [{ id: 'readBrand' }],
  '/messages': [{ id: 'searchMessages', query: { status: ATTEMPTED } }, { id: 'readTextLimits' }],
  '/organization/activity': [{ id: 'readActivity' }],
  '/organization/texting': [{ id: 'readTextLimits' }, { id: 'readBrand' }],
  '/organization/security': [{ id: 'readSecondFactor' }],
  '/organization/data': [{ id: 'readRetention' }, { id: 'measureExport' }, { id: 'listErasures' }],
  '/developers': [{ id: 'readTouchpoints' }, { id: 'searchMembers', query: { limit: 20, active: true } }],
  '/developers/keys': [{ id: 'listKeys' }],
  '/developers/webhooks': [{ id: 'readWebhooks' }],
};

/** The requests that a page makes when it opens. A difference costs time but nothing else: the page makes those it lacks. */
function listFirstRequests(path: string, search: URLSearchParams): readonly FirstRequest[] {
  if (path === '/overview') return overviewRequests(search);
  // With filters, the page decides what to request.
  if (path === '/intros' && search.size === 0)
    return [{ id: 'searchIntros', query: { sort: 'created' } }, { id: 'countIntros' }];
  return search.size === 0 ? (PAGES[path] ?? []) : [];
}

/** The request's address, as the page writes it. An id in its path is the user's own. */
function addressOf({ id, query = {} }: FirstRequest, { memberId }: ConsoleUser): string {
  const texts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
  const search = new URLSearchParams(texts).toString();
  const path = CONSOLE_OPERATIONS[id].path.replace('{id}', memberId);
  return search === '' ? path : `${path}?${search}`;
}

interface FirstVisit {
  readonly user: ConsoleUser;
  /** Relative to `/console`. */
  readonly path: string;
  readonly search: URLSearchParams;
}

export type ReadFirstResponses = (visit: FirstVisit) => Promise<readonly FirstResponse[]>;

/** The responses to what a page requests first, so that it can show them without a second round trip. */
export function createFirstResponses(handlers: ConsoleHandlers): ReadFirstResponses {
  async function read(request: FirstRequest, { user }: FirstVisit): Promise<FirstResponse | null> {
    const { role, forSelf }: ConsoleOperation = CONSOLE_OPERATIONS[request.id];
    if (forSelf !== true && !mayActAs(user.role, role)) return null;
    const handle = handlers[request.id] as (user: ConsoleUser, input: object) => Promise<unknown>;
    try {
      const response = await handle(user, { params: { id: user.memberId }, query: request.query ?? {} });
      return { address: addressOf(request, user), response };
    } catch {
      // The page makes the request itself, and shows why it fails.
      return null;
    }
  }
  return async (visit) => {
    const late = setTimeout(LIMIT_MS, null, { ref: false });
    const requests = listFirstRequests(visit.path, visit.search);
    const responses = await Promise.all(requests.map((request) => Promise.race([read(request, visit), late])));
    return responses.filter((response) => response !== null);
  };
}
