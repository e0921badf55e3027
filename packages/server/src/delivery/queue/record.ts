import { DELIVERY_FAILURES, type DeliveryFailureCode, NO_PROVIDER } from '@foreword/contract';
import { type Row, type Tenant, type Tx, tenantOf } from '../../db/tenancy.ts';
import { type IntroEvents, markUnreachable, moveToSentByService, setDeliveryError } from '../../intros/index.ts';
import { markBounced } from '../../members/index.ts';
import type { DomainEvent } from '../../webhooks/index.ts';
import type { Accepted, LookupResult, Outcome, Report } from '../carriers/carrier.ts';
import type { AccountFault, NumberFault } from '../carriers/codes.ts';
import type { ConsentEvent, Consents } from '../consents.ts';
import type { OwnerEmails } from '../owner-emails.ts';
import { probeAgain } from '../store/holds.ts';
import { flagNumber, releaseNumber, unflagNumber } from '../store/limits.ts';
import { changeMessages, insertMessages, type MessageChange, type MessageRow, onChannel } from '../store/queue.ts';
import { holdText, notifyOwners, releaseHold, sendAgain } from './holds.ts';
import { countWrongNumber } from './limits.ts';
import { retryAt } from './rules.ts';

export type DeliveryEvent =
  | {
      readonly type: 'intro.sent' | 'intro.delivery_failed' | 'intro.member_unreachable';
      readonly tenant: Tenant;
      readonly introId: string;
      /** The time of the change, if it is not that of the batch. */
      readonly at?: Date;
    }
  | ConsentEvent;

/** Publishes in the transaction of the change. */
export type PublishEvents = (tx: Tx, events: readonly DeliveryEvent[], now: Date) => Promise<void>;

interface Deps {
  readonly publish: PublishEvents;
  readonly consents: Consents;
  readonly ownerEmails: OwnerEmails;
}

type Change = Partial<MessageChange>;

interface Failure {
  readonly code: DeliveryFailureCode;
  readonly message: string;
}

export interface RowChange {
  readonly row: MessageRow;
  readonly change: Change;
  /** The time on the clock of its organization, if it is not that of the batch. */
  readonly at?: Date;
  /** The message is not stored yet. */
  readonly isNew?: boolean;
}

/** A text to a member without a number is dropped. */
const NOT_SENT: readonly (string | undefined)[] = ['failed', 'undelivered', 'dropped'];

const isFailedRequest = ({ row, change }: RowChange): boolean =>
  row.audience === 'member' &&
  row.purpose === 'ask' &&
  NOT_SENT.includes(change.status) &&
  !NO_PROVIDER.includes(change.error_code);

const isDelivered = ({ row, change }: RowChange): boolean =>
  row.purpose === 'deliver' && change.status === 'accepted' && row.status !== 'accepted';

/** Marks the intros as sent whose text a carrier has accepted. */
async function markSent({ publish }: Deps, tx: Tx, changes: readonly RowChange[], now: Date) {
  const sent = changes
    .filter(isDelivered)
    .map(({ row, at = now }) => ({ type: 'intro.sent' as const, tenant: tenantOf(row), introId: row.intro_id, at }));
  const moved = await moveToSentByService(tx, sent);
  const events = sent.filter(({ introId }) => moved.has(introId));
  if (events.length > 0) await publish(tx, events, now);
}

/** After the changes and the messages that replace failed ones are stored. */
async function reportUnreachable({ publish }: Deps, tx: Tx, changes: readonly RowChange[], now: Date) {
  const failed = Map.groupBy(changes.filter(isFailedRequest), ({ row }) => row.organization_id);
  for (const rows of failed.values()) {
    const [{ row, at = now }] = rows as [RowChange];
    const tenant = tenantOf(row);
    const ids = rows.map((one) => one.row.intro_id);
    const introIds = await markUnreachable(tx, tenant, ids);
    const type = 'intro.member_unreachable';
    const events = introIds.map((introId) => ({ type, tenant, introId, at }) as const);
    await publish(tx, events, now);
  }
}

interface Context extends Deps {
  readonly tx: Tx;
  readonly row: MessageRow;
  readonly now: Date;
}

const UNKNOWN_OUTCOME = { code: 'unknown_outcome', message: DELIVERY_FAILURES.unknown_outcome } as const;

async function failIntro({ publish, tx, row, now }: Context, failure: Failure): Promise<void> {
  const tenant = tenantOf(row);
  if (row.purpose === 'deliver' && (await setDeliveryError(tx, tenant, row.intro_id, failure))) {
    await publish(tx, [{ type: 'intro.delivery_failed', tenant, introId: row.intro_id }], now);
  }
}

/** The carrier knows of a STOP that we did not receive. */
async function recordOptOut({ consents, tx, row, now }: Context, code: string): Promise<void> {
  if (code !== 'recipient_opted_out' || row.address === null || row.channel !== 'text') return;
  await consents.optOut(tx, tenantOf(row), { phone: row.address, source: 'carrier' }, now);
}

const isFault = (code: string): code is NumberFault => code === 'invalid_number' || code === 'unreachable_number';

/** Later texts to the recipient would fail as well. Test numbers fail every time they are asked to. */
async function flagRecipient({ tx, row, now }: Context, code: string): Promise<void> {
  const isRecipient = row.audience === 'recipient' && row.channel === 'text' && row.carrier !== 'simulated';
  if (!isRecipient || row.address === null || !isFault(code)) return;
  await flagNumber(tx, tenantOf(row), row.address, code, now);
}

/** Members are always notified: if their message on this channel fails, they get it on the other one, which is not repeated. */
async function fallBackFrom(
  { tx, row, now }: Context,
  channel: NonNullable<Row<'all_messages'>['channel']>,
): Promise<void> {
  if (row.audience !== 'member' || row.channel !== channel) return;
  await insertMessages(tx, [onChannel(row, channel === 'text' ? 'email' : 'text', now)]);
}

/** Marks the address, and texts the member instead. */
async function recordBounce(context: Context, { message }: Failure): Promise<void> {
  const { tx, row, now } = context;
  if (row.channel !== 'email' || row.address === null) return;
  await markBounced(tx, tenantOf(row), { address: row.address, reason: message, sentAt: now }, now);
  await fallBackFrom(context, 'email');
}

/** Failures that say something about the numbers, not about the carrier or our account with it. */
const WRONG_NUMBERS: readonly string[] = ['invalid_number', 'unreachable_number', 'undelivered'];

async function countIfWrongNumber({ tx, row, now, ownerEmails }: Context, code: string): Promise<void> {
  if (row.channel !== 'text' || row.carrier === 'simulated' || !WRONG_NUMBERS.includes(code)) return;
  await countWrongNumber(ownerEmails, tx, tenantOf(row), now);
}

/** Reports the fault of the account. Without one, the text failed for a reason of its own. */
async function reportFault(context: Context, { message }: Failure, fault?: AccountFault): Promise<void> {
  if (fault !== undefined) await notifyOwners(context, { fault, message, since: context.now, isHeld: false });
  // If it was a probe, the next text is one.
  if (context.row.held_for === 'carrier_account') await probeAgain(context.tx, context.row, context.now);
}

/** Updates the intro and the recipient's number after a failure. */
async function applyFailure(context: Context, failure: Failure): Promise<void> {
  await failIntro(context, failure);
  await recordOptOut(context, failure.code);
  await flagRecipient(context, failure.code);
}

async function fail(context: Context, failure: Failure, fault?: AccountFault): Promise<Change> {
  const { tx, row, now } = context;
  await reportFault(context, failure, fault);
  await applyFailure(context, failure);
  // Without a text provider, the claim chose email already if that is connected.
  if (failure.code !== 'no_text_provider') await fallBackFrom(context, 'text');
  if (failure.code !== 'unknown_outcome') await releaseNumber(tx, row);
  await countIfWrongNumber(context, failure.code);
  const { code: error_code, message: error_message } = failure;
  return { status: 'failed', in_doubt: false, error_code, error_message, settled_at: now };
}

async function retry(
  context: Context,
  fault: { message: string; retryAfterS?: number | undefined; mayFailOver?: boolean; inDoubt: boolean },
): Promise<Change> {
  const { tx, row, now } = context;
  const next = retryAt(row.attempts - row.held_attempts, now, fault.retryAfterS);
  if (next === null) {
    if (fault.inDoubt) return fail(context, UNKNOWN_OUTCOME);
    const message = `${DELIVERY_FAILURES.carrier_unavailable} (${fault.message})`;
    return fail(context, { code: 'carrier_unavailable', message });
  }
  const { inDoubt: in_doubt, message: error_message } = fault;
  // Its intro may be cancelled while it waits; another text to the number should not wait for it.
  if (!in_doubt) await releaseNumber(tx, row);
  const unsent = in_doubt ? {} : { unsent_attempts: row.unsent_attempts + 1 };
  return {
    ...{ status: 'scheduled', due_at: next, in_doubt, error_code: null, error_message, ...unsent },
    // Both carriers failed: after the pause, the first one comes first again.
    ...(fault.mayFailOver === true && { uses_fallback: false }),
  };
}

/**
 * Gives the message to the second carrier at once. Null if any earlier attempt may have sent it: two carriers do not know of
 * each other's messages.
 */
async function failOver({ tx, row, now }: Context, fault: Extract<Outcome, { kind: 'unusable' | 'later' }>) {
  const unsent_attempts = row.unsent_attempts + 1;
  if (fault.mayFailOver !== true || row.uses_fallback || unsent_attempts !== row.attempts) return null;
  await releaseNumber(tx, row);
  const error_message = fault.message;
  return { status: 'scheduled', due_at: now, unsent_attempts, uses_fallback: true, error_message } satisfies Change;
}

async function applyUndelivered(context: Context, report: Report): Promise<Failure> {
  const held = await sendAgain(context, report);
  const { code, message, fault } = report;
  const failure = held ?? { code: code ?? 'undelivered', message: message ?? DELIVERY_FAILURES.undelivered };
  if (held === null) await reportFault(context, failure, fault);
  await applyFailure(context, failure);
  await fallBackFrom(context, 'text');
  await fallBackFrom(context, 'email');
  // A full queue says nothing about the number.
  if (report.again === undefined) await countIfWrongNumber(context, failure.code);
  return failure;
}

async function applyReport(context: Context, report: Report): Promise<Change> {
  const { tx, row, now } = context;
  if (report.status === 'undelivered') {
    const { code: error_code, message: error_message } = await applyUndelivered(context, report);
    return { status: 'undelivered', error_code, error_message, settled_at: now };
  }
  await releaseHold(context, 'delivered');
  if (row.purpose === 'deliver') await setDeliveryError(tx, tenantOf(row), row.intro_id, null);
  if (row.channel === 'text' && row.address !== null) await unflagNumber(tx, tenantOf(row), row.address);
  return { status: 'delivered', error_code: null, error_message: null, settled_at: now };
}

async function accept(context: Context, { carrierId, report = null }: Accepted): Promise<Change> {
  const { publish, tx, row, now } = context;
  const tenant = tenantOf(row);
  // Without a report, `change` marks all intros of a batch at once.
  if (row.purpose === 'deliver' && report !== null) {
    const moved = await moveToSentByService(tx, [{ tenant, introId: row.intro_id, at: now }]);
    if (moved.size > 0) await publish(tx, [{ type: 'intro.sent', tenant, introId: row.intro_id }], now);
  }
  const works = await releaseHold(context, 'accepted');
  // The text was planned because the one before it did not arrive.
  if (works && row.resends > 0) await setDeliveryError(tx, tenant, row.intro_id, null);
  const accepted: Change = {
    status: 'accepted',
    in_doubt: false,
    carrier_id: carrierId,
    accepted_at: now,
    error_code: null,
    error_message: null,
    settled_at: null,
  };
  return report === null ? accepted : { ...accepted, ...(await applyReport(context, report)) };
}

async function applySend(context: Context, outcome: Outcome): Promise<Change> {
  switch (outcome.kind) {
    case 'accepted':
      return accept(context, outcome);
    case 'refused':
      if (outcome.isAddressWrong === true) await recordBounce(context, outcome);
      return fail(context, outcome, outcome.fault);
    case 'doubt':
      return retry(context, { ...outcome, inDoubt: true });
    default: {
      const failedOver = await failOver(context, outcome);
      if (failedOver !== null) return failedOver;
      // The account may stay broken for long. If the text is sent after all, it serves as a reminder or is dropped.
      if (outcome.kind === 'unusable') {
        await fallBackFrom(context, 'text');
        if (context.row.channel === 'text') return holdText(context, outcome);
      }
      return retry(context, { ...outcome, inDoubt: false });
    }
  }
}

async function applyLookup(context: Context, result: LookupResult): Promise<Change> {
  switch (result.kind) {
    case 'accepted':
      return accept(context, result);
    case 'absent':
      // Sent again after all checks. It keeps its number, because the carrier may still report the first attempt.
      return { status: 'scheduled', in_doubt: false, due_at: context.now };
    case 'later':
      return retry(context, { ...result, inDoubt: true });
    default:
      return fail(context, UNKNOWN_OUTCOME);
  }
}

export type OutcomeHandler = ReturnType<typeof createOutcomeHandler>;

/** Applies an outcome to the intro, the number and other messages, and returns the change of the message itself. */
export const createOutcomeHandler = (deps: Deps) => ({
  /** `row.attempts` includes the attempt that has this outcome. */
  afterSend: (tx: Tx, row: MessageRow, outcome: Outcome, now: Date) => applySend({ ...deps, tx, row, now }, outcome),
  afterLookup: (tx: Tx, row: MessageRow, result: LookupResult, now: Date) =>
    applyLookup({ ...deps, tx, row, now }, result),
  afterReport: (tx: Tx, row: MessageRow, report: Report, now: Date) => applyReport({ ...deps, tx, row, now }, report),
  /** For a text that is never handed to a carrier. */
  afterGivingUp: (tx: Tx, row: MessageRow, failure: Failure, now: Date) =>
    failIntro({ ...deps, tx, row, now }, failure),
  /**
   * Stores the changes with what follows from them: the intros that are sent, and the members whom no message reached. False if another
   * worker changed one of the rows.
   */
  async change(tx: Tx, changes: readonly RowChange[], now: Date): Promise<boolean> {
    if (!(await changeMessages(tx, changes))) return false;
    await markSent(deps, tx, changes, now);
    await reportUnreachable(deps, tx, changes, now);
    return true;
  },
});

const toDomainEvent = ({ tenant, type, phone, source, at }: ConsentEvent): DomainEvent => ({
  tenant,
  type,
  data: () => ({
    object: 'recipient',
    phone,
    source,
    [type === 'recipient.opted_out' ? 'opted_out_at' : 'opted_in_at']: at.toISOString(),
  }),
});

/** Publishes delivery's events as webhooks. */
export const createEventPublisher =
  (introEvents: IntroEvents): PublishEvents =>
  (tx, events, now) =>
    introEvents.publishAll(
      tx,
      events.map((event) => ('introId' in event ? introEvents.toDomainEvent(event) : toDomainEvent(event))),
      now,
    );
