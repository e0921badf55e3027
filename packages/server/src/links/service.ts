import type { Queryable } from '../platform/db.ts';
import { type ServerKey, ServerKeyError } from '../platform/server-key.ts';
import type { LinkKind, Tables, Tenant } from '../tables.ts';
import { confirmKey, findLink, insertLinks, replaceLink } from './store.ts';
import { createTokens, hashToken, looksLikeToken } from './tokens.ts';

export interface Link {
  readonly tenant: Tenant;
  readonly introId: string;
}

/** A member's: it grows old when somebody else is to record. */
export interface RecordLink extends Link {
  readonly generation: number;
}

/** What members and recipients get to follow. */
export interface Links {
  /** Where the member records; for one intro, as long as that is open, and the member is the one of this generation. */
  recordUrl(introId: string, generation: number): string;
  /** Where the recipient watches. */
  pageUrl(introId: string): string;
  /** Makes the link of a page work. It is the same each time, and is not kept: only the hash of its token is. */
  give(db: Queryable<Tables>, tenant: Tenant, introId: string, kind: 'page'): Promise<void>;
  /** The same for members' links, many at once. */
  giveRecord(db: Queryable<Tables>, links: readonly RecordLink[]): Promise<void>;
  /** The link of the next member works, the one before does not. */
  renewRecord(db: Queryable<Tables>, link: RecordLink): Promise<void>;
  /** Which intro a token opens; null for one that was never given out, or is not in use any more. */
  find(db: Queryable<Tables>, kind: LinkKind, token: string): Promise<Link | null>;
}

const PATHS: Record<LinkKind, string> = { record: 'r', page: 'i' };
/** A page has one address for ever. */
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
    give: (db, tenant, introId, kind) => insertLinks(db, [toRow(kind, { tenant, introId }, PAGE_GENERATION)]),
    giveRecord: (db, links) =>
      insertLinks(
        db,
        links.map((link) => toRow('record', link, link.generation)),
      ),
    renewRecord: (db, link) => replaceLink(db, toRow('record', link, link.generation)),
    find: async (db, kind, token) => (looksLikeToken(kind, token) ? findLink(db, kind, hashToken(token)) : null),
  };
}

/** Every node of a database has to make the same links. The first one decides; another key is refused before it gives any out. */
export async function requireSameKey(db: Queryable<Tables>, key: ServerKey): Promise<void> {
  if (await confirmKey(db, key.derive('fingerprint'))) return;
  throw new ServerKeyError(
    'SERVER_KEY is not the key that this database was set up with. Give every node the same one, or the server.key of the first in DATA_DIR',
  );
}
