import { createHash } from 'node:crypto';
import { compress, type Encoding } from '../platform/encoding.ts';
import { renderCard } from './card.ts';
import { renderPage } from './page.ts';
import { toMs } from './rules.ts';
import { type PageRow, readSnapshot } from './store.ts';
import type { PageView } from './view.ts';

/** Pages that were read lately, about 12 KB each. */
const MAX_PAGES = 500;
/** The reader of a page waits for its compression, a millisecond at this level. */
const BROTLI_QUALITY = 6;
const SHORT_ID = 10;

export interface Page {
  readonly view: PageView;
  readonly policy: string;
  readonly etag: string;
  bytes(encoding: Encoding): Promise<Buffer>;
}

interface Kept {
  readonly snapshot: string;
  readonly page: Page;
}

/** Null when there is no video that could be shown. */
export function toView(row: PageRow, url: string): PageView | null {
  const shown = readSnapshot(row);
  const { member, organization, appointment, action, recording } = shown;
  if (recording === null || recording.width === null || recording.height === null) return null;
  return {
    introId: row.introId,
    url,
    title: shown.title,
    madeAtMs: toMs(shown.created_at),
    recipient: { firstName: shown.recipient_first_name },
    member: {
      firstName: member.first_name,
      lastName: member.last_name,
      title: member.title,
      phone: member.phone,
      photo: member.photo,
      hasLeft: member.has_left,
    },
    organization: {
      name: organization.name,
      timezone: organization.timezone,
      accent: organization.accent,
      officePhone: organization.office_phone,
      license: organization.license,
      logo: organization.logo,
    },
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

function makePage(view: PageView, mediaOrigin: string | null): Page {
  const { html, policy } = view.member.hasLeft
    ? renderCard(view, { preview: false })
    : renderPage(view, { preview: false, mediaOrigin });
  const bytes = Buffer.from(html);
  const compressed = new Map<Encoding, Promise<Buffer>>();
  return {
    view,
    policy,
    // Weak: the same page in several encodings.
    etag: `W/"${createHash('sha256').update(bytes).digest('base64url')}"`,
    bytes(encoding) {
      const known = compressed.get(encoding);
      if (known !== undefined) return known;
      const made = compress(bytes, encoding, BROTLI_QUALITY);
      compressed.set(encoding, made);
      return made;
    },
  };
}

export interface Shelf {
  /** The page of a row as it stands in the database now; made anew whenever anything on it has changed. */
  pageOf(token: string, row: PageRow): Page | null;
  /** Whether somebody opened this page lately. */
  has(token: string): boolean;
}

/**
 * Keeps pages that were made, never whether they may be shown: each request asks the database for its row, and a page is
 * given out only for the very snapshot it was made of.
 */
export function createShelf(options: { publicUrl: string; mediaOrigin: string | null }): Shelf {
  const kept = new Map<string, Kept>();
  return {
    has: (token) => kept.has(token),
    pageOf(token, row) {
      const known = kept.get(token);
      kept.delete(token);
      let page = known?.snapshot === row.snapshot ? known.page : null;
      if (page === null) {
        const view = toView(row, `${options.publicUrl}/i/${token}`);
        if (view === null) return null;
        page = makePage(view, options.mediaOrigin);
      }
      // Maps keep the order of insertion: the first is the one that nobody has asked for the longest.
      kept.set(token, { snapshot: row.snapshot, page });
      const [oldest] = kept.keys();
      if (kept.size > MAX_PAGES && oldest !== undefined) kept.delete(oldest);
      return page;
    },
  };
}
