import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import type { Transaction } from 'kysely';
import type { Queryable } from '../../platform/db.ts';
import { ApiError } from '../../platform/errors.ts';
import { ID_PATTERN, newId } from '../../platform/ids.ts';
import type { Tables, Tenant } from '../../tables.ts';
import type { Carriers } from '../carriers/index.ts';
import { findIntroToMessage, type IntroToMessage } from '../store/manual.ts';
import {
  changeMessages,
  insertMessages,
  listIntroMessages,
  lockMessage,
  type MessageRow,
  notifyMessagesDue,
} from '../store/messages.ts';
import { decideRecipientText, hoursOf } from './plan.ts';
import type { OutcomeHandler } from './record.ts';
import { type Decision, decideMemberMessage, MANUAL_REMINDER_GAP_MS } from './rules.ts';

/** When a message that a user requests will be sent. */
export interface SendTime {
  /** The earliest time. */
  readonly dueAt: Date;
  readonly heldFor: 'quiet_hours' | 'recent_text' | 'opt_out_question' | null;
}

export interface ManualSend extends SendTime {
  readonly messageId: string;
}

const MINUTE_MS = 60_000;

interface Situation {
  readonly intro: IntroToMessage;
  readonly messages: readonly MessageRow[];
}

/** The lock makes a second click wait and then see the message of the first. */
async function readSituation(
  db: Queryable<Tables>,
  tenant: Tenant,
  introId: string,
  options: { lock: boolean },
): Promise<Situation> {
  const intro = ID_PATTERN.test(introId) ? await findIntroToMessage(db, tenant, introId, options) : undefined;
  if (intro === undefined) {
    throw new ApiError('not_found', 'No intro with this id in this organization and environment.');
  }
  return { intro, messages: await listIntroMessages(db, tenant, introId) };
}

function toSendTime(decision: Decision, now: Date): SendTime | ApiError {
  switch (decision.kind) {
    case 'send':
      return { dueAt: now, heldFor: null };
    case 'wait':
      return decision.heldFor === 'recording'
        ? new ApiError('intro_recorded', 'A video was just recorded. Wait until it is processed.')
        : { dueAt: decision.until, heldFor: decision.heldFor };
    case 'fail':
      return new ApiError('delivery_refused', DELIVERY_FAILURES[decision.code]);
    default:
      return new ApiError('delivery_refused', decision.message);
  }
}

const CLOSED: Readonly<Record<string, string>> = {
  cancelled: 'This intro was cancelled.',
  expired: 'This intro has expired.',
};

/** Why the intro does not have one of these statuses; null if it has. */
function explainStatus({ status }: IntroToMessage, allowed: readonly string[]): ApiError | null {
  if (allowed.includes(status)) return null;
  const closed = CLOSED[status];
  if (closed !== undefined) return new ApiError('intro_closed', closed);
  return status === 'requested'
    ? new ApiError('intro_not_ready', 'The video is not recorded yet.')
    : new ApiError('intro_recorded', 'The video is already recorded.');
}

const lastAcceptedAt = (messages: readonly MessageRow[]): Date | null =>
  messages.reduce<Date | null>(
    (last, { accepted_at: at }) => (at !== null && (last === null || at > last) ? at : last),
    null,
  );

function scheduleReminder({ intro, messages }: Situation, now: Date): SendTime | ApiError {
  const refusal = explainStatus(intro, ['requested']);
  if (refusal !== null) return refusal;
  const toMember = messages.filter(({ audience }) => audience === 'member');
  const isPending = toMember.some(
    ({ status, purpose, due_at }) =>
      status === 'sending' || (status === 'scheduled' && (purpose === 'remind_by_hand' || due_at <= now)),
  );
  if (isPending) return new ApiError('too_soon', 'A message to the member is already being sent.');
  const last = lastAcceptedAt(
    toMember.filter(({ purpose, round }) => purpose === 'remind_by_hand' || round === intro.link_generation),
  );
  const freeMs = (last?.getTime() ?? 0) + MANUAL_REMINDER_GAP_MS;
  if (freeMs > now.getTime()) {
    const minutes = Math.ceil((freeMs - now.getTime()) / MINUTE_MS);
    const message = `The member was notified less than an hour ago. Try again in ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
    return new ApiError('too_soon', message);
  }
  const decision = decideMemberMessage(
    {
      intro: { status: intro.status, expiresAt: intro.expires_at, isTakenDown: intro.taken_down_at !== null },
      isReminder: true,
      isReassigned: false,
      // A manager may still remind the member, who can change their mind.
      isDeclined: false,
      isUndeliverable: false,
      isActive: intro.active && intro.member_withdrawn_at === null,
      isTakeProcessing: intro.is_take_processing,
      timezone: intro.timezone,
      hours: hoursOf(intro),
    },
    now,
  );
  return toSendTime(decision, now);
}

function scheduleResend({ intro, messages }: Situation, now: Date, carriers: Carriers): SendTime | ApiError {
  if (intro.responsibility !== 'service') {
    return new ApiError('delivery_refused', 'Your own system delivers this intro. Copy its link to send it yourself.');
  }
  const refusal = explainStatus(intro, ['ready', 'sent']);
  if (refusal !== null) return refusal;
  if (intro.taken_down_at !== null) {
    return new ApiError('intro_closed', 'The page of this intro was taken down.');
  }
  const texts = messages.filter(({ audience }) => audience === 'recipient');
  if (texts.some(({ status }) => status === 'scheduled' || status === 'sending')) {
    return new ApiError('too_soon', 'The text is already scheduled or being sent.');
  }
  if (carriers.routeOfText(intro.recipient_phone, { hasOwnAccount: intro.has_own_account }) === 'none') {
    return new ApiError('delivery_refused', DELIVERY_FAILURES.no_text_provider);
  }
  // Texts without a touchpoint are not limited by number, so the intro's own texts count as well.
  const times = [lastAcceptedAt(texts), intro.last_text_at].filter((at) => at !== null);
  const lastTextAt = times.length === 0 ? null : new Date(Math.max(...times.map((at) => at.getTime())));
  return toSendTime(decideRecipientText(carriers, intro, { isResend: true, lastTextAt }, now), now);
}

type Schedule = (at: Situation, now: Date, carriers: Carriers) => SendTime | ApiError;

/** Members may send only this text themselves. The team decides about all others. */
const scheduleAnyway: Schedule = (at, now, carriers) =>
  at.intro.delivery_error_code === 'appointment_over'
    ? scheduleResend(at, now, carriers)
    : new ApiError('delivery_refused', 'This text is not waiting for you to send it.');

type MessageKind = { readonly audience: 'member' | 'recipient'; readonly purpose: 'remind_by_hand' | 'deliver' };

const REMINDER: MessageKind = { audience: 'member', purpose: 'remind_by_hand' };
const TEXT: MessageKind = { audience: 'recipient', purpose: 'deliver' };

function manualSend({ audience, purpose }: MessageKind, schedule: Schedule) {
  return async (
    { carriers }: { carriers: Carriers },
    tx: Transaction<Tables>,
    tenant: Tenant,
    introId: string,
    now: Date,
  ): Promise<ManualSend> => {
    const situation = await readSituation(tx, tenant, introId, { lock: true });
    const time = schedule(situation, now, carriers);
    if (time instanceof ApiError) throw time;
    const rounds = situation.messages.filter((message) => message.purpose === purpose).map(({ round }) => round);
    const id = newId('msg', now);
    const message = {
      organization_id: tenant.organizationId,
      environment: tenant.environment,
      id,
      intro_id: introId,
      audience,
      purpose,
      channel: audience === 'recipient' ? ('text' as const) : null,
      round: Math.max(0, ...rounds) + 1,
      // An opt-out finds waiting texts by their number.
      ...(audience === 'recipient' && { address: situation.intro.recipient_phone }),
      due_at: time.dueAt,
      created_at: now,
    };
    await insertMessages(tx, [message]);
    await notifyMessagesDue(tx);
    return { ...time, messageId: id };
  };
}

/** Reminds the member now or in the morning, at most once an hour. */
export const remindManually = manualSend(REMINDER, scheduleReminder);

/** Sends the recipient's text again, under the same rules as the first time. */
export const resendManually = manualSend(TEXT, scheduleResend);

/** Sends the text that the beginning of the appointment stopped. */
export const sendAnyway = manualSend(TEXT, scheduleAnyway);

/** Why each action is not possible now; null if it is possible. */
export async function checkManualSends(
  { carriers }: { carriers: Carriers },
  db: Queryable<Tables>,
  tenant: Tenant,
  introId: string,
  now: Date,
): Promise<{ remind: ApiError | null; resend: ApiError | null }> {
  const situation = await readSituation(db, tenant, introId, { lock: false });
  const refusalOf = (time: SendTime | ApiError) => (time instanceof ApiError ? time : null);
  return {
    remind: refusalOf(scheduleReminder(situation, now)),
    resend: refusalOf(scheduleResend(situation, now, carriers)),
  };
}

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
