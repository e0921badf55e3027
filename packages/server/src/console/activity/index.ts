/** The audit log as the console shows and exports it. */

import type { ACTIVITY_OPERATIONS, AuditAction, AuditActor, AuditGroup, Role } from '@foreword/contract';
import { invalid } from '../../platform/errors.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import {
  type EntryFilter,
  findEntry,
  keptDays,
  listEntries,
  presentEntry,
  visibleActions,
} from '../../privacy/audit/index.ts';
import { changeRetention } from '../../privacy/retention/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { readPeriod } from '../intros/filters.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { requireOrganization } from '../organization.ts';

const PAGE_SIZE = 50;

export interface ActivityFilters {
  readonly actor?: string;
  readonly actor_type?: AuditActor;
  readonly group?: AuditGroup;
  readonly action?: AuditAction;
  readonly q?: string;
  readonly from?: string;
  readonly to?: string;
}

export const readFilter = (
  role: Role,
  { actor, actor_type, q, from, to, ...chosen }: ActivityFilters,
  timezone: string,
): EntryFilter => ({
  ...readPeriod({ ...(from !== undefined && { from }), ...(to !== undefined && { to }) }, timezone),
  actorId: actor,
  actorType: actor_type,
  actions: visibleActions(role, chosen),
  id: q?.trim(),
});

export function createActivityHandlers({
  db: { kysely: db },
  clock,
}: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof ACTIVITY_OPERATIONS> {
  return {
    async readActivity({ tenant, role }, { query: { before, ...filters } }) {
      if (before !== undefined && !(ID_PATTERN.test(before) && (await findEntry(db, tenant, before)))) {
        throw invalid('before', 'must be `next` of the previous page');
      }
      const organization = await requireOrganization(db, tenant);
      const filter = readFilter(role, filters, organization.timezone);
      // One more than the page, to learn whether more exist.
      const rows = await listEntries(db, tenant, filter, { before, limit: PAGE_SIZE + 1 });
      const shown = rows.slice(0, PAGE_SIZE);
      return {
        entries: shown.map((row) => presentEntry(row, role)),
        next: rows.length > PAGE_SIZE ? (shown.at(-1)?.id ?? null) : null,
        timezone: organization.timezone,
        keep_days: keptDays(organization.audit_days),
      };
    },
    async changeActivityRetention({ tenant }, { body: { days } }) {
      const change = { rule: 'audit', days, now: clock() } as const;
      await db.transaction().execute((tx) => changeRetention(tx, tenant, change));
      return { keep_days: days };
    },
  };
}
