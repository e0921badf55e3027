import type { Transaction } from 'kysely';
import type { Tables, Tenant } from '../tables.ts';
import { findLastAnswer, insertAnswer } from './store/answers.ts';

/** The same words again within this time are a repeated report of the same text, not another answer. */
const REPEAT_MS = 10 * 60_000;

export interface NewAnswer {
  readonly introId: string;
  readonly memberId: string;
  readonly message: string;
}

/** In the caller's transaction, which has locked the intro. Returns the number of the answer, or null if it was stored before. */
export async function storeAnswer(
  tx: Transaction<Tables>,
  tenant: Tenant,
  { introId, memberId, message }: NewAnswer,
  now: Date,
): Promise<number | null> {
  const last = await findLastAnswer(tx, tenant, introId);
  const isRepeated = last?.message === message && last.member_id === memberId;
  if (isRepeated && now.getTime() - last.created_at.getTime() < REPEAT_MS) return null;
  const number = (last?.number ?? 0) + 1;
  await insertAnswer(tx, tenant, { intro_id: introId, number, member_id: memberId, message, created_at: now });
  return number;
}
