import type { Queryable } from '../platform/db.ts';
import { type ServerKey, ServerKeyError } from '../platform/server-key.ts';
import type { LinkKind, Tables, Tenant } from '../tables.ts';
import { confirmKey, findLink, insertLinks } from './store.ts';
import { createTokens, hashToken, looksLikeToken } from './tokens.ts';

export interface Link {
  readonly tenant: Tenant;
  readonly introId: string;
}

/** What members and recipients get to follow. */
export interface Links {
  /** Where the member records; for one intro, and as long as that is open. */
  recordUrl(introId: string): string;
  /** Where the recipient watches. */
  pageUrl(introId: string): string;
  /** Makes a link work. It is the same each time, and is not kept: only the hash of its token is. */
  give(db: Queryable<Tables>, tenant: Tenant, introId: string, kind: LinkKind): Promise<void>;
  /** The same for many at once. */
  giveAll(db: Queryable<Tables>, links: readonly Link[], kind: LinkKind): Promise<void>;
  /** Which intro a token opens; null for one that was never given out. */
  find(db: Queryable<Tables>, kind: LinkKind, token: string): Promise<Link | null>;
}

const PATHS: Record<LinkKind, string> = { record: 'r', page: 'i' };

export function createLinks(key: ServerKey, publicUrl: string): Links {
  const tokens = createTokens(key);
  const urlOf = (kind: LinkKind, introId: string) => `${publicUrl}/${PATHS[kind]}/${tokens.tokenOf(kind, introId)}`;
  const giveAll: Links['giveAll'] = (db, links, kind) =>
    insertLinks(
      db,
      links.map((link) => ({ ...link, kind, hash: hashToken(tokens.tokenOf(kind, link.introId)) })),
    );
  return {
    recordUrl: (introId) => urlOf('record', introId),
    pageUrl: (introId) => urlOf('page', introId),
    give: (db, tenant, introId, kind) => giveAll(db, [{ tenant, introId }], kind),
    giveAll,
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
