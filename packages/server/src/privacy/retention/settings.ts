import { RETENTION_COUNT_LIMIT, RETENTION_RULES, type RetentionRule } from '@foreword/contract';
import type { Db, Tenant } from '../../db/tenancy.ts';
import { findOrganization, setAuditDays } from '../../organizations/index.ts';
import { invalid } from '../../platform/errors.ts';
import { countEntriesBefore, keptDays, recordChange, retainedFrom } from '../audit/index.ts';
import { type Choice, choose, daysAt, effectiveAt, explainDays, removedBefore } from './rules.ts';
import { countDue, findChoices, listChoices, PARTS, saveChoice } from './store.ts';

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

export interface RetentionPreview {
  readonly count: number;
  readonly hasMore: boolean;
  readonly effectiveAt: Date | null;
}

/** How many objects the first sweep with these days would remove. */
export async function previewRetention(
  db: Db,
  tenant: Tenant,
  { rule, days, now }: { readonly rule: RetentionRule; readonly days: number; readonly now: Date },
): Promise<RetentionPreview> {
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
