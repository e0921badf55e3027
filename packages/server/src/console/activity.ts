/** The audit log as the console shows and exports it. */

import { Readable } from 'node:stream';
import { type ACTIVITY_OPERATIONS, ActivityQuery, type ConsoleQuery, type Role, Type } from '@foreword/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid } from '../platform/errors.ts';
import { ID_PATTERN } from '../platform/ids.ts';
import { withRequest } from '../platform/origin.ts';
import { compileCheck, readQuery } from '../platform/validate.ts';
import {
  type EntryFilter,
  findEntry,
  listEntries,
  presentEntry,
  recordChange,
  visibleActions,
  writeEntries,
} from '../privacy/audit/index.ts';
import { type ConsoleAccess, keepPrivate } from './access.ts';
import type { ConsoleDeps } from './deps.ts';
import { readPeriod } from './intros/filters.ts';
import { type ConsoleHandlers, memberActor, requireOrganization } from './operations.ts';
import type { ConsoleUser } from './sessions/service.ts';

const PAGE_SIZE = 50;

type ActivityFilters = Omit<ConsoleQuery<'GET /activity'>, 'before'>;

const readFilter = (
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
}: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof ACTIVITY_OPERATIONS> {
  return {
    async readActivity({ tenant, role }, { query: { before, ...filters } }) {
      if (before !== undefined && !(ID_PATTERN.test(before) && (await findEntry(db, tenant, before)))) {
        throw invalid('before', 'must be `next` of the previous page');
      }
      const { timezone } = await requireOrganization(db, tenant);
      const filter = readFilter(role, filters, timezone);
      // One more than the page, to learn whether more exist.
      const rows = await listEntries(db, tenant, filter, { before, limit: PAGE_SIZE + 1 });
      const shown = rows.slice(0, PAGE_SIZE);
      return {
        entries: shown.map((row) => presentEntry(row, role)),
        next: rows.length > PAGE_SIZE ? (shown.at(-1)?.id ?? null) : null,
      };
    },
  };
}

/** Records an export before it starts: a download that breaks off has already revealed something. */
export const recordExport = (
  { db }: Pick<ConsoleDeps, 'db'>,
  request: FastifyRequest,
  user: ConsoleUser,
  object: 'intros' | 'activity' | 'organization' | 'recipient',
): Promise<void> =>
  withRequest(request, memberActor(user), () =>
    recordChange(db.kysely, user.tenant, { action: 'export.created', object }),
  );

const { before: _, ...filters } = ActivityQuery.properties;
const Filters = Type.Object(filters, { additionalProperties: false });

/** Streams the entries that match the filters as CSV. */
export function registerActivityExport(app: FastifyInstance, { db, clock }: ConsoleDeps, access: ConsoleAccess): void {
  const check = compileCheck(Filters, 'query');
  app.get(
    '/console/export/activity.csv',
    { config: { operation: 'console_export_activity' } },
    async (request, reply) => {
      const user = await access.admit(request, 'owner');
      const filters = readQuery(Filters, request.query as Record<string, unknown>);
      check(filters);
      const { tenant, role } = user;
      const { timezone: timeZone } = await requireOrganization(db.kysely, tenant);
      const filter = readFilter(role, filters as ActivityFilters, timeZone);
      await recordExport({ db }, request, user, 'activity');
      const date = new Intl.DateTimeFormat('en-CA', { timeZone }).format(clock());
      keepPrivate(reply)
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="activity-until-${date}.csv"`);
      return reply.send(Readable.from(writeEntries(db.kysely, tenant, filter)));
    },
  );
}
