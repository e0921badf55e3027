import { jittered } from './chance.ts';
import { expireAfter } from './clock.ts';
import { onComeback } from './comeback.ts';
import type { RecorderState, StateAnswer } from './types.ts';

const ANSWER_PATIENCE_MS = 10_000;
/** While the server works on the take. */
const BUSY_MS = 700;
/** While bytes come in, perhaps from another phone. */
const UPLOADING_MS = 2_000;
/** Otherwise: an intro that is cancelled while the member reads the words should be told before the recording. */
const IDLE_MS = 15_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 10_000;

export async function fetchState(api: string): Promise<StateAnswer> {
  try {
    const signal = expireAfter(ANSWER_PATIENCE_MS);
    const response = await fetch(`${api}/state`, { cache: 'no-store', signal });
    const body: unknown = await response.json();
    if (response.status === 404 && saysUnknown(body)) return { unknown: true };
    if (response.status === 410 && saysClosed(body)) return { closed: body.closed };
    if (response.ok && looksLikeState(body)) return body;
  } catch {
    // No signal, no JSON: the same to whoever waits.
  }
  return { offline: true };
}

/** A page to sign in to some network answers everything with its own. */
function looksLikeState(body: unknown): body is RecorderState {
  return typeof body === 'object' && body !== null && 'intro' in body && 'member' in body && 'limits' in body;
}

export function saysClosed(body: unknown): body is { closed: 'cancelled' | 'expired' } {
  return (
    typeof body === 'object' && body !== null && 'closed' in body && ['cancelled', 'expired'].includes(`${body.closed}`)
  );
}

/** In the service's own words. A wall in between says 404 as well, while the service behind it is being replaced. */
export const saysUnknown = (body: unknown): boolean => errorIn(body)?.code === 'not_found';

/** As every error of the service is told: `{ error: { code, message } }`. */
export function errorIn(body: unknown): { code?: unknown; message?: unknown } | null {
  if (typeof body !== 'object' || body === null || !('error' in body)) return null;
  return typeof body.error === 'object' ? body.error : null;
}

/** Tells each answer that differs from the one before. Ends by itself when the intro is closed, or the link unknown. */
export function watchState(
  api: string,
  listener: (answer: StateAnswer) => void,
): {
  /** Ask now: after the upload, for one. */
  refresh(): void;
  stop(): void;
} {
  const watch = new Watch(api, listener);
  watch.refresh();
  return watch;
}

class Watch {
  readonly #api: string;
  readonly #listener: (answer: StateAnswer) => void;
  #told = '';
  #failures = 0;
  #timer: number | undefined;
  #asking = false;
  #again = false;
  #stopped = false;
  readonly #stopListening: () => void;

  constructor(api: string, listener: (answer: StateAnswer) => void) {
    this.#api = api;
    this.#listener = listener;
    this.#stopListening = onComeback(() => this.refresh());
  }

  refresh(): void {
    if (this.#asking) this.#again = true;
    else void this.#ask();
  }

  stop(): void {
    this.#stopped = true;
    window.clearTimeout(this.#timer);
    this.#stopListening();
  }

  async #ask(): Promise<void> {
    window.clearTimeout(this.#timer);
    if (this.#stopped) return;
    this.#asking = true;
    const answer = await fetchState(this.#api);
    this.#asking = false;
    if (this.#stopped) return;
    this.#failures = 'offline' in answer ? this.#failures + 1 : 0;
    const text = JSON.stringify(answer);
    if ('closed' in answer || 'unknown' in answer) this.stop();
    if (text !== this.#told) {
      this.#told = text;
      this.#listener(answer);
    }
    if (this.#stopped) return;
    const delayMs = this.#again ? 0 : this.#delayMs(answer);
    this.#again = false;
    // Nobody looks: the return to the page asks at once.
    if (document.visibilityState === 'visible') this.#timer = window.setTimeout(() => void this.#ask(), delayMs);
  }

  #delayMs(answer: StateAnswer): number {
    if (!('intro' in answer)) return jittered(Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.#failures - 1)));
    const status = answer.recording?.status;
    if (status === 'checking' || status === 'processing') return BUSY_MS;
    return status === 'uploading' ? UPLOADING_MS : IDLE_MS;
  }
}
