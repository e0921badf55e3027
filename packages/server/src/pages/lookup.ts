import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../app/services.ts';
import { isTransient } from '../db/pools.ts';
import { createLinkRateLimit, looksLikeToken } from '../intros/links/index.ts';
import type { LinkHosts } from '../organizations/link-domains/index.ts';
import { Batcher } from '../platform/batcher.ts';
import { monotonicMs } from '../platform/clock.ts';
import { renderClosed } from './closed.ts';
import { createPageCache, type Page } from './page-cache.ts';
import { sendDocument, sendEmpty, sendTooMany, sendUnknown } from './responses.ts';
import { pageStateOf } from './rules.ts';
import { findByTokens, findRemoved, type PageRow, type RemovedPage, readSnapshot } from './store.ts';

interface LookupDeps extends Pick<Services, 'db' | 'testClocks' | 'metrics' | 'publicUrl'> {
  readonly linkHosts: LinkHosts;
  readonly mediaOrigin: string | null;
}

/** Concurrent requests share a query; two queries in flight keep the database and this process busy. */
const MAX_TOKENS = 64;
const MAX_CONCURRENT = 2;
const QUEUE_LIMIT = { items: 4_000, ms: 2_000 };

export type LookupResult =
  | { readonly kind: 'open'; readonly row: PageRow; readonly page: Page }
  | { readonly kind: 'cancelled' | 'expired'; readonly row: PageRow }
  /** The intro was removed, because the organization does not keep it this long. */
  | { readonly kind: 'removed'; readonly organization: RemovedPage }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'waiting'; readonly seconds: number };

interface Requested {
  readonly token: string;
  /** The address of the page. */
  readonly url: string;
  /** On a link domain: its organization, whose pages alone it serves. */
  readonly organizationId: string | null;
}

export type PageRequest = FastifyRequest<{ Params: { token: string; file?: string } }>;

export type PageLookup = ReturnType<typeof createPageLookup>;

/** Refuses an address that requests too many unknown links, except for pages that were opened recently. */
export function createPageLookup({ db, testClocks, metrics, publicUrl, linkHosts, mediaOrigin }: LookupDeps) {
  const cache = createPageCache({ mediaOrigin });
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

  async function findPage({ token, url, organizationId }: Requested): Promise<LookupResult> {
    if (!looksLikeToken(organizationId === null ? 'page' : 'short', token)) return { kind: 'unknown' };
    const { row } = await rows.add(token);
    if (row === null) {
      const organization = await findRemoved(db, token, organizationId);
      return organization === null ? { kind: 'unknown' } : { kind: 'removed', organization };
    }
    if (organizationId !== null && row.tenant.organizationId !== organizationId) return { kind: 'unknown' };
    const state = pageStateOf(row, testClocks.now(row.tenant));
    if (state === 'unknown') return { kind: 'unknown' };
    if (state !== 'open') return { kind: state, row };
    const page = cache.pageOf(url, row);
    return page === null ? { kind: 'unknown' } : { kind: 'open', row, page };
  }

  function readRequest({ params: { token }, headers }: PageRequest): Requested {
    const domain = linkHosts.find(headers.host);
    return domain === null
      ? { token, url: `${publicUrl}/i/${token}`, organizationId: null }
      : { token, url: `https://${domain.host}/${token}`, organizationId: domain.organizationId };
  }

  return {
    async find(request: PageRequest): Promise<LookupResult> {
      const requested = readRequest(request);
      const seconds = cache.has(requested.url) ? null : rateLimit.waitS(request.ip);
      if (seconds !== null) return { kind: 'waiting', seconds };
      const found = await findPage(requested);
      if (found.kind === 'unknown') rateLimit.noteMiss(request.ip);
      return found;
    },
  };
}

export type Missing = Exclude<LookupResult, { kind: 'open' }>;

export function refuseWithPage(request: PageRequest, reply: FastifyReply, found: Missing) {
  if (found.kind === 'unknown') return sendUnknown(request, reply);
  if (found.kind === 'waiting') return sendTooMany(request, reply, found.seconds);
  const { organization, language } =
    found.kind === 'removed'
      ? { organization: found.organization, language: found.organization.language }
      : readSnapshot(found.row);
  const { name, accent, office_phone: officePhone } = organization;
  const closed = renderClosed({
    audience: 'recipient',
    reason: found.kind === 'removed' ? 'expired' : found.kind,
    language,
    organization: { name, accent, officePhone },
  });
  return sendDocument(request, reply, 410, closed);
}

export function refuseBare(reply: FastifyReply, found: Missing) {
  if (found.kind === 'waiting') reply.header('retry-after', found.seconds);
  return sendEmpty(reply, found.kind === 'unknown' ? 404 : found.kind === 'waiting' ? 429 : 410);
}
