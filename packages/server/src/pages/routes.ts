import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Transaction } from 'kysely';
import { type IntroEvents, requireIntro } from '../intros/index.ts';
import { createLinkRateLimit, looksLikeToken } from '../links/index.ts';
import { Batcher } from '../platform/batcher.ts';
import { monotonicMs } from '../platform/clock.ts';
import { type Database, isTransient } from '../platform/db.ts';
import { chooseEncoding, matchesTag } from '../platform/encoding.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Objects } from '../platform/objects.ts';
import { isRobot } from '../platform/robots.ts';
import type { Tables, Tenant } from '../tables.ts';
import type { TestClocks } from '../test-clock/index.ts';
import { recordBeacon } from './beacon.ts';
import { writeCalendarFile } from './calendar.ts';
import { renderClosed, renderOptedOut, renderTooMany, renderUnavailable, renderUnknown } from './closed.ts';
import { renderFavicon } from './icons.ts';
import { createFileSender, type FileSender, findFile, isBrandFile, redirectToStore } from './media.ts';
import { createPageCache, type Page } from './page-cache.ts';
import { redirectTo, sendCompressed, sendDocument, sendEmpty, setFileHeaders } from './responses.ts';
import { isCrossSite, pageStateOf, readBeacon } from './rules.ts';
import { findByTokens, type PageRow, readSnapshot } from './store.ts';

export interface PageDeps {
  readonly db: Database<Tables>;
  readonly objects: Objects;
  readonly testClocks: TestClocks;
  readonly metrics: Metrics;
  readonly publicUrl: string;
  readonly introEvents: IntroEvents;
  /** Runs in the caller's transaction; false when the number had opted out before. */
  optOut(
    tx: Transaction<Tables>,
    tenant: Tenant,
    consent: { phone: string; source: 'page' },
    now: Date,
  ): Promise<boolean>;
  /** The object store's origin when players are redirected there. If null, canceling stops a video at its next range. */
  readonly mediaOrigin: string | null;
}

const BEACON_BYTES = 256;
/** Concurrent requests share a query; two queries in flight keep the database and this process busy. */
const MAX_TOKENS = 64;
const MAX_CONCURRENT = 2;
const QUEUE_LIMIT = { items: 4_000, ms: 2_000 };

type LookupResult =
  | { readonly kind: 'open'; readonly row: PageRow; readonly page: Page }
  | { readonly kind: 'cancelled' | 'expired'; readonly row: PageRow }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'waiting'; readonly seconds: number };

type PageRequest = FastifyRequest<{ Params: { token: string; file?: string } }>;

interface PageLookup {
  find(request: PageRequest): Promise<LookupResult>;
}

/** Refuses an address that requests too many unknown links, except for pages that were opened recently. */
function createPageLookup({ db, testClocks, metrics, publicUrl, mediaOrigin }: PageDeps): PageLookup {
  const cache = createPageCache({ publicUrl, mediaOrigin });
  const rateLimit = createLinkRateLimit(monotonicMs);
  const rows = new Batcher<string, { row: PageRow | null }>({
    name: 'pages',
    maxSize: MAX_TOKENS,
    maxConcurrent: MAX_CONCURRENT,
    // Wrapped, because the batcher retries requests whose result is null.
    flush: async (tokens) => (await findByTokens(db, tokens)).map((row) => ({ row })),
    isTransient,
    sizes: metrics.flushSize,
    queueLimit: QUEUE_LIMIT,
  });

  async function findPage(token: string): Promise<LookupResult> {
    const { row } = looksLikeToken('page', token) ? await rows.add(token) : { row: null };
    const state = row === null ? 'unknown' : pageStateOf(row, testClocks.now(row.tenant));
    if (row === null || state === 'unknown') return { kind: 'unknown' };
    if (state !== 'open') return { kind: state, row };
    const page = cache.pageOf(token, row);
    return page === null ? { kind: 'unknown' } : { kind: 'open', row, page };
  }

  return {
    async find(request) {
      const { token } = request.params;
      const seconds = cache.has(token) ? null : rateLimit.waitS(request.ip);
      if (seconds !== null) return { kind: 'waiting', seconds };
      const found = await findPage(token);
      if (found.kind === 'unknown') rateLimit.noteMiss(request.ip);
      return found;
    },
  };
}

type Missing = Exclude<LookupResult, { kind: 'open' }>;

function refuseWithPage(request: PageRequest, reply: FastifyReply, found: Missing) {
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

const sendUnavailable = (request: FastifyRequest, reply: FastifyReply) =>
  sendDocument(request, reply, 503, renderUnavailable());

function refuseBare(reply: FastifyReply, found: Missing) {
  if (found.kind === 'waiting') reply.header('retry-after', found.seconds);
  return sendEmpty(reply, found.kind === 'unknown' ? 404 : found.kind === 'waiting' ? 429 : 410);
}

async function sendPage(request: PageRequest, reply: FastifyReply, page: Page) {
  const { policy, etag } = page;
  reply.header('etag', etag);
  if (matchesTag(request.headers['if-none-match'], etag)) {
    return sendEmpty(reply.header('vary', 'accept-encoding'), 304);
  }
  const encoding = chooseEncoding(request.headers['accept-encoding']);
  return sendCompressed(reply, 200, { policy, bytes: await page.bytes(encoding), encoding });
}

function sendText(request: PageRequest, reply: FastifyReply, type: string, text: string) {
  setFileHeaders(reply, type).header('content-length', Buffer.byteLength(text));
  return request.method === 'HEAD' ? reply.send() : reply.send(text);
}

function parseJson(bytes: Buffer | undefined): unknown {
  try {
    return JSON.parse((bytes ?? '').toString());
  } catch {
    return undefined;
  }
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
  app.addHook('preClose', async () => sender.closeSoon());
  registerReading(app, routes);
  registerOptOut(app, routes);
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
      if (view.member.hasLeft && !isBrandFile(name)) return sendEmpty(reply, 410);
      if (name === 'icon.svg') return sendText(request, reply, 'image/svg+xml', renderFavicon(view.organization));
      const calendar = name === 'appointment.ics' ? writeCalendarFile(view) : null;
      if (calendar !== null) return sendText(request, reply, 'text/calendar; charset=utf-8', calendar);
      const file = findFile(view, name);
      if (file === null) return sendEmpty(reply, 404);
      const isRedirected = mediaOrigin !== null && file.type === 'video/mp4';
      if (isRedirected && (await redirectToStore(reply, objects, file))) return reply;
      return sender.send(request, reply, file);
    },
  });
}

function registerOptOut(app: FastifyInstance, { lookup, ownOrigin, db, testClocks, optOut }: PageRoutes): void {
  const url = '/i/:token/opt-out';
  const config = { operation: 'page_opt_out' };

  // A form works without JavaScript, and robots do not submit forms.
  app.route<ByToken>({
    method: 'POST',
    url,
    bodyLimit: BEACON_BYTES,
    config,
    async handler(request, reply) {
      const found = await lookup.find(request);
      if (found.kind !== 'open') return refuseWithPage(request, reply, found);
      if (isCrossSite(request.headers, ownOrigin)) return sendEmpty(reply, 403);
      const { tenant, introId } = found.row;
      await db.kysely.transaction().execute(async (tx) => {
        const { recipient_phone: phone } = await requireIntro(tx, tenant, introId);
        await optOut(tx, tenant, { phone, source: 'page' }, testClocks.now(tenant));
      });
      return sendDocument(request, reply, 200, renderOptedOut(found.page.view.organization));
    },
  });

  // The response above has this address, so a reload or the back button leads to the page.
  app.route<ByToken>({
    ...READ_ONLY,
    url,
    config,
    async handler(request, reply) {
      const found = await lookup.find(request);
      if (found.kind !== 'open') return refuseWithPage(request, reply, found);
      return redirectTo(reply, new URL(found.page.view.url).pathname);
    },
  });
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
      if (found.page.view.member.hasLeft) return sendEmpty(reply, 410);
      if (isCrossSite(request.headers, routes.ownOrigin)) return sendEmpty(reply, 403);
      const beacon = readBeacon(parseJson(request.body));
      if (beacon === null) return sendEmpty(reply, 400);
      if (!isRobot(request.headers)) await recordBeacon(routes, found.row, beacon);
      return sendEmpty(reply, 204);
    },
  });
}
