import { jittered } from './clock.ts';
import { fetchState } from './requests.ts';
import { onResume } from './signal.ts';
import type { StateAnswer } from './types.ts';

/** While the server processes the take. */
const BUSY_MS = 700;
/** While a take is being uploaded, perhaps from another phone, or its text is being sent. */
const UPLOADING_MS = 2_000;
/** Otherwise: a member who is reading the script should learn of a cancellation before recording. */
const IDLE_MS = 15_000;
const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 10_000;

/** Reports each changed state. Stops when the intro is closed or the link is unknown. */
export class StateWatch {
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
    this.refresh();
  }

  /** Fetches now, for example after the upload. */
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
