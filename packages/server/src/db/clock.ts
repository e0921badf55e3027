import type pg from 'pg';
import { type Clock, monotonicMs, systemClock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { every, type Schedule } from '../platform/schedule.ts';

type Client = Pick<pg.Pool, 'query'>;

/** A step of the database's clock reaches every node within this time. */
const MEASURE_INTERVAL_MS = 1_000;
/** Clocks that are synchronized differ by a few milliseconds. */
const MAX_SKEW_MS = 2_000;

/**
 * The database's time, which all nodes share, so that a wrong clock of one node makes nothing due early, late or twice.
 * Between measurements it advances with the monotonic clock, which cannot be set. The result can be used at once.
 */
export async function openDatabaseClock(client: Client) {
  /** The database's time minus the monotonic time. */
  let offsetMs: number | undefined;

  async function measure(): Promise<void> {
    const sentMs = monotonicMs();
    const { rows } = await client.query<{ ms: number }>(
      'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
    );
    const receivedMs = monotonicMs();
    const ms = rows[0]?.ms ?? Number.NaN;
    // The database read its clock between the two, so the offset is between these bounds. A slow response gives wide
    // bounds, which leave a better offset from before as it is.
    const [least, most] = [ms - receivedMs, ms - sentMs];
    offsetMs = Math.min(most, Math.max(least, offsetMs ?? (least + most) / 2));
  }

  await measure();
  const now: Clock = () => new Date(monotonicMs() + (offsetMs ?? Number.NaN));
  /** How far this machine's clock is ahead of the database's; negative if it is behind. */
  const skewMs = () => systemClock().getTime() - now().getTime();
  return {
    now,
    skewMs,
    /** The problem with this machine's clock; null if it agrees with the database's. */
    warning(): string | null {
      const skew = skewMs();
      if (Math.abs(skew) <= MAX_SKEW_MS) return null;
      const direction = skew > 0 ? 'ahead of' : 'behind';
      return `This machine's clock is ${(Math.abs(skew) / 1000).toFixed(1)} s ${direction} the database's.`;
    },
    measure,
  };
}

export type DatabaseClock = Awaited<ReturnType<typeof openDatabaseClock>>;

/** Keeps the clock right, and logs once when this machine's own clock starts to differ. */
export function watchDatabaseClock(clock: DatabaseClock, log: Logger): Schedule {
  let wasRight = true;
  return every(MEASURE_INTERVAL_MS, 'measure the clock', log, async () => {
    // While the database is away, the last offset holds. Everything else reports that.
    await clock.measure().catch(() => undefined);
    const warning = clock.warning();
    if (warning !== null && wasRight)
      log.warn({ skew_ms: Math.round(clock.skewMs()) }, `${warning} Synchronize both with NTP.`);
    wasRight = warning === null;
  });
}
