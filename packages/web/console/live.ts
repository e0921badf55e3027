import type { QueryClient } from '@tanstack/react-query';
import { untilAnswered } from './probe.ts';
import { renew, type Topic } from './queries.ts';

/** What comes within this time leads to one reading: an import changes a thousand members. */
const GATHER_MS = 400;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;

interface Message {
  readonly topic: Topic;
}

/** Keeps what is on the screen true while somebody looks at it. One for the page, for as long as it stands. */
export class Live {
  readonly #queries: QueryClient;
  readonly #changed = new Set<Topic>();
  #source: EventSource | null = null;
  #failures = 0;
  #gathering = false;
  /** Messages may have been missed: since it was last open, it was closed. */
  #missed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(queries: QueryClient) {
    this.#queries = queries;
  }

  start(): void {
    document.addEventListener('visibilitychange', () => this.#follow());
    window.addEventListener('online', () => this.#open());
    window.addEventListener('pagehide', () => this.#close());
    window.addEventListener('pageshow', () => this.#follow());
    this.#follow();
  }

  #follow(): void {
    if (document.visibilityState === 'visible') this.#open();
    else this.#close();
  }

  #open(): void {
    clearTimeout(this.#timer);
    if (this.#source !== null || document.visibilityState !== 'visible') return;
    const source = new EventSource('/console/api/live');
    this.#source = source;
    source.addEventListener('open', () => {
      this.#failures = 0;
      if (this.#missed) void this.#queries.invalidateQueries();
      this.#missed = false;
    });
    source.addEventListener('message', ({ data }: MessageEvent<string>) => this.#gather(data));
    source.addEventListener('error', () => this.#retry());
  }

  #close(): void {
    clearTimeout(this.#timer);
    if (this.#source === null) return;
    this.#source.close();
    this.#source = null;
    this.#missed = true;
  }

  /** An EventSource does not tell why it failed, and gives up on some answers. An ordinary call tells, and goes to the sign-in. */
  #retry(): void {
    this.#close();
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LONGEST_RETRY_MS);
    this.#failures += 1;
    this.#timer = setTimeout(() => void untilAnswered().then(() => this.#open()), delayMs);
  }

  #gather(text: string): void {
    const { topic } = JSON.parse(text) as Message;
    this.#changed.add(topic);
    if (this.#gathering) return;
    this.#gathering = true;
    setTimeout(() => {
      this.#gathering = false;
      for (const changed of this.#changed) void renew(this.#queries, changed);
      this.#changed.clear();
    }, GATHER_MS);
  }
}
