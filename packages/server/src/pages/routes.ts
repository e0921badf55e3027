import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Services } from '../app/services.ts';
import type { Tx } from '../db/tenancy.ts';
import type { Consents } from '../delivery/index.ts';
import { requireIntro } from '../intros/index.ts';
import type { LinkHosts } from '../organizations/link-domains/index.ts';
import { isRobot } from '../platform/client-address.ts';
import { chooseEncoding, matchesTag } from '../platform/encoding.ts';
import { parseJson } from '../platform/json.ts';
import { renderOptedOut, renderReplyProblem, renderTextsAllowed, renderTooManyReplies } from './closed.ts';
import { contactDisposition, writeCalendarFile, writeContactCard } from './downloads.ts';
import {
  createPageLookup,
  type NumberOf,
  type Page,
  type PageLookup,
  type PageRequest,
  refuseBare,
  refuseWithPage,
} from './lookup.ts';
import { createFileSender, type FileSender, findFile, isBrandFile, readAll, redirectToStore } from './media.ts';
import { renderFavicon } from './render.ts';
import { applyReply, type ReplyDeps, recordBeacon } from './replies.ts';
import { redirectTo, sendCompressed, sendDocument, sendEmpty, sendUnavailable, setFileHeaders } from './responses.ts';
import { isCrossSite, readBeacon, readReply } from './rules.ts';
import type { PageRow } from './store.ts';

interface PageDeps extends ReplyDeps, Pick<Services, 'db' | 'objects' | 'testClocks' | 'metrics' | 'publicUrl'> {
  readonly linkHosts: LinkHosts;
  readonly consents: Pick<Consents, 'optOut' | 'undoOptOut'>;
  readonly numberOf: NumberOf;
  /** The object store's origin when players are redirected there. If null, cancelling stops a video at its next range. */
  readonly mediaOrigin: string | null;
}

const BEACON_BYTES = 256;

async function sendPage(request: PageRequest, reply: FastifyReply, page: Page) {
  const { policy, etag, view } = page;
  if (view.replacedFor === 'likeness_withdrawn') {
    const encoding = chooseEncoding(request.headers['accept-encoding']);
    return sendCompressed(reply, 410, { policy, bytes: await page.bytes(encoding), encoding });
  }
  reply.header('etag', etag);
  if (matchesTag(request.headers['if-none-match'], etag)) {
    return sendEmpty(reply.header('vary', 'accept-encoding'), 304);
  }
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  return sendCompressed(reply, 200, { policy, bytes: await page.bytes(encoding), encoding });
}

function sendText(request: PageRequest, reply: FastifyReply, type: string, text: string, headers = {}) {
  setFileHeaders(reply, type).header('content-length', Buffer.byteLength(text)).headers(headers);
  return request.method === 'HEAD' ? reply.send() : reply.send(text);
}

/** Dependencies of all page routes. */
interface PageRoutes extends PageDeps {
  readonly lookup: PageLookup;
  readonly sender: FileSender;
  readonly ownOrigin: string;
}

const READ_ONLY = { method: ['GET', 'HEAD'], exposeHeadRoute: false };

type ByToken = { Params: { token: string } };

export function registerPages(app: FastifyInstance, deps: PageDeps): void {
  const sender = createFileSender(deps.objects);
  const routes = { ...deps, sender, lookup: createPageLookup(deps), ownOrigin: new URL(deps.publicUrl).origin };
  registerReading(app, routes);
  registerConsent(app, routes, {
    url: '/i/:token/opt-out',
    operation: 'page_opt_out',
    change: (tx, { tenant }, phone, now) => deps.consents.optOut(tx, tenant, { phone, source: 'page' }, now),
  });
  registerConsent(app, routes, {
    url: '/i/:token/undo-opt-out',
    operation: 'page_undo_opt_out',
    change: (tx, { tenant }, phone, now) => deps.consents.undoOptOut(tx, tenant, phone, now),
  });
  registerReplies(app, routes);
  registerBeacon(app, routes);
}

function registerReading(app: FastifyInstance, { lookup, sender, objects, mediaOrigin }: PageRoutes): void {
  app.route<ByToken>({
    ...READ_ONLY,
    url: '/i/:token',
    config: { operation: 'page', unavailablePage: sendUnavailable },
    async handler(request, reply) {
      const found = await lookup.find(request);
      return found.kind === 'open' ? sendPage(request, reply, found.page) : refuseWithPage(request, reply, found);
    },
  });

  app.route<{ Params: { token: string; file: string } }>({
    ...READ_ONLY,
    url: '/i/:token/:file',
    config: { operation: 'page_file' },
    async handler(request, reply) {
      const found = await lookup.find(request);
      if (found.kind !== 'open') return refuseBare(reply, found);
      const { view } = found.page;
      const { file: name } = request.params;
      if (view.replacedFor !== null && !isBrandFile(name)) return sendEmpty(reply, 410);
      if (name === 'icon.svg') return sendText(request, reply, 'image/svg+xml', renderFavicon(view.organization));
      const calendar = name === 'appointment.ics' ? writeCalendarFile(view) : null;
      if (calendar !== null) return sendText(request, reply, 'text/calendar; charset=utf-8', calendar);
      if (name === 'contact.vcf') {
        const photo = findFile(view, 'photo.jpg');
        // The numbers matter more than the photo, which is missing while the store cannot be reached.
        const card = writeContactCard(view, photo && (await readAll(objects, photo).catch(() => null)));
        if (card === null) return sendEmpty(reply, 404);
        return sendText(request, reply, 'text/vcard; charset=utf-8', card, {
          'cache-control': 'private, no-store',
          'content-disposition': contactDisposition(view),
        });
      }
      const file = findFile(view, name);
      if (file === null) return sendEmpty(reply, 404);
      const isRedirected = mediaOrigin !== null && file.type === 'video/mp4';
      if (isRedirected && (await redirectToStore(reply, objects, file))) return reply;
      return sender.send(request, reply, file);
    },
  });
}

/** The response to a form has its address, so a reload or the back button leads to the page. */
function redirectToPage(app: FastifyInstance, lookup: PageLookup, url: string, config: object, fragment = ''): void {
  app.route<ByToken>({
    ...READ_ONLY,
    url,
    config,
    async handler(request, reply) {
      const found = await lookup.find(request);
      if (found.kind !== 'open') return refuseWithPage(request, reply, found);
      return redirectTo(reply, `${new URL(found.page.view.url).pathname}${fragment}`);
    },
  });
}

type ChangeConsent = (tx: Tx, row: PageRow, phone: string, now: Date) => Promise<boolean>;

/** A form works without JavaScript, and robots do not submit forms. */
function registerConsent(
  app: FastifyInstance,
  { lookup, ownOrigin, db, testClocks }: PageRoutes,
  action: { readonly url: string; readonly operation: string; change: ChangeConsent },
): void {
  const config = { operation: action.operation, unavailablePage: sendUnavailable };
  app.route<ByToken>({
    method: 'POST',
    url: action.url,
    bodyLimit: BEACON_BYTES,
    config,
    async handler(request, reply) {
      const found = await lookup.find(request);
      if (found.kind !== 'open') return refuseWithPage(request, reply, found);
      if (isCrossSite(request.headers, ownOrigin)) return sendEmpty(reply, 403);
      const { tenant, introId } = found.row;
      await db.kysely.transaction().execute(async (tx) => {
        const { recipient_phone: phone } = await requireIntro(tx, tenant, introId);
        await action.change(tx, found.row, phone, testClocks.now(tenant));
      });
      // Read again: an undo that came too late has changed nothing.
      const after = await lookup.find(request);
      if (after.kind !== 'open') return refuseWithPage(request, reply, after);
      const { view } = after.page;
      const { optOut } = view;
      return sendDocument(
        request,
        reply,
        200,
        optOut === null ? renderTextsAllowed(view) : renderOptedOut(view, optOut),
      );
    },
  });

  redirectToPage(app, lookup, action.url, config);
}

function registerBeacon(app: FastifyInstance, routes: PageRoutes): void {
  app.route<ByToken & { Body: Buffer | undefined }>({
    method: 'POST',
    url: '/i/:token/seen',
    bodyLimit: BEACON_BYTES,
    config: { operation: 'page_seen' },
    async handler(request, reply) {
      const found = await routes.lookup.find(request);
      if (found.kind !== 'open') return refuseBare(reply, found);
      if (found.page.view.replacedFor !== null) return sendEmpty(reply, 410);
      if (isCrossSite(request.headers, routes.ownOrigin)) return sendEmpty(reply, 403);
      const beacon = readBeacon(parseJson(String(request.body ?? '')));
      if (beacon === null) return sendEmpty(reply, 400);
      if (!isRobot(request.headers)) await recordBeacon(routes, found.row, beacon);
      return sendEmpty(reply, 204);
    },
  });
}

/** A question of the maximum length, percent-encoded, with room for one that is too long and gets a readable response. */
const FORM_BYTES = 65_536;
/** Old replies of the day may count for up to this long. */
const RETRY_AFTER_S = 3_600;

/** A form works without JavaScript. The response redirects to the page, so that a reload does not send the reply again. */
function registerReplies(app: FastifyInstance, routes: PageRoutes): void {
  const { lookup, ownOrigin, db, testClocks } = routes;
  const url = '/i/:token/reply';
  const config = { operation: 'page_reply', unavailablePage: sendUnavailable };
  const toPage = (reply: FastifyReply, pageUrl: string) => redirectTo(reply, `${new URL(pageUrl).pathname}#reply`);

  app.post<ByToken & { Body: Buffer | undefined }>(url, { bodyLimit: FORM_BYTES, config }, async (request, reply) => {
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
  });

  redirectToPage(app, lookup, url, config, '#reply');
}
