import type { Transaction } from 'kysely';
import { ApiError } from '../platform/errors.ts';
import type { Tables, Tenant } from '../tables.ts';
import { moveWithin } from './rules.ts';
import { lockOrder, setPositions } from './store.ts';

/**
 * Moves a touchpoint before another, or to the end, and returns the new order. Takes one move instead of a whole order, so
 * that two users can move different touchpoints at the same time.
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
  await setPositions(
    tx,
    tenant,
    moved.flatMap((each) => ids.get(each) ?? []),
  );
  return moved;
}
