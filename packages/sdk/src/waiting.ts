import { ForewordWaitTimeoutError } from './errors.ts';
import { checkTimeout } from './request.ts';
import { type AbortSignalLike, pause, withDeadline } from './runtime.ts';

/** The server holds a request this long. A connection that went silent is noticed only after it, so it is short. */
const LONGEST_WAIT_S = 10;
/** A key with too many waiting requests gets its responses at once. */
const SHORTEST_POLL_MS = 1000;

interface Wait<T, D extends T> {
  readonly description: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignalLike | undefined;
  /** Retrieves the object, after it changed or after this many seconds. */
  retrieve(waitS: number, signal: AbortSignalLike, last: T | undefined): Promise<T>;
  isDone(state: T): state is D;
}

export async function waitUntil<T extends { readonly status: string }, D extends T>({
  description,
  timeoutMs,
  signal,
  retrieve,
  isDone,
}: Wait<T, D>): Promise<D> {
  let last: T | undefined;
  const onTimeout = () =>
    new ForewordWaitTimeoutError(
      `Waited ${timeoutMs} ms for ${description}; ${last === undefined ? 'the server did not respond' : `its status is ${last.status}`}`,
    );
  const startedMs = Date.now();
  return withDeadline(checkTimeout('timeoutMs', timeoutMs), onTimeout, signal, async (combined) => {
    for (;;) {
      const askedMs = Date.now();
      const leftS = Math.ceil((timeoutMs - (askedMs - startedMs)) / 1000);
      const state = await retrieve(Math.min(LONGEST_WAIT_S, Math.max(0, leftS)), combined, last);
      if (isDone(state)) return state;
      const isUnchanged = last !== undefined && JSON.stringify(state) === JSON.stringify(last);
      last = state;
      if (isUnchanged || leftS <= 0) await pause(Math.max(0, askedMs + SHORTEST_POLL_MS - Date.now()), combined);
    }
  });
}
