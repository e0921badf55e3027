import { createHash, createHmac } from 'node:crypto';
import type { Queryable } from '../platform/db.ts';
import { toBase62 } from '../platform/ids.ts';
import type { ServerKey } from '../platform/server-key.ts';
import type { LinkKind, Tables, Tenant } from '../tables.ts';
import { findLink, insertLinks, replaceLink } from './store.ts';

/** 71 bits: short enough for a text message, and infeasible to guess against a rate limit. */
const PAGE_TOKEN_LENGTH = 12;
/** The member's link can replace a video, so it is longer. */
const RECORD_TOKEN_LENGTH = 22;

const LENGTHS: Record<LinkKind, number> = { page: PAGE_TOKEN_LENGTH, record: RECORD_TOKEN_LENGTH };
const DIGITS_PER_WORD = 5;
const BYTES_PER_WORD = 6;

/** Takes five digits from each 48-bit word: because 62^5 is much smaller than 2^48, the bias is below 1 in 300,000. */
function digitsOf(mac: Buffer, length: number): string {
  let text = '';
  for (let at = 0; text.length < length; at += BYTES_PER_WORD) {
    text += toBase62(mac.readUIntBE(at, BYTES_PER_WORD), DIGITS_PER_WORD);
  }
  return text.slice(0, length);
}

interface Tokens {
  /** Deterministic per intro and generation, so that links can be sent again without storing them. */
  tokenOf(kind: LinkKind, introId: string, generation: number): string;
}

function createTokens(key: ServerKey): Tokens {
  const keys: Record<LinkKind, Buffer> = {
    page: key.derive('link to a page'),
    record: key.derive('link to a recorder'),
  };
  return {
    tokenOf(kind, introId, generation) {
      // The first generation has no number, for compatibility with links from before reassignment existed.
      const named = generation === 0 ? introId : `${introId} ${generation}`;
      return digitsOf(createHmac('sha256', keys[kind]).update(named).digest(), LENGTHS[kind]);
    },
  };
}

export const looksLikeToken = (kind: LinkKind, text: string): boolean =>
  text.length === LENGTHS[kind] && /^[0-9A-Za-z]+$/.test(text);

export const hashToken = (token: string): Buffer => createHash('sha256').update(token).digest();

export interface Link {
  readonly tenant: Tenant;
  readonly introId: string;
}

/** A member's link. The generation increases when the intro is reassigned. */
export interface RecordLink extends Link {
  readonly generation: number;
}

/** Creates and resolves the links of members and recipients. */
export interface Links {
  /** The recorder's URL. It works while the intro is open and has not been reassigned since this generation. */
  recordUrl(introId: string, generation: number): string;
  /** The recipient's page. */
  pageUrl(introId: string): string;
  /** Activates the link of a page. Only the hash of its token is stored, because the token can be derived again. */
  activate(db: Queryable<Tables>, tenant: Tenant, introId: string, kind: 'page'): Promise<void>;
  /** Activates members' links. */
  activateRecord(db: Queryable<Tables>, links: readonly RecordLink[]): Promise<void>;
  /** Activates the link of the next member in place of the previous one. */
  renewRecord(db: Queryable<Tables>, link: RecordLink): Promise<void>;
  /** Finds the intro of a token; null for an unknown or replaced one. */
  find(db: Queryable<Tables>, kind: LinkKind, token: string): Promise<Link | null>;
}

const PATHS: Record<LinkKind, string> = { record: 'r', page: 'i' };
/** The URL of a page never changes. */
const PAGE_GENERATION = 0;

export function createLinks(key: ServerKey, publicUrl: string): Links {
  const tokens = createTokens(key);
  const urlOf = (kind: LinkKind, introId: string, generation: number) =>
    `${publicUrl}/${PATHS[kind]}/${tokens.tokenOf(kind, introId, generation)}`;
  const toRow = (kind: LinkKind, { tenant, introId }: Link, generation: number) => ({
    tenant,
    introId,
    kind,
    hash: hashToken(tokens.tokenOf(kind, introId, generation)),
  });
  return {
    recordUrl: (introId, generation) => urlOf('record', introId, generation),
    pageUrl: (introId) => urlOf('page', introId, PAGE_GENERATION),
    activate: (db, tenant, introId, kind) => insertLinks(db, [toRow(kind, { tenant, introId }, PAGE_GENERATION)]),
    activateRecord: (db, links) =>
      insertLinks(
        db,
        links.map((link) => toRow('record', link, link.generation)),
      ),
    renewRecord: (db, link) => replaceLink(db, toRow('record', link, link.generation)),
    find: async (db, kind, token) => (looksLikeToken(kind, token) ? findLink(db, kind, hashToken(token)) : null),
  };
}
