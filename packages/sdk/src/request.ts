import {
  ForewordAuthenticationError,
  ForewordConflictError,
  ForewordConnectionError,
  ForewordError,
  ForewordNotFoundError,
  ForewordPermissionError,
  ForewordRateLimitError,
  ForewordServerError,
  ForewordValidationError,
  invalidArgument,
} from './errors.ts';
import type { ApiErrorDetails } from './generated/types.ts';
import {
  type AbortSignalLike,
  abortReason,
  type Fetch,
  pause,
  type RequestLike,
  type ResponseLike,
  runtime,
  withDeadline,
} from './runtime.ts';

/** Options of every method. */
export interface RequestOptions {
  /** Cancels at once, even while the SDK waits before a retry. The method then throws the signal's reason. */
  readonly signal?: AbortSignalLike | undefined;
  /** Time limit of one attempt, including the body of the response. */
  readonly timeoutMs?: number | undefined;
  /** How many times a failed attempt is repeated. */
  readonly maxRetries?: number | undefined;
}

/** Options of methods that change something. */
export interface WriteOptions extends RequestOptions {
  /** Default: a random key for each call, which its retries share. */
  readonly idempotencyKey?: string | undefined;
}

/** Options of methods that create something. */
export interface CreateOptions extends RequestOptions {
  /** The same for every send of this object, and different for every other: `Foreword.idempotencyKey(…)`. */
  readonly idempotencyKey: string;
}

/** Values of filters: text, numbers, booleans, lists of them, or pairs. Those that are undefined are left out. */
export type Query = object;

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly query?: Query | undefined;
  /** Sent as JSON. */
  readonly body?: object | undefined;
  /** Sent as it is, with its own content type. */
  readonly file?: { readonly content: unknown; readonly type: string } | undefined;
  readonly idempotencyKey?: string | undefined;
  readonly options?: RequestOptions | undefined;
  /** How long the server may wait before it responds. */
  readonly waitS?: number | undefined;
}

export interface Connection {
  readonly apiKey: string;
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly maxRetries: number;
  readonly fetch: Fetch | undefined;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
/** A call does not block longer than this for one retry; the error tells the caller how long to wait. */
const LONGEST_RETRY_AFTER_S = 60;
/** Timers of all runtimes overflow above it. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** The service reports with 408 that a request did not arrive in time, and asks for a retry in its table of errors. */
const isRetryable = (status: number): boolean => status === 408 || status === 429 || status >= 500;

/** Random, so that clients that failed together do not retry together. */
const backoffMs = (attempt: number): number =>
  Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt) * (0.5 + Math.random() / 2);

export function checkTimeout(name: string, timeoutMs: number): number {
  if (typeof timeoutMs !== 'number' || !(timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS))
    throw invalidArgument(name, `must be a number of milliseconds from 1 to ${LONGEST_TIMER_MS}`);
  return timeoutMs;
}

export function checkRetries(name: string, maxRetries: number): number {
  if (!Number.isInteger(maxRetries) || maxRetries < 0) throw invalidArgument(name, 'must be 0 or a positive integer');
  return maxRetries;
}

/** Checked here, because `fetch` fails in a different way in each runtime when a header has other characters. */
export function checkIdempotencyKey(key: unknown): string {
  if (typeof key !== 'string' || key === '')
    throw invalidArgument('idempotencyKey', 'is required: build it from your data with Foreword.idempotencyKey()');
  if (!/^[\x21-\x7E]([\x20-\x7E]{0,253}[\x21-\x7E])?$/.test(key))
    throw invalidArgument('idempotencyKey', 'must have 1 to 255 printable ASCII characters, without spaces around it');
  return key;
}

/** An id as a part of a path. */
export function segment(name: string, id: unknown): string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..')
    throw invalidArgument(name, `must be an id, but is ${id === '' ? 'empty' : JSON.stringify(id)}`);
  return encodeURIComponent(id);
}

/** Throws for a filter without a value: the list would have objects that the caller does not mean. */
function writeQuery(query: Query = {}): string {
  const pairs: string[] = [];
  const add = (name: string, value: unknown) => {
    // A value that is `undefined` would search for the word.
    if (value === '' || value === undefined || value === null)
      throw invalidArgument(name, 'must not be empty: leave it out for no filter');
    pairs.push(`${name}=${encodeURIComponent(String(value))}`);
  };
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (Array.isArray(value)) add(name, value.includes('') ? '' : value.join(','));
    else if (value instanceof Date) add(name, value.toISOString());
    else if (typeof value === 'object' && value !== null) {
      const parts = Object.entries(value);
      if (parts.length === 0) add(name, '');
      for (const [key, part] of parts) add(`${name}[${encodeURIComponent(key)}]`, part);
    } else add(name, value);
  }
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function readRetryAfterS(response: ResponseLike): number | undefined {
  const header = response.headers.get('retry-after');
  if (header === null || header === '') return;
  const seconds = Number(header);
  if (!Number.isNaN(seconds)) return Math.max(0, seconds);
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.now()) / 1000);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return;
  }
}

function readApiError(text: string): ApiErrorDetails | undefined {
  const { error } = (parseJson(text) ?? {}) as { error?: Partial<ApiErrorDetails> };
  return typeof error?.code === 'string' && typeof error.message === 'string' ? (error as ApiErrorDetails) : undefined;
}

const ERRORS_BY_STATUS: Readonly<Record<number, typeof ForewordError>> = {
  401: ForewordAuthenticationError,
  403: ForewordPermissionError,
  404: ForewordNotFoundError,
  409: ForewordConflictError,
  422: ForewordValidationError,
};

function toError(response: ResponseLike, text: string, url: string): ForewordError {
  const { status, headers } = response;
  const requestId = headers.get('request-id') ?? undefined;
  const retryAfterS = readRetryAfterS(response);
  const problem = readApiError(text);
  const details =
    problem === undefined
      ? { ...describeForeignResponse(response, url), status, requestId }
      : {
          ...{ code: problem.code, message: problem.message, field: problem.field, problems: problem.problems },
          ...{ objectId: problem.object_id, status, requestId },
        };
  if (status === 429) return new ForewordRateLimitError({ ...details, retryAfterS });
  if (status >= 500) return new ForewordServerError({ ...details, retryAfterS });
  // A page of another server is no statement about an object: only the API's own 404 is a ForewordNotFoundError.
  const Class = (problem && ERRORS_BY_STATUS[status]) ?? ForewordError;
  return new Class(details);
}

function describeForeignResponse({ status, headers }: ResponseLike, url: string) {
  const location = headers.get('location');
  // Browsers hide the response of a redirect that they do not follow.
  const isRedirect = status === 0 || (status >= 300 && status < 400);
  const message = isRedirect
    ? `${url} redirects${location === null ? '' : ` to ${location}`}: set baseUrl to the final address`
    : `${url} responded with ${status}, but not like Foreword: check baseUrl, and the proxy in front of the service`;
  return { code: 'unexpected_response' as const, message };
}

const describeFailure = (error: unknown): string => {
  const { message, cause } = error as { message?: string; cause?: { code?: string; message?: string } };
  const reason = cause?.message || cause?.code;
  return `${message ?? error}${reason ? ` (${reason})` : ''}`;
};

/** One attempt: the parsed response, or an error with whether and when to repeat it. */
type Outcome =
  | { readonly value: unknown }
  | { readonly error: ForewordError; readonly isFinal: boolean; readonly retryAfterS?: number | undefined };

export class Requester {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async send<T>(call: Call): Promise<T> {
    const { options = {}, waitS } = call;
    const ownTimeMs = checkTimeout('timeoutMs', options.timeoutMs ?? this.#connection.timeoutMs);
    const timeoutMs = Math.min(ownTimeMs + (Number.isFinite(waitS) ? Number(waitS) * 1000 : 0), LONGEST_TIMER_MS);
    const maxRetries = checkRetries('maxRetries', options.maxRetries ?? this.#connection.maxRetries);
    const url = this.#connection.baseUrl + call.path + writeQuery(call.query);
    // Written once: each attempt sends the same bytes with the same key.
    const request = this.#writeRequest(call);
    for (let attempt = 0; ; attempt++) {
      const outcome = await this.#attempt(url, request, timeoutMs, options.signal);
      if ('value' in outcome) return outcome.value as T;
      const { error, isFinal, retryAfterS = 0 } = outcome;
      if (isFinal || attempt >= maxRetries || retryAfterS > LONGEST_RETRY_AFTER_S) throw error;
      await pause(Math.max(retryAfterS * 1000, backoffMs(attempt)), options.signal);
    }
  }

  #writeRequest({ method, body, file, idempotencyKey }: Call): Omit<RequestLike, 'signal'> {
    const headers: Record<string, string> = {
      authorization: `Bearer ${this.#connection.apiKey}`,
      accept: 'application/json',
    };
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey;
    if (file !== undefined) headers['content-type'] = file.type;
    else if (body !== undefined) headers['content-type'] = 'application/json';
    // A redirect would turn a POST into a GET, or repeat it at an address that is not configured.
    const request = { method, headers, redirect: 'manual' } as const;
    const content = file?.content ?? (body === undefined ? undefined : JSON.stringify(body));
    return content === undefined ? request : { ...request, body: content };
  }

  async #attempt(
    url: string,
    request: Omit<RequestLike, 'signal'>,
    timeoutMs: number,
    signal: AbortSignalLike | undefined,
  ): Promise<Outcome> {
    const fetch = this.#connection.fetch ?? runtime.fetch;
    if (fetch === undefined) throw invalidArgument('fetch', 'is required: this runtime has none');
    const onTimeout = () =>
      new ForewordConnectionError({
        code: 'timeout',
        message: `${request.method} ${url}: no complete response within ${timeoutMs} ms`,
      });
    try {
      return await withDeadline(timeoutMs, onTimeout, signal, async (combined) => {
        const response = await fetch(url, { ...request, signal: combined });
        return readResponse(response, await response.text(), url);
      });
    } catch (error) {
      if (signal?.aborted) throw abortReason(signal);
      if (error instanceof ForewordConnectionError) return { error, isFinal: false };
      const message = `${request.method} ${url}: ${describeFailure(error)}`;
      return {
        error: new ForewordConnectionError({ code: 'connection_failed', message, cause: error }),
        isFinal: false,
      };
    }
  }
}

function readResponse(response: ResponseLike, text: string, url: string): Outcome {
  const { status, headers } = response;
  if (status < 200 || status >= 300)
    return {
      error: toError(response, text, url),
      isFinal: !isRetryable(status),
      retryAfterS: readRetryAfterS(response),
    };
  const value = parseJson(text);
  if (typeof value === 'object' && value !== null) return { value };
  // Cut off, or from another server: the change may have happened, so the same key finds out.
  const requestId = headers.get('request-id') ?? undefined;
  const message = `${url} responded with ${status}, but its body is not complete JSON: check baseUrl, and the proxy in front of the service`;
  return {
    error: new ForewordConnectionError({ code: 'invalid_response', message, status, requestId }),
    isFinal: false,
  };
}
