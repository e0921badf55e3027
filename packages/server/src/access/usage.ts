import type pg from 'pg';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import { every } from '../platform/schedule.ts';
import type { Caller } from './authenticator.ts';
import { type KeyUse, noteUse } from './store.ts';

/** How soon the first use of a key shows: somebody who just made it looks. */
const LOOK_MS = 2_000;
/** A key in constant use is written this often by each node, and no oftener. */
const WRITE_EVERY_MS = 60_000;

export interface KeyUsage {
  /** On the path of every request: remembers, and does nothing else. */
  note(caller: Caller): void;
  stop(): Promise<void>;
}

/** When keys were last used, kept in memory and written now and then. */
export function watchKeyUsage(deps: { pool: pg.Pool; clock: Clock; log: Logger }): KeyUsage {
  const { pool, clock, log } = deps;
  const used = new Map<string, KeyUse>();
  const writtenMs = new Map<string, number>();

  async function write(isLast: boolean): Promise<void> {
    const nowMs = clock().getTime();
    const due = [...used.values()].filter(
      ({ keyId }) => isLast || nowMs - (writtenMs.get(keyId) ?? Number.NEGATIVE_INFINITY) >= WRITE_EVERY_MS,
    );
    if (due.length === 0) return;
    await noteUse(pool, due);
    for (const use of due) {
      writtenMs.set(use.keyId, nowMs);
      if (used.get(use.keyId) === use) used.delete(use.keyId);
    }
    for (const [keyId, ms] of writtenMs) if (nowMs - ms >= WRITE_EVERY_MS) writtenMs.delete(keyId);
  }

  const writing = every(LOOK_MS, 'note use of keys', log, () => write(false));
  return {
    note({ organizationId, keyId }) {
      used.set(keyId, { organizationId, keyId, at: clock() });
    },
    async stop() {
      await writing.stop();
      await write(true).catch((err: unknown) => log.warn({ err }, 'the last use of keys was not noted'));
    },
  };
}
