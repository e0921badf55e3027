/** Downloads an archive of the organization. */

import type { ARCHIVE_OPERATIONS } from '@foreword/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requireIntro } from '../../intros/index.ts';
import { createConcurrencyLimit } from '../../platform/concurrency-limit.ts';
import { ApiError } from '../../platform/errors.ts';
import { exportToStream, measureExport } from '../../privacy/archive/index.ts';
import { type ConsoleAccess, keepPrivate } from '../access.ts';
import { recordExport } from '../activity/export.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import type { ConsoleUser } from '../sessions/service.ts';

/** Reading the rows keeps a connection busy; the download of the files does not. */
const MAX_PARALLEL = 2;

const EXPORT_RUNNING = 'An export of this kind is already running. Try again once it has finished.';
const RETRY_AFTER_S = 30;

/** The exports of this node: `organization org_…` or `recipient org_…`, until the end of the download. */
export type RunningExports = Set<string>;

export const createArchiveHandlers = (
  { db }: Pick<ConsoleDeps, 'db'>,
  running: RunningExports,
): Pick<ConsoleHandlers, keyof typeof ARCHIVE_OPERATIONS> => ({
  measureExport: async ({ tenant }) => ({
    ...(await measureExport(db.kysely, tenant)),
    is_running: running.has(`organization ${tenant.organizationId}`),
  }),
});

/** Streams the archive of the organization, and that of the recipient of an intro. The number is in no URL. */
export function registerArchiveExport(
  app: FastifyInstance,
  deps: ConsoleDeps,
  access: ConsoleAccess,
  running: RunningExports,
): void {
  const limit = createConcurrencyLimit(MAX_PARALLEL);

  /** One of each kind for an organization. Otherwise, impatient clicks would fill the queue of everyone. */
  async function open(request: FastifyRequest, user: ConsoleUser, phone: string | null) {
    const { tenant } = user;
    const kind = phone === null ? 'organization' : 'recipient';
    const key = `${kind} ${tenant.organizationId}`;
    if (running.has(key)) throw new ApiError('rate_limited', EXPORT_RUNNING, { retryAfterS: RETRY_AFTER_S });
    running.add(key);
    try {
      await recordExport(deps, request, user, kind);
      const fail = (err: unknown) => deps.log.error({ err, organization: tenant.organizationId }, 'an export failed');
      const archive = await limit(() => exportToStream(deps, { tenant, phone }, fail));
      return archive.once('close', () => running.delete(key));
    } catch (error) {
      running.delete(key);
      throw error;
    }
  }

  async function send(request: FastifyRequest, reply: FastifyReply, user: ConsoleUser, phone: string | null) {
    const { tenant } = user;
    const archive = await open(request, user, phone);
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
      const intro = await requireIntro(deps.db.kysely, user, String(request.query.intro));
      // All erased recipients have the same empty number.
      if (intro.erased_at !== null) throw new ApiError('not_found', 'This recipient was erased.');
      return send(request, reply, user, intro.recipient_phone);
    },
  );
}
