import type { ConsoleBody, ConsoleKey, ConsoleParams, ConsoleQuery, ConsoleResponse } from '@foreword/contract';
import { noteAnswer, noteSilence } from './connection.ts';
import { readFailure, signedOut, unanswered } from './failure.ts';
import { hasUnsaved } from './unsaved.ts';

/** Longer than any answer takes; a server that hangs is told as one that is gone. */
const PATIENCE_MS = 30_000;
/** What stands before the server says these when it is gone. */
const GATEWAY_FAULTS = [502, 503, 504];

type None = Record<never, never>;
/** A member of the input: left out when the operation has none, optional when all of it is. */
type Given<Name extends string, T> = string extends keyof T
  ? None
  : [keyof T] extends [never]
    ? None
    : None extends T
      ? { readonly [N in Name]?: T }
      : { readonly [N in Name]: T };
/** A filter that is not set may stand there as undefined. */
type Loose<T> = { readonly [Field in keyof T]: T[Field] | undefined };

export type CallInput<K extends ConsoleKey> = Given<'params', ConsoleParams<K>> &
  Given<'query', Loose<ConsoleQuery<K>>> &
  Given<'body', ConsoleBody<K>>;

type Rest<K extends ConsoleKey> =
  None extends CallInput<K>
    ? [input?: CallInput<K>, signal?: AbortSignal]
    : [input: CallInput<K>, signal?: AbortSignal];

interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

function buildAddress(path: string, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== '') search.append(name, String(one));
    }
  }
  const asked = search.toString();
  return `/console/api${filled}${asked === '' ? '' : `?${asked}`}`;
}

/** Nobody is signed in any more: the way back leads to where one was. The promise stays open, so that nothing flashes. */
function goToSignIn(): Promise<never> {
  const { pathname, search } = window.location;
  window.location.assign(`/console/signin?next=${encodeURIComponent(pathname + search)}`);
  return new Promise(() => {});
}

async function ask(address: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
  const limit = new AbortController();
  const giveUp = () => limit.abort();
  const timer = setTimeout(giveUp, PATIENCE_MS);
  signal?.addEventListener('abort', giveUp);
  try {
    const response = await fetch(address, { ...init, signal: limit.signal });
    if (GATEWAY_FAULTS.includes(response.status)) noteSilence();
    else noteAnswer();
    return response;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    noteSilence();
    throw unanswered();
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}

/**
 * Asks the console's server: `call('GET /members/:id', { params: { id } })`. Rejects with an ApiFailure. Pass the signal of
 * a query, so that what nobody waits for any more is given up.
 */
export async function call<K extends ConsoleKey>(key: K, ...rest: Rest<K>): Promise<ConsoleResponse<K>> {
  const [input = {}, signal] = rest as [AnyInput?, AbortSignal?];
  const [method = 'GET', path = ''] = key.split(' ');
  const headers: Record<string, string> = { accept: 'application/json' };
  const init: RequestInit = { method, headers, credentials: 'same-origin', cache: 'no-store' };
  if (input.body !== undefined) {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(input.body);
  }
  const response = await ask(buildAddress(path, input), init, signal);
  if (response.status === 401) {
    // What somebody has filled in stays: the cookie of another tab is good for this one.
    if (method !== 'GET' || hasUnsaved()) throw signedOut(response);
    return goToSignIn();
  }
  if (!response.ok) throw await readFailure(response);
  return (await response.json()) as ConsoleResponse<K>;
}
