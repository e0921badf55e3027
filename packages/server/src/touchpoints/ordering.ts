import type { Transaction } from 'kysely';
import { ApiError } from '../platform/errors.ts';
import type { Tables, Tenant } from '../tables.ts';
import { moveWithin } from './rules.ts';
import { lockOrder, placeTouchpoints } from './store.ts';

/**
 * Puts one touchpoint before another, or at the end. A move rather than a whole order: two people who move different ones at
 * the same time are both heard, and one that was made meanwhile keeps its place. Gives the order that came of it.
 */
export async function moveTouchpoint(
  tx: Transaction<Tables>,
  tenant: Tenant,
  { slug, before }: { slug: string; before: string | null },
): Promise<string[]> {
  const rows = await lockOrder(tx, tenant);
  const slugs = rows.map((row) => row.slug);
  for (const named of [slug, before]) {
    if (named === null || slugs.includes(named)) continue;
    throw new ApiError('not_found', `This organization has no touchpoint "${named}".`);
  }
  const moved = moveWithin(slugs, slug, before);
  const ids = new Map(rows.map((row) => [row.slug, row.id]));
  await placeTouchpoints(
    tx,
    tenant,
    moved.flatMap((one) => ids.get(one) ?? []),
  );
  return moved;
}
