import { createHash } from 'node:crypto';
import { BoundedMap } from '../platform/bounded-map.ts';
import { compress, type Encoding } from '../platform/encoding.ts';
import { renderOrganizationCard } from './organization-card.ts';
import { renderPage } from './page.ts';
import { toMs } from './rules.ts';
import { type PageRow, readSnapshot, type Snapshot } from './store.ts';
import { type PageView, toOrganizationView } from './view.ts';

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

/** Null when there is no video to show. */
export function toView(row: PageRow, url: string): PageView | null {
  const snapshot = readSnapshot(row);
  const { member, organization, appointment, action, recording } = snapshot;
  if (recording === null || recording.width === null || recording.height === null) return null;
  return {
    introId: row.introId,
    language: snapshot.language,
    url,
    title: snapshot.title,
    madeAtMs: toMs(snapshot.created_at),
    recipient: { firstName: snapshot.recipient_first_name },
    member: {
      firstName: member.first_name,
      lastName: member.last_name,
      title: member.title,
      phone: member.phone,
      photo: member.photo,
    },
    reply: snapshot.reply,
    replacedFor: whyReplaced(snapshot),
    organization: toOrganizationView(organization),
    appointment: appointment && { startsAtMs: toMs(appointment.starts_at), timezone: appointment.timezone },
    action: action?.label && action.url ? { label: action.label, url: action.url } : null,
    video: {
      name: recording.id.slice(-SHORT_ID),
      folder: `${row.tenant.organizationId}/${recording.id}/`,
      width: recording.width,
      height: recording.height,
      durationMs: recording.duration_ms ?? 0,
      hasCaptions: recording.has_captions,
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

/**
 * Caches rendered pages, but not whether they may be shown: each request reads its row, and a cached page is used only for
 * exactly the snapshot it was rendered from.
 */
export function createPageCache(options: { mediaOrigin: string | null }) {
  const cached = new BoundedMap<string, CachedPage>({ maxSize: MAX_PAGES });
  return {
    /** Whether the page was opened recently. */
    has: (url: string): boolean => cached.has(url),
    /** Returns the page for a row just read; renders it again when anything on it has changed. */
    pageOf(url: string, row: PageRow): Page | null {
      const entry = cached.get(url);
      let page = entry?.snapshot === row.snapshot ? entry.page : null;
      if (page === null) {
        const view = toView(row, url);
        if (view === null) {
          cached.delete(url);
          return null;
        }
        page = renderToBytes(view, options.mediaOrigin);
      }
      cached.set(url, { snapshot: row.snapshot, page });
      return page;
    },
  };
}
