import { Readable } from 'node:stream';
import { ActivityQuery } from '@foreword/contract';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { findOrganization } from '../../organizations/index.ts';
import { withRequest } from '../../platform/origin.ts';
import { compileCheck, readQuery } from '../../platform/validate.ts';
import { recordChange, writeEntries } from '../../privacy/audit/index.ts';
import { type ConsoleAccess, keepPrivate } from '../access.ts';
import type { ConsoleDeps } from '../deps.ts';
import { memberActor } from '../operations.ts';
import type { ConsoleUser } from '../sessions/service.ts';
import { type ActivityFilters, readFilter } from './index.ts';

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

const Filters = Type.Omit(ActivityQuery, ['before'], { additionalProperties: false });

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
      const organization = await findOrganization(db.kysely, tenant.organizationId);
      const timeZone = organization?.timezone ?? 'UTC';
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
