import type { RetentionRule } from '@foreword/contract';
import { acrossTenants, type Db, forTenant, type Tenant } from '../../../db/tenancy.ts';
import type { Choice } from '../rules.ts';

const COLUMNS = ['days', 'earlier_days', 'changed_at'] as const;

/** The choices of one organization, by rule. */
export async function findChoices(db: Db, tenant: Tenant): Promise<ReadonlyMap<RetentionRule, NonNullable<Choice>>> {
  const rows = await forTenant(db, tenant)
    .selectFrom('retention_settings')
    .select(['rule', ...COLUMNS])
    .execute();
  return new Map(rows.map(({ rule, ...choice }) => [rule, choice]));
}

export async function saveChoice(
  db: Db,
  { organizationId: organization_id, environment }: Tenant,
  rule: RetentionRule,
  choice: NonNullable<Choice>,
): Promise<void> {
  await acrossTenants(db)
    .insertInto('retention_settings')
    .values({ organization_id, environment, rule, ...choice })
    .onConflict((on) => on.columns(['organization_id', 'environment', 'rule']).doUpdateSet(choice))
    .execute();
}

/** Every organization with its choice for the rule. */
export async function listChoices(
  db: Db,
  rule: RetentionRule,
): Promise<readonly { readonly tenant: Tenant; readonly choice: Choice; readonly auditDays: number | null }[]> {
  const rows = await acrossTenants(db)
    .selectFrom('organizations as o')
    .leftJoin('retention_settings as s', (on) =>
      on.onRef('s.organization_id', '=', 'o.id').on('s.environment', '=', 'test').on('s.rule', '=', rule),
    )
    .select(['o.id', 'o.audit_days', 's.days', 's.earlier_days', 's.changed_at'])
    .orderBy('o.id')
    .execute();
  return rows.map(({ id, audit_days: auditDays, days, earlier_days, changed_at }) => ({
    tenant: { organizationId: id, environment: 'test' },
    choice: days === null || changed_at === null ? null : { days, earlier_days, changed_at },
    auditDays,
  }));
}
