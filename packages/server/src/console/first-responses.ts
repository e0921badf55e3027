import {
  CONSOLE_OPERATIONS,
  type ConsoleId,
  type ConsoleOperation,
  type ConsoleSession,
  DEFAULT_OVERVIEW_DAYS,
  OVERVIEW_DAYS,
  type PendingSignIn,
} from '@foreword/contract';
import { embedJson, escapeHtml } from '../platform/html.ts';
import { mayActAs } from './access.ts';
import type { ConsoleHandlers, ConsoleInput } from './operations.ts';
import type { ConsoleUser } from './sessions/service.ts';

/** The page's content: the console, or the last step of signing in. */
export type ShellContent = { readonly session: ConsoleSession } | { readonly pending: PendingSignIn };

/** The response to one of the first requests of the page. */
export interface FirstResponse {
  /** The address below `/console/api`. */
  readonly address: string;
  readonly response: unknown;
}

interface ConsoleShellParts {
  content: ShellContent;
  responses?: readonly FirstResponse[];
  /** Paths of the built script, its style sheet, the other scripts that load with it, and the typeface. */
  script: string;
  style: string;
  preload: readonly string[];
  font: string;
  /** The nonce of the Content-Security-Policy: some controls add their own styles. */
  nonce: string;
}

const BACKGROUND = { light: '#faf8f4', dark: '#151412' };

/** The empty frame, shown until the script has loaded. */
const FRAME = `<div class="frame" aria-hidden="true"><div class="bar"></div><div class="side"></div>
<div class="main"><div class="page"><span class="skeleton-line skeleton-title"></span><span class="skeleton-line"></span><span class="skeleton-line"></span></div></div></div>`;
const NO_SCRIPT = `<noscript><p class="page">The console needs JavaScript. Turn it on in your browser, then reload this page.</p></noscript>`;

/** Every path of the console serves this page. */
export function renderConsole(parts: ConsoleShellParts): string {
  const { content, responses = [], script, style, preload, font, nonce } = parts;
  const [id, data, placeholder] =
    'session' in content ? ['session', content.session, FRAME] : ['pending', content.pending, ''];
  const organization = 'session' in content ? content.session.organization.name : content.pending.organization;
  const links = preload.map((address) => `<link rel="modulepreload" href="${escapeHtml(address)}">`);
  const embedded = responses.map(
    ({ address, response }) =>
      `<script type="application/json" data-request="${escapeHtml(address)}">${embedJson(response)}</script>\n`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<title>${escapeHtml(organization)} · Foreword</title>
<meta name="robots" content="noindex, nofollow">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no">
<meta name="color-scheme" content="light dark">
<meta name="theme-color" content="${BACKGROUND.light}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${BACKGROUND.dark}" media="(prefers-color-scheme: dark)">
<link rel="icon" href="data:,">
<link rel="preload" as="font" type="font/woff2" href="${escapeHtml(font)}" crossorigin>
<link rel="stylesheet" id="style" href="${escapeHtml(style)}" nonce="${escapeHtml(nonce)}">
<script type="module" src="${escapeHtml(script)}"></script>
${links.join('\n')}
</head>
<body>
<div id="app">${placeholder}
${NO_SCRIPT}</div>
<script type="application/json" id="${id}">${embedJson(data)}</script>
${embedded.join('')}</body>
</html>
`;
}

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

function after(limitMs: number): Promise<null> {
  return new Promise((resolve) => setTimeout(resolve, limitMs, null).unref());
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
    const late = after(LIMIT_MS);
    const requests = listFirstRequests(visit.path, visit.search);
    const responses = await Promise.all(requests.map((request) => Promise.race([read(request, visit), late])));
    return responses.filter((response) => response !== null);
  };
}
