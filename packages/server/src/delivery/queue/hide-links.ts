import type { Links } from '../../links/index.ts';
import type { Database } from '../../platform/db.ts';
import type { Tables } from '../../tables.ts';
import { storeWordings, takeClearBodies } from '../store/clear-bodies.ts';
import { toStored } from '../wording/stored.ts';

/** Removes the links from up to `limit` messages that an earlier version stored. Returns how many it found. */
export const hideMessageLinks = (
  { db, links }: { db: Database<Tables>; links: Links },
  limit: number,
): Promise<number> =>
  db.kysely.transaction().execute(async (tx) => {
    const rows = await takeClearBodies(tx, limit);
    if (rows.length === 0) return 0;
    const hidden = rows.map((row) => ({ ...row, wording: toStored(links, row.body, row).wording }));
    await storeWordings(
      tx,
      hidden.map(({ organization_id, id, wording }) => ({ organization_id, id, wording })),
    );
    return rows.length;
  });
