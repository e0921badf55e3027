import fs from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AUDIT_ACTIONS, type AuditAction, RETENTION_POLICIES, RETENTION_RULES, Type } from '@foreword/contract';
import { type EntryFilter, listEntries, presentEntry, recordChange, writeEntries } from '../privacy/audit/index.ts';
import { changeRetention, previewRetention, type Retention, readRetention } from '../privacy/retention/index.ts';
import { choice, Option, TrueOrFalse } from './command.ts';
import { organizationCommand } from './database-command.ts';
import { minuteOf, showList } from './print.ts';
import { Failure } from './terminal.ts';

const DEFAULT_LIMIT = 20;

const Filters = {
  action: Type.Optional(choice(AUDIT_ACTIONS, 'Only this action.')),
  actor: Option('Only entries of the member or API key with this ID.'),
  id: Option('Only entries with this ID of an object, a request or an entry.'),
};

const toFilter = (given: { action?: AuditAction; actor?: string; id?: string }): EntryFilter => ({
  actions: given.action === undefined ? null : [given.action],
  actorId: given.actor,
  id: given.id,
});

export const auditCommands = [
  organizationCommand({
    name: 'audit list',
    summary: 'Lists the newest entries of the audit log: who did what, when and from where.',
    input: {
      ...Filters,
      limit: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 100,
          'x-problem': 'must be a whole number from 1 to 100',
          description: `How many to show, 1 to 100. Default: ${DEFAULT_LIMIT}.`,
        }),
      ),
    },
    example: '--action key.revoked',
    async run({ tx, tenant }, { limit = DEFAULT_LIMIT, ...filters }) {
      const rows = await listEntries(tx, tenant, toFilter(filters), { before: undefined, limit: limit + 1 });
      const data = rows.slice(0, limit).map((row) => {
        const { object: target, ...entry } = presentEntry(row, 'owner');
        return { object: 'audit_entry', ...entry, target };
      });
      return { data, has_more: rows.length > limit };
    },
    show: (entries) =>
      showList(
        entries,
        [
          ['at', ({ at }) => minuteOf(at)],
          'action',
          ['by', ({ actor }) => actor.name ?? actor.id ?? actor.type],
          ['id', ({ target }) => target?.id ?? null],
          ['fields', ({ fields }) => fields.join(', ')],
          ['from', ({ ip }) => ip],
        ],
        'Use foreword audit export to get all of them.',
      ),
  }),
  organizationCommand({
    name: 'audit export',
    operands: ['FILE'],
    summary: 'Writes the entries of the audit log to a CSV file, oldest first. The export is recorded, too.',
    input: { file: Type.String({ description: 'The file to write. An existing file is replaced.' }), ...Filters },
    example: 'activity.csv',
    async run({ tx, tenant }, { file, ...filters }) {
      await recordChange(tx, tenant, { action: 'export.created', object: 'activity' });
      await pipeline(
        Readable.from(writeEntries(tx, tenant, toFilter(filters))),
        fs.createWriteStream(file, { mode: 0o600 }),
      ).catch((error: NodeJS.ErrnoException) => {
        throw error.syscall === undefined ? error : new Failure(`Cannot write ${file}: ${error.message}`);
      });
      return { id: tenant.organizationId, object: 'audit_export', file };
    },
  }),
];

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
