import { DAY_MS } from '@foreword/contract';
import type { Db, Tenant } from '../../db/tenancy.ts';
import { findOldest, removeBefore } from './store.ts';

/**
 * Deletes the oldest day (UTC) with entries if all of it is before the time. Returns the number of entries: 0 if there is no
 * such day.
 */
export async function removeOldestDay(tx: Db, tenant: Tenant, before: Date): Promise<number> {
  const oldest = await findOldest(tx, tenant);
  if (oldest === null) return 0;
  const dayEnd = new Date(oldest.getTime() - (oldest.getTime() % DAY_MS) + DAY_MS);
  if (dayEnd > before) return 0;
  return removeBefore(tx, tenant, dayEnd);
}
