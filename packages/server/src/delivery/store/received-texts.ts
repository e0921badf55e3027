import type { Transaction } from 'kysely';
import type { Queryable } from '../../platform/db.ts';
import type { Tables } from '../../tables.ts';

/** Much longer than a carrier keeps repeating a report. */
const REMEMBERED_MS = 7 * 86_400_000;

/** False if the text was received before. Waits for a transaction that is receiving it. */
export async function insertReceivedText(
  tx: Transaction<Tables>,
  text: { readonly carrier: string; readonly id: string },
  now: Date,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('received_texts')
    .values({ ...text, received_at: now })
    .onConflict((on) => on.doNothing())
    .executeTakeFirstOrThrow();
  return numInsertedOrUpdatedRows === 1n;
}

export const RECEIVED_TEXTS_INTERVAL_MS = 3_600_000;

export async function deleteOldReceivedTexts(db: Queryable<Tables>, now: Date): Promise<void> {
  await db
    .deleteFrom('received_texts')
    .where('received_at', '<', new Date(now.getTime() - REMEMBERED_MS))
    .execute();
}
