import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../app/services.ts';
import { isTransient } from '../db/pools.ts';
import { canUndo } from '../delivery/index.ts';
import { createLinkRateLimit, looksLikeToken } from '../intros/links/index.ts';
import type { LinkHosts } from '../organizations/link-domains/index.ts';
import { Batcher } from '../platform/batcher.ts';
import { BoundedMap } from '../platform/bounded-map.ts';
import { monotonicMs } from '../platform/clock.ts';
import { compress, type Encoding } from '../platform/encoding.ts';
import { pick } from '../platform/json.ts';
import { renderClosed, renderOrganizationCard } from './closed.ts';
import { renderPage } from './page.ts';
import { sendDocument, sendEmpty, sendTooMany, sendUnknown } from './responses.ts';
import { pageStateOf, toMs } from './rules.ts';
import { findByTokens, findRemoved, type PageRow, type RemovedPage, readSnapshot, type Snapshot } from './store.ts';
import type { PageView } from './view.ts';

/** About 12 KB each. */
const MAX_PAGES = 500;
/** Compressing a page delays the first response by a millisecond at this level. */
const BROTLI_QUALITY = 6;
const SHORT_ID = 10;

export interface Page {
  readonly view: PageView;
  readonly policy: string;
  readonly etag: string;
  bytes(encoding: Encoding): Promise<Buffer>;
}

interface CachedPage {
  readonly snapshot: string;
  readonly page: Page;
}

function whyReplaced({ is_withdrawn, is_taken_down, member }: Snapshot): PageView['replacedFor'] {
  if (is_withdrawn) return 'likeness_withdrawn';
  return is_taken_down ? 'taken_down' : member.has_left ? 'member_left' : null;
}

/** The number that texts come from: of the organization's own account, or of the service's. */
export type NumberOf = (account: { readonly organizationId: string; readonly sealed: Buffer | null }) => string | null;

/** Null when there is no video to show. */
export function toView(row: PageRow, url: string, numberOf: NumberOf, now: Date): PageView | null {
  const snapshot = readSnapshot(row);
  const { opt_out: optOut, texting, appointment, action, recording } = snapshot;
  if (recording === null || recording.width === null || recording.height === null) return null;
  return {
    ...pick(snapshot, 'language', 'title', 'member', 'reply', 'organization'),
    introId: row.introId,
    url,
    madeAtMs: toMs(snapshot.created_at),
    recipient: { first_name: snapshot.recipient_first_name },
    optOut: optOut && { canUndo: canUndo({ source: optOut.source, at: new Date(toMs(optOut.at)) }, now) },
    textsFrom:
      texting &&
      numberOf({
        organizationId: row.tenant.organizationId,
        sealed: texting.account === null ? null : Buffer.from(texting.account, 'base64'),
      }),
    replacedFor: whyReplaced(snapshot),
    appointment: appointment && { startsAtMs: toMs(appointment.starts_at), timezone: appointment.timezone },
    action: action?.label && action.url ? { label: action.label, url: action.url } : null,
    video: {
      name: recording.id.slice(-SHORT_ID),
      folder: `${row.tenant.organizationId}/${recording.id}/`,
      width: recording.width,
      height: recording.height,
      durationMs: recording.duration_ms ?? 0,
      captionsLanguage: recording.captions_language,
      hasPreview: recording.has_preview,
    },
  };
}

function renderToBytes(view: PageView, mediaOrigin: string | null): Page {
  const { html, policy } =
    view.replacedFor === null
      ? renderPage(view, { preview: false, mediaOrigin })
      : renderOrganizationCard(view, view.replacedFor, { preview: false });
  const bytes = Buffer.from(html);
  const compressed = new Map<Encoding, Promise<Buffer>>();
  return {
    view,
    policy,
    // Weak, because it covers several encodings of the page.
    etag: `W/"${createHash('sha256').update(bytes).digest('base64url')}"`,
    bytes(encoding) {
      const cached = compressed.get(encoding);
      if (cached !== undefined) return cached;
      const result = compress(bytes, encoding, BROTLI_QUALITY);
      compressed.set(encoding, result);
      return result;
    },
  };
}

interface LookupDeps extends Pick<Services, 'db' | 'testClocks' | 'publicUrl'> {
  readonly linkHosts: LinkHosts;
  readonly numberOf: NumberOf;
  readonly mediaOrigin: string | null;
}

/** Concurrent requests share a query; two queries in flight keep the database and this process busy. */
const MAX_TOKENS = 64;
const MAX_CONCURRENT = 2;
const QUEUE_LIMIT = { items: 4_000, ms: 2_000 };

type LookupResult =
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
export function createPageLookup(deps: LookupDeps) {
  const { db, testClocks, publicUrl, linkHosts, mediaOrigin, numberOf } = deps;
  /**
   * Rendered pages, but not whether they may be shown: each request reads its row, and a cached page is used only for exactly the
   * snapshot it was rendered from.
   */
  const cached = new BoundedMap<string, CachedPage>({ maxSize: MAX_PAGES });
  const rateLimit = createLinkRateLimit(monotonicMs);
  const rows = new Batcher<string, { row: PageRow | null }>({
    name: 'pages',
    maxSize: MAX_TOKENS,
    maxConcurrent: MAX_CONCURRENT,
    // Wrapped, because the batcher retries requests whose result is null.
    flush: async (tokens) => (await findByTokens(db, tokens)).map((row) => ({ row })),
    isTransient,
    queueLimit: QUEUE_LIMIT,
  });

  /** Returns the page for a row just read; renders it again when anything on it has changed. */
  function pageOf(url: string, row: PageRow, now: Date): Page | null {
    const entry = cached.get(url);
    // A page that offers to undo an opt-out does so only for some minutes.
    const isCurrent = entry?.snapshot === row.snapshot && entry.page.view.optOut?.canUndo !== true;
    const view = isCurrent ? null : toView(row, url, numberOf, now);
    const page = isCurrent ? entry.page : view && renderToBytes(view, mediaOrigin);
    if (page === null) cached.delete(url);
    else cached.set(url, { snapshot: row.snapshot, page });
    return page;
  }

  async function findPage({ token, url, organizationId }: Requested): Promise<LookupResult> {
    if (!looksLikeToken(organizationId === null ? 'page' : 'short', token)) return { kind: 'unknown' };
    const { row } = await rows.add(token);
    if (row === null) {
      const organization = await findRemoved(db, token, organizationId);
      return organization === null ? { kind: 'unknown' } : { kind: 'removed', organization };
    }
    if (organizationId !== null && row.tenant.organizationId !== organizationId) return { kind: 'unknown' };
    const now = testClocks.now(row.tenant);
    const state = pageStateOf(row, now);
    if (state === 'unknown') return { kind: 'unknown' };
    if (state !== 'open') return { kind: state, row };
    const page = pageOf(url, row, now);
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
      const seconds = cached.has(requested.url) ? null : rateLimit.waitS(request.ip);
      if (seconds !== null) return { kind: 'waiting', seconds };
      const found = await findPage(requested);
      if (found.kind === 'unknown') rateLimit.noteMiss(request.ip);
      return found;
    },
  };
}

type Missing = Exclude<LookupResult, { kind: 'open' }>;

export function refuseWithPage(request: PageRequest, reply: FastifyReply, found: Missing) {
  if (found.kind === 'unknown') return sendUnknown(request, reply);
  if (found.kind === 'waiting') return sendTooMany(request, reply, found.seconds);
  const { organization, language } =
    found.kind === 'removed'
      ? { organization: found.organization, language: found.organization.language }
      : readSnapshot(found.row);
  const reason = found.kind === 'removed' ? 'expired' : found.kind;
  const closed = renderClosed({ audience: 'recipient', reason, language, organization });
  return sendDocument(request, reply, 410, closed);
}

export function refuseBare(reply: FastifyReply, found: Missing) {
  if (found.kind === 'waiting') reply.header('retry-after', found.seconds);
  return sendEmpty(reply, found.kind === 'unknown' ? 404 : found.kind === 'waiting' ? 429 : 410);
}
