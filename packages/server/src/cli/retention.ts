import { RETENTION_POLICIES, RETENTION_RULES } from '@foreword/contract';
import { Type } from 'typebox';
import { changeRetention, previewRetention, type Retention, readRetention } from '../privacy/retention/index.ts';
import { choice, TrueOrFalse } from './command.ts';
import { organizationCommand } from './database-command.ts';
import { showList } from './print.ts';

function present({ rule, days, pending }: Retention) {
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

export const retentionCommands = [
  organizationCommand({
    name: 'retention list',
    summary: 'Lists how many days an organization keeps each kind of data.',
    input: {},
    run: ({ tx, tenant, now }) => readRetention(tx, tenant, now),
    show: (rules) =>
      showList({ data: rules.map(present) }, [
        'id',
        'days',
        ['default', ({ default_days }) => default_days],
        ['min', ({ min_days }) => min_days],
        ['max', ({ max_days }) => max_days],
        ['effective_at', ({ effective_at }) => effective_at],
      ]),
  }),
  organizationCommand({
    name: 'retention set',
    operands: ['RULE'],
    summary:
      'Changes how many days an organization keeps one kind of data. A shorter period takes effect after a day, for the audit log at once.',
    input: {
      rule: choice(RETENTION_RULES, 'The kind of data (see foreword retention list).'),
      days: Type.String({
        pattern: '^(default|[0-9]{1,5})$',
        'x-problem': 'must be a whole number or default',
        description: 'How many days, or "default".',
      }),
      dry_run: TrueOrFalse('Only shows how many objects would be removed first. Default: false.'),
    },
    example: 'videos --days 30 --dry-run true',
    async run({ tx, tenant, now }, { rule, days: given, dry_run: isDryRun }) {
      const days = given === 'default' ? RETENTION_POLICIES[rule].default : Number(given);
      const change = { rule, days, now };
      const { count, hasMore, effectiveAt } = await previewRetention(tx, tenant, change);
      if (isDryRun === true) {
        const effective_at = effectiveAt?.toISOString() ?? null;
        return { id: rule, object: 'retention_preview', days, removes: count, has_more: hasMore, effective_at };
      }
      await changeRetention(tx, tenant, change);
      const after = (await readRetention(tx, tenant, now)).find((one) => one.rule === rule);
      return present(after ?? { rule, days, pending: null });
    },
  }),
];
