import { setTimeout as pause } from 'node:timers/promises';
import { RETENTION_RULES, type RetentionRule } from '@foreword/contract';
import type { Services } from '../../app/services.ts';
import type { Tenant, Tx } from '../../db/tenancy.ts';
import { monotonicMs } from '../../platform/clock.ts';
import type { Logger } from '../../platform/log.ts';
import { every } from '../../platform/schedule.ts';
import { removeOldestDay } from '../audit/index.ts';
import { BATCH, pauseAfter, removedBefore, SWEEP_INTERVAL_MS } from './rules.ts';
import { listDays } from './settings.ts';
import { commitLazily, lockRule, PARTS, type Part, removeBatch } from './store.ts';

interface SweepDeps extends Pick<Services, 'db' | 'clock'> {
  /** Ends the sweep after the current batch. */
  readonly signal?: AbortSignal;
}

interface Result {
  readonly removed: number;
  readonly hasMore: boolean;
}

/** Removes one batch. */
type Removal = (tx: Tx, tenant: Tenant, before: Date) => Promise<Result>;

async function removeDay(tx: Tx, tenant: Tenant, before: Date): Promise<Result> {
  const removed = await removeOldestDay(tx, tenant, before);
  return { removed, hasMore: removed > 0 };
}

function removalFrom(part: Part): Removal {
  let from: string | Date | null = null;
  return async (tx, tenant, before) => {
    await commitLazily(tx);
    const { removed, last } = await removeBatch(tx, tenant, part, { before, from, limit: BATCH });
    from = last;
    return { removed, hasMore: removed === BATCH };
  };
}

/** A removal for each table of the rule, for one organization. */
const removalsOf = (rule: RetentionRule): readonly Removal[] =>
  rule === 'audit' ? [removeDay] : PARTS[rule].map(removalFrom);

/** Removes the old data of one rule, and returns the number of objects. Stops when another node sweeps the same rule. */
async function sweepRule({ db: { kysely: db }, clock, signal }: SweepDeps, rule: RetentionRule): Promise<number> {
  const now = clock();
  let total = 0;
  for (const { tenant, days } of await listDays(db, rule, now)) {
    const before = removedBefore(now, days);
    for (const remove of removalsOf(rule)) {
      let isDone = false;
      while (!isDone) {
        if (signal?.aborted === true) return total;
        const startedMs = monotonicMs();
        const result = await db
          .transaction()
          .execute(async (tx) => ((await lockRule(tx, rule)) ? remove(tx, tenant, before) : null));
        if (result === null) return total;
        total += result.removed;
        isDone = !result.hasMore;
        // Rejects when the service stops.
        if (!isDone) await pause(pauseAfter(monotonicMs() - startedMs), undefined, { signal }).catch(() => undefined);
      }
    }
  }
  return total;
}

/**
 * Removes the data that is older than each organization keeps it. Each batch is complete in itself: after a kill, or on
 * another node, the next batch continues.
 */
export async function sweepRetention(
  deps: SweepDeps,
  rules: readonly RetentionRule[] = RETENTION_RULES,
): Promise<Partial<Record<RetentionRule, number>>> {
  const removed: Partial<Record<RetentionRule, number>> = {};
  const problems: unknown[] = [];
  for (const rule of rules) {
    try {
      const count = await sweepRule(deps, rule);
      if (count > 0) removed[rule] = count;
    } catch (problem) {
      // A failure in one rule must not stop the others.
      problems.push(problem);
    }
  }
  if (problems.length > 0) throw problems[0];
  return removed;
}

/** Sweeps at once and then every hour. */
export function startRetention({ db, clock, log }: Omit<SweepDeps, 'signal'> & { readonly log: Logger }) {
  const stopping = new AbortController();
  const sweeps = every(SWEEP_INTERVAL_MS, 'remove old data', log, async () => {
    const removed = await sweepRetention({ db, clock, signal: stopping.signal });
    if (Object.keys(removed).length > 0) log.info({ removed }, 'old data removed');
  });
  return {
    async stop(): Promise<void> {
      stopping.abort();
      await sweeps.stop();
    },
  };
}
