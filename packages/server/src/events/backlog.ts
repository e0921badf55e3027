import type pg from 'pg';
import { type Clock, monotonicMs } from '../platform/clock.ts';
import { oldestAcceptedAgeMs } from './store/processing.ts';

/** How far processing is behind, on all nodes together. Accepting and processing in each process decide by it. */
export interface Backlog {
  /** Requests take precedence over processing until events have waited for this long. */
  isShort(): boolean;
  /** How long to wait before a batch of events is accepted. */
  acceptancePauseMs(): number;
}

/**
 * From this age of the oldest event on, processing no longer yields to requests, and accepting slows down, so that clients
 * send no faster than events are processed. A burst that lasts shorter is accepted at full speed.
 */
const LONG_MS = 1_000;
/** The pause grows up to this age. */
const LONGEST_MS = 4_000;
/**
 * Also the pause while no worker runs at all: a process still accepts 400 events a second then (two batches of 20 at once),
 * four times the rate limit of a key.
 */
const MAX_PAUSE_MS = 100;
const READ_INTERVAL_MS = 200;
/** After a quiet period, the last reading says nothing. */
const STALE_MS = 2_000;

/** Grows slowly at first, because a short pause already slows clients down. */
function pauseFor(ageMs: number): number {
  const excess = Math.min(1, Math.max(0, (ageMs - LONG_MS) / (LONGEST_MS - LONG_MS)));
  return Math.round(MAX_PAUSE_MS * excess ** 2);
}

/** Reads the age of the oldest event in the background, and only while it is used. */
export function watchBacklog({ pool, clock }: { pool: pg.Pool; clock: Clock }): Backlog {
  let lastAgeMs = 0;
  let readAtMs = Number.NEGATIVE_INFINITY;
  let isReading = false;

  async function read(): Promise<void> {
    isReading = true;
    try {
      lastAgeMs = await oldestAcceptedAgeMs(pool, clock());
    } catch {
      // The next query reports the fault.
      lastAgeMs = 0;
    }
    readAtMs = monotonicMs();
    isReading = false;
  }

  function ageMs(): number {
    const sinceMs = monotonicMs() - readAtMs;
    if (!isReading && sinceMs >= READ_INTERVAL_MS) void read();
    return sinceMs < STALE_MS ? lastAgeMs : 0;
  }

  return { isShort: () => ageMs() < LONG_MS, acceptancePauseMs: () => pauseFor(ageMs()) };
}
