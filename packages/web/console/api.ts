import type { ConsoleBody, ConsoleKey, ConsoleParams, ConsoleQuery, ConsoleResponse } from '@foreword/contract';
import { parseShown } from '@foreword/contract/plain';
import { noteNoResponse, noteResponse } from './connection.ts';
import { networkFailure, readFailure, signedOut } from './failure.ts';
import { hasUnsaved } from './unsaved.ts';

const API = '/console/api';
/** Longer than any response takes. A server that hangs is treated as unreachable. */
const TIMEOUT_MS = 30_000;
/** Sent by the proxy while the server is down. */
const GATEWAY_ERRORS = [502, 503, 504];

type None = Record<never, never>;
/** An input property: absent if the operation has none, optional if all its fields are. */
type Input<Name extends string, T> = string extends keyof T
  ? None
  : [keyof T] extends [never]
    ? None
    : None extends T
      ? { readonly [N in Name]?: T }
      : { readonly [N in Name]: T };
/** Allows undefined for filters that are not set. */
type AllowUndefined<T> = { readonly [Field in keyof T]: T[Field] | undefined };

export type CallInput<K extends ConsoleKey> = Input<'params', ConsoleParams<K>> &
  Input<'query', AllowUndefined<ConsoleQuery<K>>> &
  Input<'body', ConsoleBody<K>>;

type Rest<K extends ConsoleKey> =
  None extends CallInput<K>
    ? [input?: CallInput<K>, signal?: AbortSignal]
    : [input: CallInput<K>, signal?: AbortSignal];

interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

function buildUrl(path: string, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null && item !== '') search.append(name, String(item));
    }
  }
  const text = search.toString();
  return `${API}${filled}${text === '' ? '' : `?${text}`}`;
}

/** Goes to the sign-in page and returns here afterwards. Never resolves, so that no error flashes before the page changes. */
function goToSignIn(): Promise<never> {
  const { pathname, search } = window.location;
  window.location.assign(`/console/signin?next=${encodeURIComponent(pathname + search)}`);
  return new Promise(() => {});
}

async function send(url: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
  const timeout = new AbortController();
  const abort = () => timeout.abort();
  const timer = setTimeout(abort, TIMEOUT_MS);
  signal?.addEventListener('abort', abort);
  try {
    const response = await fetch(url, { ...init, signal: timeout.signal });
    if (GATEWAY_ERRORS.includes(response.status)) noteNoResponse();
    else noteResponse();
    return response;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    noteNoResponse();
    throw networkFailure();
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

/** The page contains the responses to its first requests. Later they would be out of date. */
const EMBEDDED_MS = 15_000;

export const hasEmbedded = (): boolean => document.querySelector('script[data-request]') !== null;

/** Each is used once. */
function takeEmbedded(url: string): string | null {
  const address = url.slice(API.length);
  const script = document.querySelector(`script[data-request="${CSS.escape(address)}"]`);
  script?.remove();
  return performance.now() < EMBEDDED_MS ? (script?.textContent ?? null) : null;
}

/**
 * Calls the console's API: `call('GET /members/:id', { params: { id } })`. Rejects with an ApiFailure. Pass the signal of
 * a query, so that the request is cancelled when its result is no longer needed.
 */
export async function call<K extends ConsoleKey>(key: K, ...rest: Rest<K>): Promise<ConsoleResponse<K>> {
  const [input = {}, signal] = rest as [AnyInput?, AbortSignal?];
  const [method = 'GET', path = ''] = key.split(' ');
  const url = buildUrl(path, input);
  const embedded = method === 'GET' ? takeEmbedded(url) : null;
  if (embedded !== null) return parseShown(embedded) as ConsoleResponse<K>;
  const headers: Record<string, string> = { accept: 'application/json' };
  const init: RequestInit = { method, headers, credentials: 'same-origin', cache: 'no-store' };
  if (input.body !== undefined) {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(input.body);
  }
  const response = await send(url, init, signal);
  if (response.status === 401) {
    // Unsaved input stays: the user can sign in in another tab, whose cookie also works here.
    if (method !== 'GET' || hasUnsaved()) throw signedOut(response);
    return goToSignIn();
  }
  if (!response.ok) throw await readFailure(response);
  return parseShown(await response.text()) as ConsoleResponse<K>;
}

const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 8_000;

let probing: Promise<void> | null = null;

async function probe(): Promise<void> {
  for (let delayMs = FIRST_RETRY_MS; ; delayMs = Math.min(2 * delayMs, LONGEST_RETRY_MS)) {
    try {
      await call('GET /session');
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
}

/** Resolves once the server responds. Concurrent callers share one probe. */
export function untilReachable(): Promise<void> {
  probing ??= probe().finally(() => {
    probing = null;
  });
  return probing;
}

/** Loads a script. If that fails, tries once more when the server responds. */
export async function loadWhenReachable<Module>(load: () => Promise<Module>): Promise<Module> {
  try {
    return await load();
  } catch {
    await untilReachable();
    return load();
  }
}
