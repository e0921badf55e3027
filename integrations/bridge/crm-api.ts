import { setTimeout as sleep } from 'node:timers/promises';

/** An answer of the CRM's API that is not 2xx, or none at all. Has no body and no URL, which may contain personal data. */
export class CrmError extends Error {
  /** Undefined if the CRM could not be reached. */
  readonly status: number | undefined;
  constructor(operation: string, status: number | undefined) {
    super(status === undefined ? `${operation}: no answer` : `${operation}: status ${status}`);
    this.status = status;
  }
  get isMissing(): boolean {
    return this.status === 404 || this.status === 410;
  }
  /** It may work later: outages, rate limits, and a key that an administrator has to replace. */
  get isTemporary(): boolean {
    const { status } = this;
    return (
      status === undefined || status === 401 || status === 403 || status === 408 || status === 429 || status >= 500
    );
  }
}

export interface CrmCall {
  /** Appears in errors and logs, such as `get job`. */
  readonly operation: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH';
  /** Below the base URL, with its query, encoded by the recipe. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
}

export interface CrmApi {
  /** The parsed JSON answer; undefined if it has no body. Throws a `CrmError`. */
  call(call: CrmCall): Promise<unknown>;
}

export interface CrmApiOptions {
  readonly baseUrl: string;
  /** The headers that authenticate. After a 401, it is called once more with `isRefused`: fetch a new token. */
  authorize(isRefused: boolean): Promise<Readonly<Record<string, string>>>;
  /** For one call with its retries. Below the recipe's `answerWithinMs`. */
  readonly deadlineMs?: number;
}

const DEADLINE_MS = 12_000;
const ATTEMPT_MS = 8_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 4_000;

/** How long to wait before the next attempt: what the CRM asks for in `Retry-After` (seconds or a date), otherwise with backoff. */
function waitMs(response: Response | undefined, attempt: number): number {
  const asked = response?.headers.get('retry-after');
  if (asked !== null && asked !== undefined) {
    const ms = /^\d+(\.\d+)?$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - Date.now();
    if (Number.isFinite(ms)) return Math.max(ms, 0);
  }
  return Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS) * (0.75 + Math.random() / 2);
}

/**
 * Calls a CRM's API. Reads are repeated after 429, 5xx and broken connections. Writes are repeated only after 429, which means that
 * nothing was written; after any other failure the whole webhook is repeated, and the recipe checks what is already there.
 */
export function createCrmApi({ baseUrl, authorize, deadlineMs = DEADLINE_MS }: CrmApiOptions): CrmApi {
  const send = async ({ method = 'GET', path, headers, json }: CrmCall, isRefused: boolean, leftMs: number) =>
    fetch(baseUrl + path, {
      method,
      headers: {
        accept: 'application/json',
        ...(json !== undefined && { 'content-type': 'application/json' }),
        ...headers,
        ...(await authorize(isRefused)),
      },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      redirect: 'error',
      // Rejects fractions.
      signal: AbortSignal.timeout(Math.ceil(Math.min(ATTEMPT_MS, leftMs))),
    });
  return {
    async call(call) {
      const isRead = (call.method ?? 'GET') === 'GET';
      const endsAt = performance.now() + deadlineMs;
      let isRefused = false;
      for (let attempt = 0; ; attempt += 1) {
        const response = await send(call, isRefused, Math.max(endsAt - performance.now(), 1)).catch(
          (error: unknown) => {
            if (error instanceof CrmError) throw error;
            return undefined;
          },
        );
        if (response?.ok === true) return readJson(call.operation, response);
        const status = response?.status;
        await response?.body?.cancel();
        if (status === 401 && !isRefused) {
          isRefused = true;
          continue;
        }
        const isRepeatable = status === 429 || (isRead && (status === undefined || status >= 500));
        const pause = waitMs(response, attempt);
        if (!isRepeatable || performance.now() + pause >= endsAt) throw new CrmError(call.operation, status);
        await sleep(pause);
      }
    },
  };
}

async function readJson(operation: string, response: Response): Promise<unknown> {
  try {
    const text = await response.text();
    return text.trim() === '' ? undefined : JSON.parse(text);
  } catch {
    throw new CrmError(operation, undefined);
  }
}

/** Undefined instead of an error for something that a record may lack, such as an appointment. */
export async function ifPresent(call: Promise<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof CrmError && error.isMissing) return undefined;
    throw error;
  }
}

export interface Token {
  readonly value: string;
  /** From now. */
  readonly expiresInMs: number;
}

const EARLY_MS = 60_000;

/** Keeps an OAuth token until shortly before it expires. Concurrent callers share one request for a new one. */
export function createTokenSource(fetchToken: () => Promise<Token>): (isRefused: boolean) => Promise<string> {
  let current: { value: string; until: number } | undefined;
  let pending: Promise<string> | undefined;
  const renew = async () => {
    const { value, expiresInMs } = await fetchToken();
    current = { value, until: performance.now() + Math.max(expiresInMs - EARLY_MS, 0) };
    return value;
  };
  return async (isRefused) => {
    if (!isRefused && current !== undefined && performance.now() < current.until) return current.value;
    pending ??= renew().finally(() => {
      pending = undefined;
    });
    return pending;
  };
}
