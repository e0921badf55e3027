import { DELIVERY_FAILURES, type DeliveryFailureCode } from '@foreword/contract';
import type { Transaction } from 'kysely';
import { type IntroEvents, markUnreachable, moveToSentByService, setDeliveryError } from '../../intros/index.ts';
import { markBounced } from '../../members/index.ts';
import type { Tables, Tenant } from '../../tables.ts';
import type { DomainEvent } from '../../webhooks/index.ts';
import type { Accepted, LookupResult, Outcome, Report } from '../carriers/carrier.ts';
import type { AccountFault, NumberFault } from '../carriers/codes.ts';
import type { ConsentEvent, Consents } from '../consent/opt-outs.ts';
import {
  holdText,
  notifyOwners,
  probeWithAnother,
  releaseAfterAcceptance,
  releaseAfterDelivery,
  sendAgain,
} from '../holds/accounts.ts';
import { findAnomaly, isResumed } from '../limits/rules.ts';
import type { OwnerEmails } from '../owner-emails.ts';
import { flagNumber, releaseNumber, unflagNumber } from '../store/numbers.ts';
import { changeMessages, insertMessages, type MessageChange, type MessageRow, tenantOf } from '../store/queue.ts';
import { countFailure, pauseTexts, readLimits } from '../store/settings.ts';
import { onChannel } from './plan.ts';
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
export type PublishEvents = (tx: Transaction<Tables>, events: readonly DeliveryEvent[], now: Date) => Promise<void>;

type Change = Partial<MessageChange>;

interface Failure {
  readonly code: DeliveryFailureCode;
  readonly message: string;
}

/** Applies an outcome to the intro, the number and other messages, and returns the change of the message itself. */
export interface OutcomeHandler {
  /** `row.attempts` includes the attempt that has this outcome. */
  afterSend(tx: Transaction<Tables>, row: MessageRow, outcome: Outcome, now: Date): Promise<Change>;
  afterLookup(tx: Transaction<Tables>, row: MessageRow, result: LookupResult, now: Date): Promise<Change>;
  afterReport(tx: Transaction<Tables>, row: MessageRow, report: Report, now: Date): Promise<Change>;
  /** For a text that is never handed to a carrier. */
  afterGivingUp(tx: Transaction<Tables>, row: MessageRow, failure: Failure, now: Date): Promise<void>;
  /**
   * Stores the changes with what follows from them: the intros that are sent, and the members whom no message reached. False if another
   * worker changed one of the rows.
   */
  change(tx: Transaction<Tables>, changes: readonly RowChange[], now: Date): Promise<boolean>;
}

export interface RowChange {
  readonly row: MessageRow;
  readonly change: Change;
  /** The time on the clock of its organization, if it is not that of the batch. */
  readonly at?: Date;
}

/** A text to a member without a number is dropped. */
const NOT_SENT: readonly (string | undefined)[] = ['failed', 'undelivered', 'dropped'];

/** A missing provider is a problem of the whole installation, which the console and the doctor report. */
const NO_PROVIDER: readonly (string | null | undefined)[] = ['no_text_provider', 'no_email_provider'];

const isFailedRequest = ({ row, change }: RowChange): boolean =>
  row.audience === 'member' &&
  row.purpose === 'ask' &&
  NOT_SENT.includes(change.status) &&
  !NO_PROVIDER.includes(change.error_code);

const isDelivered = ({ row, change }: RowChange): boolean =>
  row.purpose === 'deliver' && change.status === 'accepted' && row.status !== 'accepted';

/** Marks the intros as sent whose text a carrier has accepted. */
async function markSent(
  publish: PublishEvents,
  tx: Transaction<Tables>,
  changes: readonly RowChange[],
  now: Date,
): Promise<void> {
  const sent = changes
    .filter(isDelivered)
    .map(({ row, at = now }) => ({ tenant: tenantOf(row), introId: row.intro_id, at }));
  const moved = await moveToSentByService(tx, sent);
  const events = sent.filter(({ introId }) => moved.has(introId));
  if (events.length > 0)
    await publish(
      tx,
      events.map((one) => ({ ...one, type: 'intro.sent' as const })),
      now,
    );
}

/** After the changes and the messages that replace failed ones are stored. */
async function reportUnreachable(
  publish: PublishEvents,
  tx: Transaction<Tables>,
  changes: readonly RowChange[],
  now: Date,
): Promise<void> {
  const failed = Map.groupBy(changes.filter(isFailedRequest), ({ row }) => row.organization_id);
  for (const rows of failed.values()) {
    const [{ row, at = now }] = rows as [RowChange];
    const tenant = tenantOf(row);
    const introIds = await markUnreachable(
      tx,
      tenant,
      rows.map((one) => one.row.intro_id),
    );
    const type = 'intro.member_unreachable';
    await publish(
      tx,
      introIds.map((introId) => ({ type, tenant, introId, at })),
      now,
    );
  }
}

interface Context {
  readonly publish: PublishEvents;
  readonly consents: Consents;
  readonly ownerEmails: OwnerEmails;
  readonly tx: Transaction<Tables>;
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
async function recordOptOut({ consents, tx, row, now }: Context, code: string | null): Promise<void> {
  if (code !== 'recipient_opted_out' || row.address === null || row.channel !== 'text') return;
  await consents.optOut(tx, tenantOf(row), { phone: row.address, source: 'carrier' }, now);
}

const isFault = (code: string): code is NumberFault => code === 'invalid_number' || code === 'unreachable_number';

/** Later texts to the recipient would fail as well. Test numbers fail every time they are asked to. */
async function flagRecipient({ tx, row, now }: Context, code: string): Promise<void> {
  const isRecipient = row.audience === 'recipient' && row.channel === 'text' && row.carrier !== 'simulated';
  if (!isRecipient || row.address === null || !isFault(code)) return;
  await flagNumber(tx, tenantOf(row), { phone: row.address, failure: code, at: now });
}

/** Members are always notified: if a text fails, they get an email at once. */
async function fallBackToEmail({ tx, row, now }: Context): Promise<void> {
  if (row.audience === 'member' && row.channel === 'text') await insertMessages(tx, [onChannel(row, 'email', now)]);
}

/** A text that failed before is not repeated. */
async function fallBackToText({ tx, row, now }: Context): Promise<void> {
  if (row.audience === 'member' && row.channel === 'email') await insertMessages(tx, [onChannel(row, 'text', now)]);
}

/** Marks the address, and texts the member instead. */
async function recordBounce(context: Context, { message }: Failure): Promise<void> {
  const { tx, row, now } = context;
  if (row.channel !== 'email' || row.address === null) return;
  await markBounced(tx, tenantOf(row), { address: row.address, reason: message, sentAt: now }, now);
  await fallBackToText(context);
}

/** Failures that say something about the numbers, not about the carrier or our account with it. */
const WRONG_NUMBERS: readonly string[] = ['invalid_number', 'unreachable_number', 'undelivered'];

/** Pauses the organization's texts once most of them fail. */
async function countWrongNumber({ tx, row, now, ownerEmails }: Context, code: string): Promise<void> {
  if (row.channel !== 'text' || row.carrier === 'simulated' || !WRONG_NUMBERS.includes(code)) return;
  const tenant = tenantOf(row);
  const count = await countFailure(tx, tenant, now);
  if (count === null) return;
  const limits = await readLimits(tx, tenant, count.day);
  const { busiest_day: busiestDay, texts_resumed_at: resumedAt, daily_texts: chosen } = limits;
  const reason = findAnomaly({ ...count, busiestDay, isLimitChosen: chosen !== null });
  if (reason === null || isResumed(resumedAt, now) || !(await pauseTexts(tx, tenant, reason, now))) return;
  await ownerEmails.notifyTextsPaused(tx, tenant, reason);
}

async function fail(context: Context, failure: Failure, fault?: AccountFault): Promise<Change> {
  const { tx, row, now } = context;
  if (fault !== undefined) await notifyOwners(context, { fault, message: failure.message, since: now, isHeld: false });
  await probeWithAnother(context);
  await failIntro(context, failure);
  await recordOptOut(context, failure.code);
  await flagRecipient(context, failure.code);
  // Without a text provider, the claim chose email already if that is connected.
  if (failure.code !== 'no_text_provider') await fallBackToEmail(context);
  if (failure.code !== 'unknown_outcome') await releaseNumber(tx, row);
  await countWrongNumber(context, failure.code);
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
  const { code, message, fault } = report;
  const held = await sendAgain(context, report);
  const failure = held ?? { code: code ?? 'undelivered', message: message ?? DELIVERY_FAILURES.undelivered };
  if (held === null) {
    const { now } = context;
    if (fault !== undefined)
      await notifyOwners(context, { fault, message: failure.message, since: now, isHeld: false });
    await probeWithAnother(context);
  }
  await failIntro(context, failure);
  await recordOptOut(context, code);
  await flagRecipient(context, failure.code);
  await fallBackToEmail(context);
  await fallBackToText(context);
  // A full queue says nothing about the number.
  if (report.again === undefined) await countWrongNumber(context, failure.code);
  return failure;
}

async function applyReport(context: Context, report: Report): Promise<Change> {
  const { tx, row, now } = context;
  if (report.status === 'undelivered') {
    const { code: error_code, message: error_message } = await applyUndelivered(context, report);
    return { status: 'undelivered', error_code, error_message, settled_at: now };
  }
  await releaseAfterDelivery(context);
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
  const works = await releaseAfterAcceptance(context);
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
        await fallBackToEmail(context);
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

export const createOutcomeHandler = (deps: Pick<Context, 'publish' | 'consents' | 'ownerEmails'>): OutcomeHandler => {
  return {
    afterSend: (tx, row, outcome, now) => applySend({ ...deps, tx, row, now }, outcome),
    afterLookup: (tx, row, result, now) => applyLookup({ ...deps, tx, row, now }, result),
    afterReport: (tx, row, report, now) => applyReport({ ...deps, tx, row, now }, report),
    afterGivingUp: (tx, row, failure, now) => failIntro({ ...deps, tx, row, now }, failure),
    async change(tx, changes, now) {
      if (!(await changeMessages(tx, changes))) return false;
      await markSent(deps.publish, tx, changes, now);
      await reportUnreachable(deps.publish, tx, changes, now);
      return true;
    },
  };
};

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
