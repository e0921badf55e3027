import { DAY_MS, type IntroReplyType, MINUTE_MS } from '@foreword/contract';
import type { Tenant, Tx } from '../db/tenancy.ts';
import type { IntroEvents } from './publishing.ts';
import { findLastAnswer, insertAnswer, insertReply, readLastReplies } from './store/replies.ts';

/** Enough to change an answer and to ask a few questions. More would flood the member with messages. */
const MAX_REPLIES_PER_DAY = 10;

export interface NewReply {
  readonly type: IntroReplyType;
  /** Only for a question or a message. */
  readonly message: string | null;
}

/** `repeated`: the last reply was the same, so nothing changed. A number: the reply with this number was stored. */
export type ReplyOutcome = number | 'repeated' | 'too_many';

/** In the caller's transaction, which has locked the intro: simultaneous taps run one after the other. */
export async function storeReply(
  { introEvents }: { introEvents: IntroEvents },
  tx: Tx,
  { tenant, introId }: { readonly tenant: Tenant; readonly introId: string },
  { type, message }: NewReply,
  now: Date,
): Promise<ReplyOutcome> {
  const earlier = await readLastReplies(tx, tenant, introId, MAX_REPLIES_PER_DAY);
  const [last] = earlier;
  if (last?.type === type && last.message === message) return 'repeated';
  const isRecent = (at: Date) => now.getTime() - at.getTime() < DAY_MS;
  if (earlier.filter(({ created_at: at }) => isRecent(at)).length >= MAX_REPLIES_PER_DAY) return 'too_many';
  const number = (last?.number ?? 0) + 1;
  const by_text = type === 'message';
  await insertReply(tx, tenant, { intro_id: introId, number, type, message, by_text, created_at: now });
  await introEvents.publish(tx, [{ tenant, introId, type: 'intro.replied' }], now);
  return number;
}

/** The same words again within this time are a repeated report of the same text, not another answer. */
const REPEAT_MS = 10 * MINUTE_MS;

export interface NewAnswer {
  readonly introId: string;
  readonly memberId: string;
  readonly message: string;
}

/** In the caller's transaction, which has locked the intro. Returns the number of the answer, or null if it was stored before. */
export async function storeAnswer(
  tx: Tx,
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
