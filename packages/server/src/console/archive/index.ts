import type { ARCHIVE_OPERATIONS } from '@foreword/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { exportToStream, measureExport } from '../../archive/index.ts';
import { createConcurrencyLimit } from '../../platform/concurrency-limit.ts';
import { ApiError } from '../../platform/errors.ts';
import { type ConsoleAccess, keepPrivate } from '../access.ts';
import { recordExport } from '../activity/export.ts';
import type { ConsoleDeps } from '../deps.ts';
import { requireVisibleIntro } from '../intros/detail.ts';
import type { ConsoleHandlers } from '../operations.ts';
import type { ConsoleUser } from '../sessions/service.ts';

/** Reading the rows keeps a connection busy; the download of the files does not. */
const MAX_PARALLEL = 2;

export const createArchiveHandlers = ({
  db,
}: Pick<ConsoleDeps, 'db'>): Pick<ConsoleHandlers, keyof typeof ARCHIVE_OPERATIONS> => ({
  'GET /export': ({ user: { tenant } }) => measureExport(db.kysely, tenant),
});

/** Streams the archive of the organization, and that of the recipient of an intro. The number is in no URL. */
export function registerArchiveExport(app: FastifyInstance, deps: ConsoleDeps, access: ConsoleAccess): void {
  const limit = createConcurrencyLimit(MAX_PARALLEL);

  async function send(request: FastifyRequest, reply: FastifyReply, user: ConsoleUser, phone: string | null) {
    const { tenant } = user;
    await recordExport(deps, request, user, phone === null ? 'organization' : 'recipient');
    const fail = (err: unknown) => deps.log.error({ err, organization: tenant.organizationId }, 'an export failed');
    const archive = await limit(() => exportToStream(deps, { tenant, phone }, fail));
    const name = `foreword-${phone === null ? tenant.organizationId : 'recipient'}-${deps.clock().toISOString().slice(0, 10)}.tar`;
    keepPrivate(reply).type('application/x-tar').header('content-disposition', `attachment; filename="${name}"`);
    return reply.send(archive);
  }

  app.get(
    '/console/export/organization.tar',
    { config: { operation: 'console_export_organization' } },
    async (request, reply) => send(request, reply, await access.admit(request, 'owner'), null),
  );

  app.get<{ Querystring: { intro?: string } }>(
    '/console/export/recipient.tar',
    { config: { operation: 'console_export_recipient' } },
    async (request, reply) => {
      const user = await access.admit(request, 'owner');
      const intro = await requireVisibleIntro(deps, user, String(request.query.intro));
      // All erased recipients have the same empty number.
      if (intro.erased_at !== null) throw new ApiError('not_found', 'This recipient was erased.');
      return send(request, reply, user, intro.recipient_phone);
    },
  );
}
