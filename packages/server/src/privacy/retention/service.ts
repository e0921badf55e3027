import { setTimeout as pause } from 'node:timers/promises';
import { RETENTION_COUNT_LIMIT, RETENTION_RULES, type RetentionRule } from '@foreword/contract';
import type { Services } from '../../app/services.ts';
import { type Db, type Tenant, type Tx, tryLock } from '../../db/tenancy.ts';
import { findOrganization, setAuditDays } from '../../organizations/index.ts';
import { monotonicMs } from '../../platform/clock.ts';
import { invalid } from '../../platform/errors.ts';
import type { Logger } from '../../platform/log.ts';
import { every, type Schedule } from '../../platform/schedule.ts';
import { countEntriesBefore, keptDays, recordChange, removeOldestDay, retainedFrom } from '../audit/index.ts';
import {
  BATCH,
  type Choice,
  choose,
  daysAt,
  effectiveAt,
  explainDays,
  pauseAfter,
  removedBefore,
  SWEEP_INTERVAL_MS,
} from './rules.ts';
import {
  commitLazily,
  countDue,
  findChoices,
  listChoices,
  PARTS,
  type Part,
  removeBatch,
  saveChoice,
} from './store.ts';

export interface Retention {
  readonly rule: RetentionRule;
  readonly days: number;
  /** When the days take effect, and those that apply until then. Null: they apply already. */
  readonly pending: { readonly at: Date; readonly days: number } | null;
}

const present = (rule: RetentionRule, choice: Choice, now: Date): Retention => {
  const at = effectiveAt(choice, now);
  const days = choice?.days ?? daysAt(rule, null, now);
  return { rule, days, pending: at === null ? null : { at, days: daysAt(rule, choice, now) } };
};

/** The days of the audit log are a column of the organization. They apply at once, because 90 days are always kept. */
async function readAuditDays(db: Db, { organizationId }: Tenant): Promise<number> {
  return keptDays((await findOrganization(db, organizationId))?.audit_days ?? null);
}

/** How long the organization keeps each kind of data. */
export async function readRetention(db: Db, tenant: Tenant, now: Date): Promise<Retention[]> {
  const choices = await findChoices(db, tenant);
  const auditDays = await readAuditDays(db, tenant);
  return RETENTION_RULES.map((rule) =>
    rule === 'audit' ? { rule, days: auditDays, pending: null } : present(rule, choices.get(rule) ?? null, now),
  );
}

/** The days that apply now, for one rule of one organization. */
export async function readDays(db: Db, tenant: Tenant, rule: RetentionRule, now: Date): Promise<number> {
  if (rule === 'audit') return readAuditDays(db, tenant);
  return daysAt(rule, (await findChoices(db, tenant)).get(rule) ?? null, now);
}

/** The days that apply now, for every organization. */
export async function listDays(
  db: Db,
  rule: RetentionRule,
  now: Date,
): Promise<{ readonly tenant: Tenant; readonly days: number }[]> {
  const choices = await listChoices(db, rule);
  return choices.map(({ tenant, choice, auditDays }) => ({
    tenant,
    days: rule === 'audit' ? keptDays(auditDays) : daysAt(rule, choice, now),
  }));
}

function requireDays(rule: RetentionRule, days: number): void {
  const problem = explainDays(rule, days);
  if (problem !== null) throw invalid('days', problem);
}

/** How many objects the first sweep with these days would remove. */
export async function previewRetention(
  db: Db,
  tenant: Tenant,
  { rule, days, now }: { readonly rule: RetentionRule; readonly days: number; readonly now: Date },
) {
  requireDays(rule, days);
  const limit = RETENTION_COUNT_LIMIT + 1;
  const current = rule === 'audit' ? null : ((await findChoices(db, tenant)).get(rule) ?? null);
  const at = rule === 'audit' ? null : effectiveAt(choose(rule, current, days, now), now);
  const before = removedBefore(at ?? now, days);
  const count =
    rule === 'audit'
      ? await countEntriesBefore(db, tenant, retainedFrom(now, days), limit)
      : await countDue(db, tenant, PARTS[rule][0], { before, limit });
  return { count: Math.min(count, RETENTION_COUNT_LIMIT), hasMore: count === limit, effectiveAt: at };
}

/** Changes how long one kind of data is kept. A change that changes nothing is not recorded. */
export async function changeRetention(
  tx: Db,
  tenant: Tenant,
  { rule, days, now }: { readonly rule: RetentionRule; readonly days: number; readonly now: Date },
): Promise<void> {
  requireDays(rule, days);
  if (rule === 'audit') {
    if ((await readAuditDays(tx, tenant)) === days) return;
    await setAuditDays(tx, tenant.organizationId, days);
  } else {
    const current = (await findChoices(tx, tenant)).get(rule) ?? null;
    if (present(rule, current, now).days === days) return;
    await saveChoice(tx, tenant, rule, choose(rule, current, days, now));
  }
  const fields = [`${rule}_days`];
  await recordChange(tx, tenant, { action: 'organization.changed', object: tenant.organizationId, fields });
}

interface SweepDeps extends Pick<Services, 'db' | 'clock'> {
  /** Ends the sweep after the current batch. */
  readonly signal?: AbortSignal;
}

/** Removes one batch. */
async function removeDay(tx: Tx, tenant: Tenant, before: Date) {
  const removed = await removeOldestDay(tx, tenant, before);
  return { removed, hasMore: removed > 0 };
}

type Removal = typeof removeDay;

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
          .execute(async (tx) => ((await tryLock(tx, `retention ${rule}`)) ? remove(tx, tenant, before) : null));
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
export const startRetention = ({ db, clock, log }: Omit<SweepDeps, 'signal'> & { readonly log: Logger }): Schedule =>
  every(SWEEP_INTERVAL_MS, 'remove old data', log, async (signal) => {
    const removed = await sweepRetention({ db, clock, signal });
    if (Object.keys(removed).length > 0) log.info({ removed }, 'old data removed');
  });
