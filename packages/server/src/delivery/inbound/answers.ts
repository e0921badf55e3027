import { TEXT_MAX_LENGTH } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { storeAnswer } from '../../intros/index.ts';
import { newId } from '../../platform/ids.ts';
import type { Tables } from '../../tables.ts';
import type { Carriers } from '../carriers/index.ts';
import { decideRecipientText } from '../queue/planning.ts';
import type { TextedMember } from '../store/inbound.ts';
import { findIntroToMessage } from '../store/manual.ts';
import { insertMessages, notifyMessagesDue } from '../store/messages.ts';
import { inboundWording } from '../wording/inbound.ts';
import { formatDeadline } from '../wording/texts.ts';

interface AnsweredReply {
  readonly member: TextedMember;
  readonly introId: string;
  readonly recipient: string;
}

/**
 * Stores the member's answer with its text to the recipient, or changes nothing. The queue sends the text, within the sending
 * hours and the daily limits. Returns the text to the member.
 */
export async function sendAnswer(
  { carriers }: { readonly carriers: Carriers },
  tx: Transaction<Tables>,
  { member, introId, recipient }: AnsweredReply,
  { words, hasMedia }: { readonly words: string; readonly hasMedia: boolean },
  now: Date,
): Promise<string> {
  const { tenant, memberId, language } = member;
  const wording = inboundWording(language);
  const { length } = [...words];
  if (hasMedia) return wording.answerWithMedia;
  if (length > TEXT_MAX_LENGTH) return wording.answerTooLong(length, TEXT_MAX_LENGTH);
  const intro = await findIntroToMessage(tx, tenant, introId, { lock: true });
  if (intro === undefined) return wording.answerClosed(recipient);
  const decision = decideRecipientText(carriers, intro, { isResend: true, isAnswer: true, lastTextAt: null }, now);
  if (decision.kind === 'fail' && decision.code === 'recipient_opted_out') return wording.answerOptedOut(recipient);
  if (decision.kind === 'fail' || decision.kind === 'drop') return wording.answerClosed(recipient);
  const number = await storeAnswer(tx, tenant, { introId, memberId, message: words }, now);
  if (number !== null) {
    const owned = { organization_id: tenant.organizationId, environment: tenant.environment, intro_id: introId };
    const to = { audience: 'recipient', purpose: 'answer', channel: 'text', address: intro.recipient_phone } as const;
    const message = { ...owned, ...to, id: newId('msg', now), round: number, due_at: now, created_at: now };
    await insertMessages(tx, [message]);
    await notifyMessagesDue(tx);
  }
  if (decision.kind === 'send') return wording.answered(recipient);
  return wording.answeredLater(recipient, formatDeadline({ at: decision.until, timezone: member.timezone }, language));
}
