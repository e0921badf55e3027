import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Services } from '../services/index.ts';
import { renderReplyProblem, renderTooManyReplies } from './closed.ts';
import { type PageLookup, type PageRequest, refuseWithPage } from './lookup.ts';
import { applyReply, type ReplyDeps } from './replies.ts';
import { redirectTo, sendDocument, sendEmpty } from './responses.ts';
import { isCrossSite, readReply } from './rules.ts';

/** A question of the maximum length, percent-encoded, with room for one that is too long and gets a readable response. */
const FORM_BYTES = 65_536;
/** Old replies of the day may count for up to this long. */
const RETRY_AFTER_S = 3_600;

interface ReplyRoutes extends ReplyDeps, Pick<Services, 'db' | 'testClocks'> {
  readonly lookup: PageLookup;
  readonly ownOrigin: string;
}

/** A form works without JavaScript. The response redirects to the page, so that a reload does not send the reply again. */
export function registerReplies(app: FastifyInstance, routes: ReplyRoutes): void {
  const { lookup, ownOrigin, db, testClocks } = routes;
  const url = '/i/:token/reply';
  const config = { operation: 'page_reply' };
  const toPage = (reply: FastifyReply, pageUrl: string) => redirectTo(reply, `${new URL(pageUrl).pathname}#reply`);

  app.post<{ Params: { token: string }; Body: Buffer | undefined }>(
    url,
    { bodyLimit: FORM_BYTES, config },
    async (request, reply) => {
      const found = await lookup.find(request as PageRequest);
      if (found.kind !== 'open') return refuseWithPage(request as PageRequest, reply, found);
      if (isCrossSite(request.headers, ownOrigin)) return sendEmpty(reply, 403);
      const { row, page } = found;
      const { url: pageUrl, replacedFor } = page.view;
      const submitted = readReply((request.body ?? '').toString());
      // The card at this link has no replies. A form with another field is not from our page.
      if (replacedFor !== null || submitted === null) return toPage(reply, pageUrl);
      const { problem } = submitted;
      if (problem !== null) {
        return sendDocument(
          request,
          reply,
          422,
          renderReplyProblem(page.view, problem, `${new URL(pageUrl).pathname}#reply`),
        );
      }
      const outcome = await db.kysely
        .transaction()
        .execute((tx) => applyReply(routes, tx, row, submitted, testClocks.now(row.tenant)));
      if (outcome === 'too_many') {
        reply.header('retry-after', RETRY_AFTER_S);
        return sendDocument(request, reply, 429, renderTooManyReplies(page.view));
      }
      return toPage(reply, pageUrl);
    },
  );

  // The response above may be reloaded at this address.
  app.route<{ Params: { token: string } }>({
    method: ['GET', 'HEAD'],
    exposeHeadRoute: false,
    url,
    config,
    async handler(request, reply) {
      const found = await lookup.find(request);
      if (found.kind !== 'open') return refuseWithPage(request, reply, found);
      return toPage(reply, found.page.view.url);
    },
  });
}
