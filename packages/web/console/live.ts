import type { QueryClient } from '@tanstack/react-query';
import { untilReachable } from './api.ts';
import { refresh, type Topic } from './queries.ts';

/** Changes within this time cause one refetch: an import changes a thousand members. */
const BATCH_MS = 400;
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 15_000;

/** Refetches queries when the server reports changes, while the tab is visible. One instance per page load. */
export class Live {
  readonly #queries: QueryClient;
  readonly #changed = new Set<Topic>();
  #source: EventSource | null = null;
  #failures = 0;
  #isBatching = false;
  /** Changes may have been missed while the stream was closed, or before it was opened first. */
  #missed: boolean;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(queries: QueryClient, { missed }: { missed: boolean }) {
    this.#queries = queries;
    this.#missed = missed;
  }

  start(): void {
    document.addEventListener('visibilitychange', () => this.#openIfVisible());
    window.addEventListener('online', () => this.#open());
    window.addEventListener('pagehide', () => this.#close());
    window.addEventListener('pageshow', () => this.#openIfVisible());
    this.#openIfVisible();
  }

  #openIfVisible(): void {
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
    source.addEventListener('message', ({ data }: MessageEvent<string>) => this.#collect(data));
    source.addEventListener('error', () => this.#retry());
  }

  #close(): void {
    clearTimeout(this.#timer);
    if (this.#source === null) return;
    this.#source.close();
    this.#source = null;
    this.#missed = true;
  }

  /** EventSource hides why it failed and stops on some responses, so an ordinary call checks the session first. */
  #retry(): void {
    this.#close();
    const delayMs = Math.min(FIRST_RETRY_MS * 2 ** this.#failures, LONGEST_RETRY_MS);
    this.#failures += 1;
    this.#timer = setTimeout(() => void untilReachable().then(() => this.#open()), delayMs);
  }

  #collect(text: string): void {
    const { topic } = JSON.parse(text) as { readonly topic: Topic };
    this.#changed.add(topic);
    if (this.#isBatching) return;
    this.#isBatching = true;
    setTimeout(() => {
      this.#isBatching = false;
      for (const changed of this.#changed) void refresh(this.#queries, changed);
      this.#changed.clear();
    }, BATCH_MS);
  }
}
