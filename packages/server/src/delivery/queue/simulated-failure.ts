import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { ApiError } from '../../platform/errors.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { findIntroToMessage, type IntroToMessage } from '../store/manual.ts';
import { changeMessages, listIntroMessages, lockMessage, type MessageRow } from '../store/messages.ts';
import { explainStatus } from './manual.ts';
import type { OutcomeHandler } from './outcomes.ts';

const isWithCarrier = ({ status }: MessageRow): boolean =>
  status === 'accepted' || status === 'delivered' || status === 'undelivered';

function explainNotFailed(intro: IntroToMessage, text: MessageRow | null): ApiError | null {
  if (intro.responsibility !== 'service') {
    return new ApiError(
      'delivery_refused',
      'Your own system delivers this intro, so there is no text that could fail.',
    );
  }
  const refusal = explainStatus(intro, ['ready', 'sent']);
  if (refusal !== null) return refusal;
  if (text?.status === 'sending') return new ApiError('too_soon', 'The text is being sent. Try again in a second.');
  if (text === null || (intro.status === 'sent' && !isWithCarrier(text))) {
    return new ApiError('delivery_refused', 'This intro was not sent by text, so there is no text that could fail.');
  }
  return null;
}

/** The text to the recipient fails as if its carrier had said so. No carrier is contacted, and no limit counts the failure. */
export async function failText(
  { outcomes }: { outcomes: OutcomeHandler },
  tx: Transaction<Tables>,
  tenant: Tenant,
  introId: string,
  code: DeliveryFailureCode,
  now: Date,
): Promise<void> {
  const texts = await listIntroMessages(tx, tenant, introId);
  const last = texts.filter(({ purpose }) => purpose === 'deliver').at(-1);
  // Every transaction locks the message before its intro.
  const text = last === undefined ? null : await lockMessage(tx, tenant, last.id);
  const intro = await findIntroToMessage(tx, tenant, introId, { lock: true });
  if (intro === undefined) throw new Error('the intro no longer exists');
  const refusal = explainNotFailed(intro, text);
  if (refusal !== null || text === null) throw refusal ?? new Error('a refused text has a reason');
  const message = DELIVERY_FAILURES[code];
  const row: MessageRow = { ...text, channel: 'text', address: intro.recipient_phone, carrier: 'simulated' };
  const { channel, address, carrier } = row;
  if (isWithCarrier(text)) {
    const change = await outcomes.afterReport(tx, row, { status: 'undelivered', code, message }, now);
    await changeMessages(tx, [{ row: text, change }]);
    return;
  }
  // A carrier reports this about a text that it has accepted; every other reason prevents sending.
  const outcome =
    code === 'undelivered'
      ? ({ kind: 'accepted', carrierId: null, report: { status: 'undelivered', code, message } } as const)
      : ({ kind: 'refused', code, message } as const);
  const change = await outcomes.afterSend(tx, row, outcome, now);
  await changeMessages(tx, [{ row: text, change: { ...change, channel, address, carrier } }]);
}
