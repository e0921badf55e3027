import { RETENTION_POLICIES, RETENTION_RULES, type RetentionRule } from '@foreword/contract';
import { Type } from 'typebox';
import { testTenant } from '../organizations/index.ts';
import { ApiError } from '../platform/errors.ts';
import { changeRetention, previewRetention, type Retention, readRetention } from '../retention/index.ts';
import { choice, databaseCommand, Organization, type Shown } from './command.ts';
import { commandClock } from './connection.ts';
import { UsageError } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { showList, showObject } from './print.ts';

function present({ rule, days, pending }: Retention): Shown {
  const { default: byDefault, min, max } = RETENTION_POLICIES[rule];
  return {
    id: rule,
    object: 'retention_rule',
    days,
    default_days: byDefault,
    min_days: min,
    max_days: max,
    effective_at: pending?.at.toISOString() ?? null,
    days_until_then: pending?.days ?? null,
  };
}

/** The command says which option is wrong; the use case names the field. */
async function explaining<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof ApiError && error.field === 'days' ? new UsageError(`--${error.message}`) : error;
  });
}

export const retentionCommands = [
  databaseCommand({
    path: ['retention', 'list'],
    summary: 'Lists how many days an organization keeps each kind of data.',
    input: Type.Object({ org: Organization }),
    example: 'foreword retention list',
    async run(tx, { org }) {
      const { id } = await requireOrganization(tx, org);
      return (await readRetention(tx, testTenant(id), commandClock())).map(present);
    },
    show: (rules) =>
      showList(rules, ({ id = null, days = null, default_days = null, min_days = null, max_days = null, ...rule }) => ({
        id,
        days,
        default: default_days,
        min: min_days,
        max: max_days,
        effective_at: rule.effective_at ?? null,
      })),
  }),
  databaseCommand({
    path: ['retention', 'set'],
    operand: 'RULE',
    summary:
      'Changes how many days an organization keeps one kind of data. A shorter period takes effect after a day, for the audit log at once.',
    input: Type.Object({
      RULE: choice(RETENTION_RULES, 'The kind of data (see foreword retention list).'),
      days: Type.String({
        pattern: '^(default|[0-9]{1,5})$',
        'x-problem': 'must be a whole number or default',
        description: 'How many days, or "default".',
      }),
      'dry-run': Type.Optional(
        choice(['true', 'false'], 'Only shows how many objects would be removed first. Default: false.'),
      ),
      org: Organization,
    }),
    example: 'foreword retention set videos --days 30 --dry-run true',
    async run(tx, { RULE, days: given, 'dry-run': dryRun, org }): Promise<Shown> {
      const rule: RetentionRule = RULE;
      const { id } = await requireOrganization(tx, org);
      const tenant = testTenant(id);
      const days = given === 'default' ? RETENTION_POLICIES[rule].default : Number(given);
      const change = { rule, days, now: commandClock() };
      const { count, hasMore, effectiveAt } = await explaining(previewRetention(tx, tenant, change));
      if (dryRun === 'true') {
        const effective_at = effectiveAt?.toISOString() ?? null;
        return { id: rule, object: 'retention_preview', days, removes: count, has_more: hasMore, effective_at };
      }
      await explaining(changeRetention(tx, tenant, change));
      const after = (await readRetention(tx, tenant, change.now)).find((one) => one.rule === rule);
      return present(after ?? { rule, days, pending: null });
    },
    show: (shown) => showObject(shown),
  }),
];
