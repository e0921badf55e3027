import { DAY_MS, DELIVERY_FAILURES, type DeliveryFailureCode, PAGE_LIFE_DAYS } from '@foreword/contract';
import { type Db, lockOrganization, type Tenant, type Tx } from '../../db/tenancy.ts';
import {
  correctPhones,
  explainNotCorrected,
  explainNotRequested,
  lockOfRecipient,
  noSuchIntro,
  setDeliveryError,
} from '../../intros/index.ts';
import { before } from '../../platform/clock.ts';
import { ApiError, invalid } from '../../platform/errors.ts';
import { ID_PATTERN } from '../../platform/ids.ts';
import type { Carriers } from '../carriers/index.ts';
import { type ContextIntro, lockIntro, type MessageContext, readContexts } from '../store/context.ts';
import { listIntroMessages } from '../store/messages.ts';
import {
  changeAddress,
  changeMessages,
  insertDelivery,
  insertMessages,
  lockMessage,
  type MessageRow,
  newMessage,
  notifyMessagesDue,
} from '../store/queue.ts';
import { decide } from './decide.ts';
import type { OutcomeHandler } from './record.ts';
import { type Decision, MANUAL_REMINDER_GAP_MS } from './rules.ts';

interface Deps {
  readonly carriers: Carriers;
}

/**
 * Plans the recipient's text for an intro that was just recorded. A text that has to wait is planned for then, so that
 * the webhook and the recorder's last screen have its time.
 */
export async function planDelivery(
  { carriers }: Deps,
  tx: Tx,
  tenant: Tenant,
  introId: string,
  now: Date,
): Promise<void> {
  const text = { intro_id: introId, audience: 'recipient', purpose: 'deliver', channel: 'text', round: 0 } as const;
  const planned = newMessage(tenant, text, now);
  const [context] = await readContexts(tx, carriers, [planned]);
  if (context?.intro.responsibility !== 'service') return;
  const { intro, number } = context;
  // Another text whose outcome is open may still fail, and then does not delay this one.
  const lastTextAt = number.last_text_pending_until === null ? number.last_text_at : null;
  const decision = decide({ ...context, number: { ...number, last_text_at: lastTextAt } }, now);
  const hold = decision.kind === 'wait' ? decision : null;
  // The member recorded after a test recording, which was not sent.
  if (!intro.is_test_recording && intro.delivery_error_code === 'test_recording') {
    await setDeliveryError(tx, tenant, introId, null);
  }
  await insertDelivery(tx, tenant, { introId, id: planned.id, now, hold });
}

/** When a message that a user requests will be sent. */
interface SendTime {
  /** The earliest time. */
  readonly dueAt: Date;
  readonly heldFor: 'quiet_hours' | 'recent_text' | 'opt_out_question' | null;
}

export interface ManualSend extends SendTime {
  readonly messageId: string;
}

const REMINDER = { audience: 'member', purpose: 'remind_by_hand', channel: null } as const;
const TEXT = { audience: 'recipient', purpose: 'deliver', channel: 'text' } as const;

/** An intro with its messages, and the message that may be added to them. */
interface Situation extends MessageContext<ReturnType<typeof newMessage>> {
  readonly messages: readonly MessageRow[];
}

async function readSituation(
  { carriers }: Deps,
  db: Db,
  tenant: Tenant,
  introId: string,
  kind: typeof REMINDER | typeof TEXT,
  now: Date,
): Promise<Situation> {
  const messages = ID_PATTERN.test(introId) ? await listIntroMessages(db, tenant, introId) : [];
  const rounds = messages.filter(({ purpose }) => purpose === kind.purpose).map(({ round }) => round);
  const message = newMessage(tenant, { intro_id: introId, ...kind, round: Math.max(0, ...rounds) + 1 }, now);
  const [context] = await readContexts(db, carriers, [message]);
  if (context === undefined) throw noSuchIntro();
  return { ...context, messages };
}

function toSendTime(decision: Decision, now: Date): SendTime {
  switch (decision.kind) {
    case 'send':
      return { dueAt: now, heldFor: null };
    case 'wait':
      if (decision.heldFor === 'recording')
        throw new ApiError('intro_recorded', 'A video was just recorded. Wait until it is processed.');
      return { dueAt: decision.until, heldFor: decision.heldFor };
    default:
      throw new ApiError(
        'delivery_refused',
        decision.kind === 'fail' ? DELIVERY_FAILURES[decision.code] : decision.message,
      );
  }
}

function requireStatus({ status }: ContextIntro, ...allowed: readonly string[]): void {
  if (allowed.includes(status)) return;
  throw status === 'requested'
    ? new ApiError('intro_not_ready', 'The video is not recorded yet.')
    : explainNotRequested(status);
}

const lastAcceptedAt = (messages: readonly MessageRow[]): Date | null =>
  messages.reduce<Date | null>(
    (last, { accepted_at: at }) => (at !== null && (last === null || at > last) ? at : last),
    null,
  );

type Schedule = (at: Situation, now: Date) => SendTime;

const scheduleReminder: Schedule = (situation, now) => {
  const { intro, messages } = situation;
  requireStatus(intro, 'requested');
  const toMember = messages.filter(({ audience }) => audience === 'member');
  const isPending = toMember.some(
    ({ status, purpose, due_at }) =>
      status === 'sending' || (status === 'scheduled' && (purpose === 'remind_by_hand' || due_at <= now)),
  );
  if (isPending) throw new ApiError('too_soon', 'A message to the member is already being sent.');
  const last = lastAcceptedAt(
    toMember.filter(({ purpose, round }) => purpose === 'remind_by_hand' || round === intro.link_generation),
  );
  const freeMs = (last?.getTime() ?? 0) + MANUAL_REMINDER_GAP_MS;
  if (freeMs > now.getTime()) {
    const retryAfterS = Math.ceil((freeMs - now.getTime()) / 1000);
    throw new ApiError('too_soon', 'The member was notified less than an hour ago.', { retryAfterS });
  }
  return toSendTime(decide(situation, now), now);
};

const scheduleResend: Schedule = (situation, now) => {
  const { intro, messages, number, textRoute } = situation;
  if (intro.responsibility !== 'service') {
    throw new ApiError('delivery_refused', 'Your own system delivers this intro. Copy its link to send it yourself.');
  }
  requireStatus(intro, 'ready', 'sent');
  if (intro.taken_down_at !== null) throw new ApiError('intro_closed', 'The page of this intro was taken down.');
  if (intro.is_video_removed || (intro.sent_at !== null && intro.sent_at <= before(now, PAGE_LIFE_DAYS * DAY_MS)))
    throw new ApiError('intro_closed', 'The page of this intro has closed. Request a new video instead.');
  const texts = messages.filter(({ audience }) => audience === 'recipient');
  if (texts.some(({ status }) => status === 'scheduled' || status === 'sending')) {
    throw new ApiError('too_soon', 'The text is already scheduled or being sent.');
  }
  if (textRoute === 'none') throw new ApiError('delivery_refused', DELIVERY_FAILURES.no_text_provider);
  // Texts without a touchpoint are not limited by number, so the intro's own texts count as well.
  const toNumber = texts.filter(({ address }) => address === intro.recipient_phone);
  const times = [lastAcceptedAt(toNumber), number.last_text_at].filter((at) => at !== null);
  const lastTextAt = times.length === 0 ? null : new Date(Math.max(...times.map((at) => at.getTime())));
  const last = { ...number, last_text_at: lastTextAt, last_text_pending_until: null };
  return toSendTime(decide({ ...situation, number: last }, now), now);
};

/** Members may send only this text themselves. The team decides about all others. */
const scheduleAnyway: Schedule = (at, now) => {
  if (at.intro.delivery_error_code === 'appointment_over') return scheduleResend(at, now);
  throw new ApiError('delivery_refused', 'This text is not waiting for you to send it.');
};

const manualSend =
  (kind: typeof REMINDER | typeof TEXT, schedule: Schedule) =>
  async (deps: Deps, tx: Tx, tenant: Tenant, introId: string, now: Date): Promise<ManualSend> => {
    // A second click waits, and then sees the message of the first.
    await lockIntro(tx, tenant, introId);
    const situation = await readSituation(deps, tx, tenant, introId, kind, now);
    const time = schedule(situation, now);
    const { message, intro } = situation;
    // An opt-out finds waiting texts by their number.
    const address = kind === TEXT ? intro.recipient_phone : null;
    // The text before failed, this one did not.
    if (kind === TEXT) await setDeliveryError(tx, tenant, introId, null);
    await insertMessages(tx, [{ ...message, address, due_at: time.dueAt }]);
    await notifyMessagesDue(tx);
    return { ...time, messageId: message.id };
  };

/** Reminds the member now or in the morning, at most once an hour. */
export const remindManually = manualSend(REMINDER, scheduleReminder);

/** Sends the recipient's text again, under the same rules as the first time. */
export const resendManually = manualSend(TEXT, scheduleResend);

/** Sends the text that the beginning of the appointment stopped. */
export const sendAnyway = manualSend(TEXT, scheduleAnyway);

/**
 * Corrects the recipient's number, and texts a recorded intro there. A text that waits goes to the new number at its time. Correcting twice
 * is refused, so it sends one text. Returns the ids of the intros that had the wrong number.
 */
export async function correctPhone(
  deps: Deps,
  tx: Tx,
  tenant: Tenant,
  wanted: { readonly introId: string; readonly phone: string; readonly by: string | null },
  now: Date,
): Promise<readonly string[]> {
  const { introId, phone } = wanted;
  if (!ID_PATTERN.test(introId)) throw noSuchIntro();
  // No other correction may change meanwhile which intros are the recipient's.
  await lockOrganization(tx, tenant);
  const introIds = await lockOfRecipient(tx, tenant, introId);
  const { intro, messages } = await readSituation(deps, tx, tenant, introId, TEXT, now);
  const refusal = explainNotCorrected(intro.status, intro.taken_down_at);
  if (refusal !== null) throw refusal;
  const texts = messages.filter(({ purpose }) => purpose === 'deliver');
  if (texts.some(({ status }) => status === 'sending'))
    throw new ApiError('too_soon', 'The text is being sent. Try again in a second.');
  const corrected = await correctPhones(tx, tenant, { introIds, phone, by: wanted.by }, now);
  if (corrected.length === 0) throw invalid('phone', 'is already the number of this recipient');
  await changeAddress(tx, tenant, corrected, phone);
  const isDue = intro.status !== 'requested' && intro.responsibility === 'service';
  if (isDue && !texts.some(({ status }) => status === 'scheduled'))
    await resendManually(deps, tx, tenant, introId, now);
  return corrected;
}

/** Why each action is not possible now; null if it is possible. */
export async function checkManualSends(
  deps: Deps,
  db: Db,
  tenant: Tenant,
  introId: string,
  now: Date,
): Promise<{ remind: ApiError | null; resend: ApiError | null }> {
  const explain = async (kind: typeof REMINDER | typeof TEXT, schedule: Schedule) => {
    const situation = await readSituation(deps, db, tenant, introId, kind, now);
    try {
      schedule(situation, now);
      return null;
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  };
  return { remind: await explain(REMINDER, scheduleReminder), resend: await explain(TEXT, scheduleResend) };
}

const isWithCarrier = ({ status }: MessageRow): boolean =>
  status === 'accepted' || status === 'delivered' || status === 'undelivered';

/** The text that may fail. */
function requireSent(intro: ContextIntro, text: MessageRow | null): MessageRow {
  if (intro.responsibility !== 'service') {
    throw new ApiError('delivery_refused', 'Your own system delivers this intro, so there is no text that could fail.');
  }
  requireStatus(intro, 'ready', 'sent');
  if (text?.status === 'sending') throw new ApiError('too_soon', 'The text is being sent. Try again in a second.');
  if (text === null || (intro.status === 'sent' && !isWithCarrier(text))) {
    throw new ApiError('delivery_refused', 'This intro was not sent by text, so there is no text that could fail.');
  }
  return text;
}

/** The text to the recipient fails as if its carrier had said so. No carrier is contacted, and no limit counts the failure. */
export async function failText(
  { outcomes, carriers }: Deps & { readonly outcomes: OutcomeHandler },
  tx: Tx,
  tenant: Tenant,
  introId: string,
  code: DeliveryFailureCode,
  now: Date,
): Promise<void> {
  const last = (await listIntroMessages(tx, tenant, introId)).findLast(({ purpose }) => purpose === 'deliver');
  // Every transaction locks the message before its intro.
  const found = last === undefined ? null : await lockMessage(tx, tenant, last.id);
  await lockIntro(tx, tenant, introId);
  const { intro } = await readSituation({ carriers }, tx, tenant, introId, TEXT, now);
  const text = requireSent(intro, found);
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
