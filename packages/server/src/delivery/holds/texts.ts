import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import { findIntro, readAppointment } from '../../intros/index.ts';
import type { Outcome, Report } from '../carriers/carrier.ts';
import { insertResend, type MessageChange, tenantOf } from '../store/messages.ts';
import { releaseNumber } from '../store/numbers.ts';
import { type HoldContext, holdAccount } from './accounts.ts';
import { resendAt } from './rules.ts';

type IntroContext = { appointment: { starts_at: string; timezone: string } | null } | null;

/** A text that is too late is not left waiting. */
async function endBeforeAppointment({ tx, row, now }: HoldContext, until: Date): Promise<Date> {
  const intro = row.purpose === 'deliver' ? await findIntro(tx, tenantOf(row), row.intro_id) : null;
  const appointment = readAppointment((intro?.context as IntroContext)?.appointment ?? undefined);
  return appointment !== null && appointment.startsAt > now && appointment.startsAt < until
    ? appointment.startsAt
    : until;
}

/** The account cannot send: the text waits for it, and does not lose an attempt. */
export async function holdText(
  context: HoldContext,
  { fault, message, mayFailOver }: Extract<Outcome, { kind: 'unusable' }>,
): Promise<Partial<MessageChange>> {
  const { tx, row } = context;
  const next = await holdAccount(context, { fault, message, isReported: false });
  const until = await endBeforeAppointment(context, next);
  await releaseNumber(tx, row);
  return {
    status: 'scheduled',
    due_at: until,
    held_for: 'carrier_account',
    held_until: until,
    held_attempts: row.held_attempts + 1,
    unsent_attempts: row.unsent_attempts + 1,
    // Both carriers failed: after the pause, the first one comes first again.
    ...(mayFailOver === true && { uses_fallback: false }),
    in_doubt: false,
    error_code: null,
    error_message: message,
  };
}

/**
 * The carrier did not deliver a text that it had accepted, but another one can arrive. The new text has its own row, so that reports
 * about the old one still find it. One that was sent manually in the meantime has the same round, and replaces it. Returns
 * why the old text failed, if its account is at fault.
 */
export async function sendAgain(
  context: HoldContext,
  { again, fault, message }: Report,
): Promise<{ code: DeliveryFailureCode; message: string } | null> {
  const { tx, row, now } = context;
  if (again === undefined || row.channel !== 'text' || row.account === null) return null;
  if (again === 'retry') {
    const dueAt = resendAt(row.resends, now);
    if (dueAt === null || row.purpose !== 'deliver') return null;
    await releaseNumber(tx, row);
    await insertResend(tx, row, { dueAt, heldFor: null, now });
    return null;
  }
  await holdAccount(context, { fault: fault ?? 'credentials', message: message ?? '', isReported: true });
  await releaseNumber(tx, row);
  // Its claim decides until when it waits, or gives it to the second carrier.
  if (row.purpose === 'deliver') await insertResend(tx, row, { dueAt: now, heldFor: 'carrier_account', now });
  return { code: 'carrier_account', message: `${DELIVERY_FAILURES.carrier_account} (${message ?? ''})` };
}
