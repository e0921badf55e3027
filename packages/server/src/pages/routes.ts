import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Transaction } from 'kysely';
import { type IntroEvents, requireIntro } from '../intros/index.ts';
import { createLinkRateLimit, looksLikeToken } from '../links/index.ts';
import { Batcher } from '../platform/batcher.ts';
import { type Clock, monotonicMs } from '../platform/clock.ts';
import { type Database, isTransient } from '../platform/db.ts';
import { chooseEncoding } from '../platform/encoding.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Objects } from '../platform/objects.ts';
import { isRobot } from '../platform/robots.ts';
import type { Tables, Tenant } from '../tables.ts';
import { answerDocument, markFile, sendDocument, sendElsewhere, sendNothing } from './answers.ts';
import { writeCalendarFile } from './calendar.ts';
import { renderClosed, renderOptedOut, renderTooMany, renderUnknown } from './closed.ts';
import { findFile, isOfBrand } from './files.ts';
import { renderIcon } from './icon.ts';
import { createPlayer, redirectToStore } from './media.ts';
import { isForeign, matchesTag, openingOf, readSighting } from './rules.ts';
import { noteSighting } from './seen.ts';
import { createShelf, type Page } from './shelf.ts';
import { findByTokens, type PageRow, readSnapshot } from './store.ts';

export interface PageDeps {
  readonly db: Database<Tables>;
  readonly objects: Objects;
  readonly clock: Clock;
  readonly metrics: Metrics;
  readonly publicUrl: string;
  readonly introEvents: IntroEvents;
  /** In the caller's transaction; false when the number had opted out before. */
  optOut(
    tx: Transaction<Tables>,
    tenant: Tenant,
    consent: { phone: string; source: 'page' },
    now: Date,
  ): Promise<boolean>;
  /** Where the store is, when players are sent to short-lived addresses there. Null: a cancel stops a video at the next range. */
  readonly mediaOrigin: string | null;
}

const BEACON_BYTES = 256;
/** Requests that come together ask the database together; two statements under way keep it and this process busy. */
const MAX_ASKED = 64;
const MAX_CONCURRENT = 2;

type Found =
  | { readonly kind: 'open'; readonly row: PageRow; readonly page: Page }
  | { readonly kind: 'cancelled' | 'expired'; readonly row: PageRow }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'waiting'; readonly seconds: number };

type Ask = FastifyRequest<{ Params: { token: string; file?: string } }>;

interface Finder {
  find(request: Ask): Promise<Found>;
}

/** Who asks for too much that is not there is refused unseen, but for pages that somebody opened lately. */
function createFinder({ db, clock, metrics, publicUrl, mediaOrigin }: PageDeps): Finder {
  const shelf = createShelf({ publicUrl, mediaOrigin });
  const rateLimit = createLinkRateLimit(monotonicMs);
  const rows = new Batcher<string, { row: PageRow | null }>({
    name: 'pages',
    maxSize: MAX_ASKED,
    maxConcurrent: MAX_CONCURRENT,
    // Wrapped: to the batcher, null is a request that wants another turn.
    flush: async (tokens) => (await findByTokens(db, tokens)).map((row) => ({ row })),
    isTransient,
    sizes: metrics.flushSize,
  });

  async function look(token: string): Promise<Found> {
    const { row } = looksLikeToken('page', token) ? await rows.add(token) : { row: null };
    const opening = row === null ? 'unknown' : openingOf(row, clock());
    if (row === null || opening === 'unknown') return { kind: 'unknown' };
    if (opening !== 'open') return { kind: opening, row };
    const page = shelf.pageOf(token, row);
    return page === null ? { kind: 'unknown' } : { kind: 'open', row, page };
  }

  return {
    async find(request) {
      const { token } = request.params;
      const seconds = shelf.has(token) ? null : rateLimit.waitS(request.ip);
      if (seconds !== null) return { kind: 'waiting', seconds };
      const found = await look(token);
      if (found.kind === 'unknown') rateLimit.noteMiss(request.ip);
      return found;
    },
  };
}

type Missing = Exclude<Found, { kind: 'open' }>;

function refuseWithPage(request: Ask, reply: FastifyReply, found: Missing) {
  if (found.kind === 'unknown') return sendDocument(request, reply, 404, renderUnknown());
  if (found.kind === 'waiting') {
    reply.header('retry-after', found.seconds);
    return sendDocument(request, reply, 429, renderTooMany());
  }
  const { organization } = readSnapshot(found.row);
  const { name, accent, office_phone: officePhone } = organization;
  const closed = renderClosed({
    audience: 'recipient',
    reason: found.kind,
    organization: { name, accent, officePhone },
  });
  return sendDocument(request, reply, 410, closed);
}

function refuseBare(reply: FastifyReply, found: Missing) {
  if (found.kind === 'waiting') reply.header('retry-after', found.seconds);
  return sendNothing(reply, found.kind === 'unknown' ? 404 : found.kind === 'waiting' ? 429 : 410);
}

async function sendPage(request: Ask, reply: FastifyReply, page: Page) {
  const { policy, etag } = page;
  reply.header('etag', etag);
  if (matchesTag(request.headers['if-none-match'], etag)) {
    return sendNothing(reply.header('vary', 'accept-encoding'), 304);
  }
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  return answerDocument(reply, 200, { policy, bytes: await page.bytes(encoding), encoding });
}

function sendText(request: Ask, reply: FastifyReply, type: string, text: string) {
  markFile(reply, type).header('content-length', Buffer.byteLength(text));
  return request.method === 'HEAD' ? reply.send() : reply.send(text);
}

function parseJson(bytes: Buffer | undefined): unknown {
  try {
    return JSON.parse((bytes ?? '').toString());
  } catch {
    return undefined;
  }
}

export function registerPages(app: FastifyInstance, deps: PageDeps): void {
  const { objects, publicUrl, mediaOrigin } = deps;
  const finder = createFinder(deps);
  const ownOrigin = new URL(publicUrl).origin;
  const player = createPlayer(objects);
  app.addHook('preClose', async () => player.stopSoon());
  const reading = { method: ['GET', 'HEAD'], exposeHeadRoute: false };

  app.route<{ Params: { token: string } }>({
    ...reading,
    url: '/i/:token',
    config: { operation: 'page' },
    async handler(request, reply) {
      const found = await finder.find(request);
      return found.kind === 'open' ? sendPage(request, reply, found.page) : refuseWithPage(request, reply, found);
    },
  });

  app.route<{ Params: { token: string; file: string } }>({
    ...reading,
    url: '/i/:token/:file',
    config: { operation: 'page_file' },
    async handler(request, reply) {
      const found = await finder.find(request);
      if (found.kind !== 'open') return refuseBare(reply, found);
      const { view } = found.page;
      const { file: name } = request.params;
      if (view.member.hasLeft && !isOfBrand(name)) return sendNothing(reply, 410);
      if (name === 'icon.svg') return sendText(request, reply, 'image/svg+xml', renderIcon(view.organization));
      const calendar = name === 'appointment.ics' ? writeCalendarFile(view) : null;
      if (calendar !== null) return sendText(request, reply, 'text/calendar; charset=utf-8', calendar);
      const file = findFile(view, name);
      if (file === null) return sendNothing(reply, 404);
      const isElsewhere = mediaOrigin !== null && file.type === 'video/mp4';
      if (isElsewhere && (await redirectToStore(reply, objects, file))) return reply;
      return player.send(request, reply, file);
    },
  });

  // A form, so that it works without a script. Robots follow links and send no forms.
  app.route<{ Params: { token: string } }>({
    method: 'POST',
    url: '/i/:token/opt-out',
    bodyLimit: BEACON_BYTES,
    config: { operation: 'page_opt_out' },
    async handler(request, reply) {
      const found = await finder.find(request);
      if (found.kind !== 'open') return refuseWithPage(request, reply, found);
      if (isForeign(request.headers, ownOrigin)) return sendNothing(reply, 403);
      const { db, clock, optOut } = deps;
      const { tenant, introId } = found.row;
      await db.kysely.transaction().execute(async (tx) => {
        const { recipient_phone: phone } = await requireIntro(tx, tenant, introId);
        await optOut(tx, tenant, { phone, source: 'page' }, clock());
      });
      return sendDocument(request, reply, 200, renderOptedOut(found.page.view.organization));
    },
  });

  // The answer above has this address: whoever loads it again, or comes back to it, is shown the page.
  app.route<{ Params: { token: string } }>({
    ...reading,
    url: '/i/:token/opt-out',
    config: { operation: 'page_opt_out' },
    async handler(request, reply) {
      const found = await finder.find(request);
      if (found.kind !== 'open') return refuseWithPage(request, reply, found);
      return sendElsewhere(reply, new URL(found.page.view.url).pathname);
    },
  });

  app.route<{ Params: { token: string }; Body: Buffer | undefined }>({
    method: 'POST',
    url: '/i/:token/seen',
    bodyLimit: BEACON_BYTES,
    config: { operation: 'page_seen' },
    async handler(request, reply) {
      const found = await finder.find(request);
      if (found.kind !== 'open') return refuseBare(reply, found);
      if (found.page.view.member.hasLeft) return sendNothing(reply, 410);
      if (isForeign(request.headers, ownOrigin)) return sendNothing(reply, 403);
      const sighting = readSighting(parseJson(request.body));
      if (sighting === null) return sendNothing(reply, 400);
      if (!isRobot(request.headers)) await noteSighting(deps, found.row, sighting);
      return sendNothing(reply, 204);
    },
  });
}
