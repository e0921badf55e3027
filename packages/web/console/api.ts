import type {
  ConsoleBody,
  ConsoleKey,
  ConsoleParams,
  ConsoleQuery,
  ConsoleResponse,
  ErrorBody,
  ErrorCode,
  FieldProblem,
} from '@foreword/contract';
import { parseShown } from '@foreword/contract/plain';
import { useSyncExternalStore } from 'react';
import { capitalize } from './format.ts';
import { hasUnsaved } from './hooks.ts';
import { makeKey } from './retry-keys.ts';
import { FAILURE } from './texts.ts';

/** `network`: no response. `unreadable`: a response the console can't parse. `passkey`: the browser used none. */
type FailureCode = ErrorCode | 'network' | 'unreadable' | 'passkey';

/** A failed call. The message is shown to the user. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  /** 0 if there was no response. */
  readonly status: number;
  readonly code: FailureCode;
  /** The dotted path of the invalid field in the request. */
  readonly field: string | null;
  /** The problem of each invalid field, if there are several. */
  readonly problems: readonly FieldProblem[];
  readonly requestId: string | null;

  constructor(
    details: Pick<ApiFailure, 'status' | 'code' | 'message'> &
      Partial<Pick<ApiFailure, 'field' | 'problems' | 'requestId'>>,
  ) {
    super(details.message);
    this.status = details.status;
    this.code = details.code;
    this.field = details.field ?? null;
    this.problems = details.problems ?? [];
    this.requestId = details.requestId ?? null;
  }
}

const SERVER_FAULT = 500;

/** Whether an automatic retry may help. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof ApiFailure && (error.status === 0 || error.status >= SERVER_FAULT);

export const networkFailure = (): ApiFailure =>
  new ApiFailure({ status: 0, code: 'network', message: FAILURE.network });

const signedOut = ({ status, headers }: Response): ApiFailure =>
  new ApiFailure({ status, code: 'unauthorized', message: FAILURE.signedOut, requestId: headers.get('request-id') });

export const isSignedOut = (error: unknown): boolean => error instanceof ApiFailure && error.code === 'unauthorized';

export async function readFailure(response: Response): Promise<ApiFailure> {
  const { status } = response;
  const requestId = response.headers.get('request-id');
  const body = (await response.json().catch(() => null)) as Partial<ErrorBody> | null;
  const error = body?.error;
  if (error === undefined)
    return new ApiFailure({ status, code: 'unreadable', message: FAILURE.unreadable, requestId });
  const { code, message, field, problems } = error;
  return new ApiFailure({
    status,
    code: code as FailureCode,
    message,
    requestId,
    ...(field !== undefined && { field }),
    ...(problems !== undefined && { problems }),
  });
}

/** The error message for this field, or undefined if the failure is about something else. */
export function fieldProblem(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiFailure)) return undefined;
  const own = error.problems.find((problem) => problem.field === field);
  if (own === undefined && error.field !== field) return undefined;
  const { message } = own ?? error;
  return message.startsWith(`${field} `) ? capitalize(message.slice(field.length + 1)) : message;
}

/** The error message, unless these fields show it. */
export function otherProblem(error: unknown, fields: readonly string[]): string | undefined {
  if (error === null || error === undefined) return undefined;
  if (!(error instanceof ApiFailure)) return FAILURE.unknown;
  const named = error.problems.length === 0 ? [error] : error.problems;
  return named.every(({ field }) => field !== null && fields.includes(field)) ? undefined : error.message;
}

/** `offline`: this device has no network. `silent`: the server does not respond. */
type Connection = 'online' | 'offline' | 'silent';

const listeners = new Set<() => void>();
let silent = false;

const read = (): Connection => {
  if (!navigator.onLine) return 'offline';
  return silent ? 'silent' : 'online';
};

const notify = (): void => {
  for (const listener of listeners) listener();
};

function setSilent(isSilent: boolean): void {
  if (silent === isSilent) return;
  silent = isSilent;
  notify();
  // A request that changes something is not repeated, and the page may send no other one.
  if (isSilent) void untilReachable();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}

export const useConnection = (): Connection => useSyncExternalStore(subscribe, read);

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
  Input<'body', ConsoleBody<K>> & {
    /** The Idempotency-Key. By default, each call is a new request. */
    readonly key?: string;
  };

export type CallArguments<K extends ConsoleKey> =
  None extends CallInput<K>
    ? [input?: CallInput<K>, signal?: AbortSignal]
    : [input: CallInput<K>, signal?: AbortSignal];

interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly key?: string;
}

function buildUrl(path: string, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
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
    // Here, because a connection may also break off, or go silent, in the middle of a response.
    const body = await response.text();
    setSilent(GATEWAY_ERRORS.includes(response.status));
    return new Response(body === '' ? null : body, response);
  } catch (error) {
    if (signal?.aborted === true) throw error;
    setSilent(true);
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
 * Calls the console's API: `call('GET /members/{id}', { params: { id } })`. Rejects with an ApiFailure. Pass the signal of
 * a query, so that the request is cancelled when its result is no longer needed.
 */
export async function call<K extends ConsoleKey>(key: K, ...rest: CallArguments<K>): Promise<ConsoleResponse<K>> {
  const [input = {}, signal] = rest as [AnyInput?, AbortSignal?];
  const [method = 'GET', path = ''] = key.split(' ');
  const url = buildUrl(path, input);
  const embedded = method === 'GET' ? takeEmbedded(url) : null;
  if (embedded !== null) return parseShown(embedded) as ConsoleResponse<K>;
  const headers: Record<string, string> = { accept: 'application/json' };
  const init: RequestInit = { method, headers, credentials: 'same-origin', cache: 'no-store' };
  if (method !== 'GET') headers['idempotency-key'] = input.key ?? makeKey();
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
