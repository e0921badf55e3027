import fs from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { AUDIT_ACTIONS, type AuditAction } from '@foreword/contract';
import { Type } from 'typebox';
import { type EntryFilter, listEntries, presentEntry, recordChange, writeEntries } from '../audit/index.ts';
import { testTenant } from '../organizations/index.ts';
import { choice, databaseCommand, Limit, Organization, readLimit, type Shown } from './command.ts';
import { Failure } from './failure.ts';
import { requireOrganization } from './organizations.ts';
import { minuteOf, showList, showObject } from './print.ts';

const Filters = {
  action: Type.Optional(choice(AUDIT_ACTIONS, 'Only this action.')),
  actor: Type.Optional(Type.String({ description: 'Only entries of the member or API key with this ID.' })),
  id: Type.Optional(Type.String({ description: 'Only entries with this ID of an object, a request or an entry.' })),
};

const toFilter = (given: { action?: AuditAction; actor?: string; id?: string }): EntryFilter => ({
  actions: given.action === undefined ? null : [given.action],
  actorId: given.actor,
  id: given.id,
});

export const auditCommands = [
  databaseCommand({
    path: ['audit', 'list'],
    summary: 'Lists the newest entries of the audit log: who did what, when and from where.',
    input: Type.Object({ org: Organization, ...Filters, limit: Limit }),
    example: 'foreword audit list --action key.revoked',
    async run(tx, { org, limit, ...filters }) {
      const { id } = await requireOrganization(tx, org);
      const shown = readLimit(limit);
      const page = { before: undefined, limit: shown + 1 };
      const rows = await listEntries(tx, testTenant(id), toFilter(filters), page);
      const entries = rows.slice(0, shown).map((row) => {
        const { object: target, ...entry } = presentEntry(row, 'owner');
        return { object: 'audit_entry', ...entry, target };
      });
      return { entries, hasMore: rows.length > shown };
    },
    show: ({ entries, hasMore }) =>
      showList(
        entries,
        ({ at, action, actor, target, fields, ip }) => ({
          at: minuteOf(at),
          action,
          by: actor.name ?? actor.id ?? actor.type,
          id: target?.id ?? null,
          fields: fields.join(', '),
          from: ip,
        }),
        hasMore,
      ),
  }),
  databaseCommand({
    path: ['audit', 'export'],
    operand: 'FILE',
    summary: 'Writes the entries of the audit log to a CSV file, oldest first. The export is recorded, too.',
    input: Type.Object({
      FILE: Type.String({ description: 'The file to write. An existing file is replaced.' }),
      org: Organization,
      ...Filters,
    }),
    example: 'foreword audit export activity.csv',
    async run(tx, { FILE: file, org, ...filters }): Promise<Shown> {
      const { id } = await requireOrganization(tx, org);
      const tenant = testTenant(id);
      await recordChange(tx, tenant, { action: 'export.created', object: 'activity' });
      await pipeline(Readable.from(writeEntries(tx, tenant, toFilter(filters))), fs.createWriteStream(file)).catch(
        (error: NodeJS.ErrnoException) => {
          throw error.syscall === undefined ? error : new Failure(`Cannot write ${file}: ${error.message}`);
        },
      );
      return { id, object: 'audit_export', file };
    },
    show: (written) => showObject(written),
  }),
];
