import { parseShown } from '@foreword/contract/plain';
import { expireAfter } from './clock.ts';
import { jittered } from './random.ts';
import { onResume } from './signal.ts';
import type { ClosedReason, RecorderState, StateAnswer } from './types.ts';

const ANSWER_PATIENCE_MS = 10_000;
/** While the server processes the take. */
const BUSY_MS = 700;
/** While a take is being uploaded, perhaps from another phone, or its text is being sent. */
const UPLOADING_MS = 2_000;
/** Otherwise: a member who is reading the script should learn of a cancellation before recording. */
const IDLE_MS = 15_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 10_000;

export async function fetchState(api: string): Promise<StateAnswer> {
  try {
    const signal = expireAfter(ANSWER_PATIENCE_MS);
    const response = await fetch(`${api}/state`, { cache: 'no-store', signal });
    const body = parseShown(await response.text());
    const to = response.status === 404 ? findSuccessor(body) : null;
    if (to !== null) return { reassignedTo: to };
    if (response.status === 404 && saysUnknown(body)) return { unknown: true };
    if (response.status === 410 && saysClosed(body)) return { closed: body.closed };
    if (response.ok && looksLikeState(body)) return body;
  } catch {
    // No signal and invalid JSON are handled the same way.
  }
  return { offline: true };
}

/** Returns false without an answer from the server. */
export async function requestRetry(api: string): Promise<boolean> {
  try {
    const response = await fetch(`${api}/retry`, { method: 'POST', signal: expireAfter(ANSWER_PATIENCE_MS) });
    // A network's sign-in page answers with another status. A 409 means that the take no longer waits for this.
    return response.status === 204 || response.status === 409;
  } catch {
    return false;
  }
}

/** A network's sign-in page answers every request with its own page. */
function looksLikeState(body: unknown): body is RecorderState {
  return typeof body === 'object' && body !== null && 'intro' in body && 'member' in body && 'limits' in body;
}

const REASONS: readonly string[] = [
  'cancelled',
  'expired',
  'link_expired',
  'likeness_withdrawn',
] satisfies ClosedReason[];

export function saysClosed(body: unknown): body is { closed: ClosedReason } {
  return typeof body === 'object' && body !== null && 'closed' in body && REASONS.includes(`${body.closed}`);
}

/** True only for the service's own 404. A proxy also returns 404 while the service behind it is being replaced. */
export const saysUnknown = (body: unknown): boolean => errorIn(body)?.code === 'not_found';

/** The name of the member who records the intro now, from a response for an earlier link. */
export const findSuccessor = (body: unknown): string | null =>
  typeof body === 'object' && body !== null && 'reassigned_to' in body ? String(body.reassigned_to) : null;

/** The `error` of a response of the service: `{ error: { code, message } }`. */
export function errorIn(body: unknown): { code?: unknown; message?: unknown } | null {
  if (typeof body !== 'object' || body === null || !('error' in body)) return null;
  return typeof body.error === 'object' ? body.error : null;
}

/** Reports each changed state. Stops when the intro is closed or the link is unknown. */
export function watchState(
  api: string,
  listener: (answer: StateAnswer) => void,
): {
  /** Fetches now, for example after the upload. */
  refresh(): void;
  stop(): void;
} {
  const watch = new StateWatch(api, listener);
  watch.refresh();
  return watch;
}

class StateWatch {
  readonly #api: string;
  readonly #listener: (answer: StateAnswer) => void;
  #lastText = '';
  #failures = 0;
  #timer: number | undefined;
  #fetching = false;
  #fetchAgain = false;
  #stopped = false;
  readonly #stopListening: () => void;

  constructor(api: string, listener: (answer: StateAnswer) => void) {
    this.#api = api;
    this.#listener = listener;
    this.#stopListening = onResume(() => this.refresh());
  }

  refresh(): void {
    if (this.#fetching) this.#fetchAgain = true;
    else void this.#fetch();
  }

  stop(): void {
    this.#stopped = true;
    window.clearTimeout(this.#timer);
    this.#stopListening();
  }

  async #fetch(): Promise<void> {
    window.clearTimeout(this.#timer);
    if (this.#stopped) return;
    this.#fetching = true;
    const answer = await fetchState(this.#api);
    this.#fetching = false;
    if (this.#stopped) return;
    this.#failures = 'offline' in answer ? this.#failures + 1 : 0;
    const text = JSON.stringify(answer);
    if ('closed' in answer || 'unknown' in answer || 'reassignedTo' in answer) this.stop();
    if (text !== this.#lastText) {
      this.#lastText = text;
      this.#listener(answer);
    }
    if (this.#stopped) return;
    const delayMs = this.#fetchAgain ? 0 : this.#delayMs(answer);
    this.#fetchAgain = false;
    // The page is hidden: it fetches as soon as the member returns.
    if (document.visibilityState === 'visible') this.#timer = window.setTimeout(() => void this.#fetch(), delayMs);
  }

  #delayMs(answer: StateAnswer): number {
    if (!('intro' in answer)) return jittered(Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.#failures - 1)));
    const status = answer.recording?.status;
    if (status === 'checking' || status === 'processing') return BUSY_MS;
    // The text is being sent, or turns out not to be.
    const { text } = answer.intro;
    const isSettling = text?.status === 'queued' && text.due_at === null && text.problem === null;
    return status === 'uploading' || isSettling ? UPLOADING_MS : IDLE_MS;
  }
}
