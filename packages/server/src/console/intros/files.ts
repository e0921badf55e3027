import type { FastifyInstance } from 'fastify';
import { createFileSender, findVideoFile, previewPage, renderUnknown, sendDocument } from '../../pages/index.ts';
import { type ConsoleAccess, keepPrivate } from '../access.ts';
import type { ConsoleDeps } from '../deps.ts';
import { requireVisibleIntro } from './detail.ts';

/** An intro's video and page, for users who may see the intro. These views are not counted. */
export function registerIntroFiles(app: FastifyInstance, deps: ConsoleDeps, access: ConsoleAccess): void {
  const { db, objects, clock, links, mediaOrigin } = deps;
  const sender = createFileSender(objects);
  app.addHook('preClose', async () => sender.closeSoon());

  app.route<{ Params: { id: string; file: string } }>({
    method: ['GET', 'HEAD'],
    exposeHeadRoute: false,
    url: '/console/media/:id/:file',
    config: { operation: 'console_media' },
    async handler(request, reply) {
      const user = await access.admit(request, 'member');
      const { id: introId } = await requireVisibleIntro(deps, user, request.params.id);
      const file = await findVideoFile(db, { tenant: user.tenant, introId, name: request.params.file }, clock());
      return file === null ? reply.callNotFound() : sender.send(request, reply, file);
    },
  });

  app.get<{ Params: { id: string } }>(
    '/console/preview/:id',
    { config: { operation: 'console_page' } },
    async (request, reply) => {
      const user = await access.admit(request, 'member');
      const { id: introId } = await requireVisibleIntro(deps, user, request.params.id);
      keepPrivate(reply);
      const pageUrl = links.pageUrl(introId);
      const page = await previewPage(db, { tenant: user.tenant, introId, pageUrl, mediaOrigin });
      return sendDocument(request, reply, page === null ? 404 : 200, page ?? renderUnknown());
    },
  );
}
