import type pg from 'pg';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { every } from '../../platform/schedule.ts';
import type { Caller } from './authenticator.ts';
import { type KeyUse, recordUse } from './store.ts';

/** How soon the first use of a key appears: the user who just created it is waiting for it. */
const CHECK_MS = 2_000;
/** Each node writes a key in constant use at most this often. */
const WRITE_EVERY_MS = 60_000;

/** Records when keys were last used: collects in memory, writes periodically. */
export function watchKeyUsage(deps: { pool: pg.Pool; clock: Clock; log: Logger }) {
  const { pool, clock, log } = deps;
  const used = new Map<string, KeyUse>();
  const writtenMs = new Map<string, number>();

  async function write(isLast: boolean): Promise<void> {
    const nowMs = clock().getTime();
    const due = [...used.values()].filter(
      ({ keyId }) => isLast || nowMs - (writtenMs.get(keyId) ?? Number.NEGATIVE_INFINITY) >= WRITE_EVERY_MS,
    );
    if (due.length === 0) return;
    await recordUse(pool, due);
    for (const use of due) {
      writtenMs.set(use.keyId, nowMs);
      if (used.get(use.keyId) === use) used.delete(use.keyId);
    }
    for (const [keyId, ms] of writtenMs) if (nowMs - ms >= WRITE_EVERY_MS) writtenMs.delete(keyId);
  }

  const writing = every(CHECK_MS, 'record key use', log, () => write(false));
  return {
    /** Called for every request; only updates memory. */
    note({ organizationId, keyId }: Caller): void {
      used.set(keyId, { organizationId, keyId, at: clock() });
    },
    async stop(): Promise<void> {
      await writing.stop();
      await write(true).catch((err: unknown) => log.warn({ err }, 'could not record the last use of keys'));
    },
  };
}

export type KeyUsage = ReturnType<typeof watchKeyUsage>;
