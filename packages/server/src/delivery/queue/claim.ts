import { DELIVERY_FAILURES, NOTIFICATION_FAILURES } from '@foreword/contract';
import type { Transaction } from 'kysely';
import type { Links } from '../../links/index.ts';
import { type Clock, isTestTime, type TestTime } from '../../platform/clock.ts';
import type { Database } from '../../platform/db.ts';
import type { Logger } from '../../platform/log.ts';
import type { Channel, Tables, Tenant } from '../../tables.ts';
import { lockForStep } from '../../test-clock/index.ts';
import type { Outcome, Route } from '../carriers/carrier.ts';
import type { Carriers } from '../carriers/index.ts';
import { holdAccounts } from '../holds/accounts.ts';
import { holdLimited } from '../limits/limits.ts';
import { isCountryAllowed } from '../limits/rules.ts';
import type { OwnerEmails } from '../owner-emails.ts';
import { type DueMessage, type Turn, takeDue } from '../store/due.ts';
import { insertMessages, type MessageChange, type MessageRow, type NewMessage, tenantOf } from '../store/messages.ts';
import { claimNumbers, releaseNumber } from '../store/numbers.ts';
import { composeMessage, type OutgoingMessage } from '../wording/compose.ts';
import { appointmentOf, decide, requestedAtOf, routeOfText } from './decide.ts';
import { recipientHours } from './hours.ts';
import { hoursOf, onChannel, planReminder } from './plan.ts';
import type { OutcomeHandler } from './record.ts';
import {
  asTextLimit,
  channelsFor,
  type Decision,
  holdRecipientMessage,
  type LimitedText,
  QUESTION_MS,
  type TextLimit,
} from './rules.ts';

export interface ClaimDeps {
  readonly db: Database<Tables>;
  readonly clock: Clock;
  readonly links: Links;
  readonly carriers: Carriers;
  readonly outcomes: OutcomeHandler;
  readonly ownerEmails: OwnerEmails;
  readonly publicUrl: string;
  readonly log: Logger;
}

/** A claimed message. It is sent after the claim is committed, outside of any transaction. */
export interface ClaimedMessage {
  /** As the claim left it. */
  readonly row: MessageRow;
  readonly account: ReturnType<typeof accountOf>;
  /** Null: look up whether the carrier already has the message. */
  readonly message: OutgoingMessage | null;
}

export interface Claimed {
  readonly taken: number;
  readonly claimed: readonly ClaimedMessage[];
  /** Settled within the claim; for the metrics. */
  readonly settled: readonly MessageRow[];
  /** Why limits did not let texts through; for the metrics. */
  readonly limited: readonly TextLimit[];
}

/** Collects the writes of one transaction. */
interface Batch {
  readonly changes: { row: DueMessage; change: Partial<MessageChange> }[];
  readonly claimed: ClaimedMessage[];
  readonly planned: NewMessage[];
  /** Texts that find out whether an account works again. */
  readonly probes: Set<Sendable>;
  readonly now: Date;
}

const toSending = (row: DueMessage) => ({ status: 'sending' as const, attempts: row.attempts + 1 });

/** A text that waited for its account until the appointment did not fail because of the appointment. */
function explainFailure({ held_for: heldFor }: DueMessage, failure: Extract<Decision, { kind: 'fail' }>) {
  if (heldFor !== 'carrier_account' || failure.code !== 'appointment_over') return failure;
  return { kind: 'fail', code: 'carrier_account', message: DELIVERY_FAILURES.carrier_account } as const;
}

async function postponeOrDrop(
  { outcomes }: ClaimDeps,
  tx: Transaction<Tables>,
  row: DueMessage,
  decision: Exclude<Decision | LimitedText, { kind: 'send' }>,
  { changes, now }: Batch,
): Promise<void> {
  if (decision.kind === 'wait') {
    const { until, heldFor } = decision;
    const account = 'account' in decision ? decision.account : row.account;
    changes.push({ row, change: { due_at: until, held_for: heldFor, held_until: until, account } });
    return;
  }
  // The number may still be claimed by an earlier attempt that the carrier did not receive.
  await releaseNumber(tx, row);
  const reason = decision.kind === 'fail' ? explainFailure(row, decision) : decision;
  if (reason.kind === 'fail') await outcomes.afterGivingUp(tx, row, reason, now);
  const { code: error_code, message: error_message } = reason;
  changes.push({ row, change: { status: 'dropped', error_code, error_message, settled_at: now } });
}

/** Postpones a text that a limit or its account holds. A member gets an email instead. */
async function holdText(
  deps: ClaimDeps,
  tx: Transaction<Tables>,
  { row, address }: Sendable,
  hold: LimitedText,
  batch: Batch,
): Promise<void> {
  await releaseNumber(tx, { ...row, address, channel: 'text' });
  if (row.audience === 'member' && deps.carriers.routeOfEmail === 'provider' && !row.member_email_bounces) {
    batch.planned.push(onChannel(row, 'email', batch.now));
    const error_code = hold.heldFor === 'carrier_account' ? 'cannot_text' : hold.heldFor;
    batch.changes.push({ row, change: { status: 'dropped', error_code, settled_at: batch.now } });
    return;
  }
  // Only a text with a link is too late once the appointment begins.
  const appointment = row.purpose === 'deliver' ? appointmentOf(row) : null;
  const timezone = appointment?.timezone ?? row.timezone;
  const hours = recipientHours(row.recipient_phone, hoursOf(row), timezone);
  const about = { appointment, requestedAt: requestedAtOf(row), hours };
  await postponeOrDrop(deps, tx, row, row.audience === 'member' ? hold : holdRecipientMessage(about, hold), batch);
}

/** Returns the messages that may be sent now. */
async function selectSendable(
  deps: ClaimDeps,
  tx: Transaction<Tables>,
  rows: readonly DueMessage[],
  batch: Batch,
): Promise<Sendable[]> {
  const { changes, claimed, planned, now } = batch;
  const selected: Sendable[] = [];
  for (const row of rows) {
    if (row.in_doubt) {
      const change = toSending(row);
      changes.push({ row, change });
      claimed.push({ row: { ...row, ...change }, account: accountOf(row), message: null });
      continue;
    }
    const decision = decide(deps, row, now);
    if (decision.kind !== 'send') {
      await postponeOrDrop(deps, tx, row, decision, batch);
      // The reason, such as a deactivated member, may be gone by the next one.
      const isDropped = decision.kind === 'drop' && row.purpose === 'remind' && row.intro_status === 'requested';
      if (isDropped) planned.push(...planReminder(row, appointmentOf(row)?.startsAt ?? null, now));
      continue;
    }
    const { sendable, unsent, others } = chooseChannel(deps.carriers, row, now);
    planned.push(...others);
    if (sendable !== null) {
      selected.push(sendable);
      continue;
    }
    // The address may be correct by then.
    if (unsent.status === 'failed') planned.push(...planReminder(row, appointmentOf(row)?.startsAt ?? null, now));
    changes.push({ row, change: { ...unsent, settled_at: now } });
  }
  const { free, waiting, markProbes } = await checkAccounts(deps, tx, await claimFreeNumbers(tx, selected, now), now);
  const counted = free.filter((one) => !waiting.has(one) && isCounted(one, now));
  for (const [one, hold] of await holdLimited(deps.ownerEmails, tx, counted, now)) waiting.set(one, hold);
  for (const [one, hold] of waiting) await holdText(deps, tx, one, hold, batch);
  for (const probe of await markProbes((one) => !waiting.has(one))) batch.probes.add(probe);
  return free.filter((one) => !waiting.has(one));
}

/** Returns whether the message is already accepted. Without a provider, or on a test clock, it is settled within the claim. */
async function dispatch(
  deps: ClaimDeps,
  tx: Transaction<Tables>,
  sendable: Sendable,
  isFirst: boolean,
  { changes, claimed, planned, probes, now }: Batch,
): Promise<boolean> {
  const { row, channel, address, route } = sendable;
  const { carriers, outcomes } = deps;
  const appointment = appointmentOf(row);
  planned.push(...planReminder(row, appointment?.startsAt ?? null, now));
  const account = accountOf(row);
  const message = composeMessage(deps, { row, channel, address, isFirst, appointment });
  const by_own_account = channel === 'text' && account.sealed !== null;
  const isSimulated = isTestTime(now) && route !== 'simulation';
  const carrier = isSimulated ? 'simulated' : carriers.nameOf(channel, address, account);
  const isText = channel === 'text' && route === 'provider';
  const via = {
    ...{ channel, address, carrier, by_own_account },
    account: isText ? carriers.accountKeyOf(account) : null,
    ...(probes.has(sendable) && { held_for: 'carrier_account' as const }),
  };
  const sending = { ...toSending(row), ...message.stored, ...via };
  const sendingRow: MessageRow = { ...row, ...sending };
  if (route === 'provider' && !isSimulated) {
    changes.push({ row, change: sending });
    claimed.push({ row: sendingRow, account, message });
    return false;
  }
  const outcome = isSimulated ? outcomeOnTestClock(row) : await carriers.send(message, account);
  const change = { ...sending, ...(await outcomes.afterSend(tx, sendingRow, outcome, now)) };
  changes.push({ row, change });
  return change.status === 'accepted' || change.status === 'delivered';
}

/** Claims due messages in one transaction. */
export const claimDue = (deps: ClaimDeps, turns: readonly Turn[], step: TestStep | null): Promise<Claimed> =>
  deps.db.kysely.transaction().execute(async (tx) => {
    const { now, rows } = await take(deps, tx, turns, step);
    const batch: Batch = { changes: [], claimed: [], planned: [], probes: new Set(), now };
    const sendable = await selectSendable(deps, tx, rows, batch);
    // The notification of a reply has no link to the recorder.
    const toMembers = sendable.filter(({ row }) => row.audience === 'member' && row.purpose !== 'reply');
    await deps.links.activateRecord(
      tx,
      toMembers.map(({ row }) => ({ tenant: tenantOf(row), introId: row.intro_id, generation: row.link_generation })),
    );
    // Until one first text is accepted, all first texts to a number say how to opt out: any of them may be the one that arrives.
    const reached = new Set<string>();
    for (const one of sendable) {
      const number = `${one.row.organization_id} ${one.address}`;
      const isFirst = !one.row.is_known_number && !reached.has(number);
      if (await dispatch(deps, tx, one, isFirst, batch)) reached.add(number);
    }
    await insertMessages(tx, batch.planned);
    if (!(await deps.outcomes.change(tx, batch.changes, now))) throw new Error('a locked message changed');
    const changed = batch.changes.map(({ row, change }) => ({ ...row, ...change }));
    return {
      taken: rows.length,
      claimed: batch.claimed,
      settled: changed.filter(({ status }) => status !== 'sending' && status !== 'scheduled'),
      limited: batch.changes.flatMap(({ change }) => asTextLimit(change.error_code ?? change.held_for) ?? []),
    };
  });

/** Fails the first due message, which can be neither sent nor refused, so that it does not block the ones behind it. */
export const failFirst = (deps: ClaimDeps, turn: Turn, step: TestStep | null): Promise<void> =>
  deps.db.kysely.transaction().execute(async (tx) => {
    const { outcomes } = deps;
    const {
      now,
      rows: [row],
    } = await take(deps, tx, [turn], step);
    if (row === undefined) return;
    const code = 'carrier_refused';
    const failure = { code, message: 'The message could not be composed. Check its template.' } as const;
    if (row.audience === 'recipient') await outcomes.afterGivingUp(tx, row, failure, now);
    const change = { status: 'failed', error_code: code, error_message: failure.message, settled_at: now } as const;
    await outcomes.change(tx, [{ row, change }], now);
  });

/** A message with its channel and where it goes. */
export interface Sendable {
  readonly row: DueMessage;
  readonly channel: Channel;
  readonly address: string;
  readonly route: Route;
}

/** The account that sends a message. */
export const accountOf = (row: DueMessage) => ({
  organizationId: row.organization_id,
  sealed: row.twilio_account,
  usesFallback: row.uses_fallback,
});

/** Only texts with a link to recipients are limited to one per touchpoint and day; members get one for each intro. */
const touchpointOf = ({ audience, purpose, touchpoint_slug }: DueMessage): string =>
  audience === 'recipient' && purpose !== 'answer' ? (touchpoint_slug ?? '') : '';

const isPhoneTexted = ({ channel, route }: Sendable): boolean => channel === 'text' && route === 'provider';

/** Whether the daily limits count this text. On a test clock they count every text, for the days of that clock. */
const isCounted = (one: Sendable, now: Date): boolean =>
  isPhoneTexted(one) || (isTestTime(now) && one.channel === 'text');

/**
 * Whether this text delays others to its number. On a test clock, only those to test numbers do: no other text is sent, and the
 * time of the last real one must survive.
 */
const claimsNumber = (one: Sendable, now: Date): boolean =>
  isTestTime(now) ? one.channel === 'text' && one.route === 'simulation' : isPhoneTexted(one);

/** Sends only the first of several texts of a touchpoint to one number; the others stay scheduled. */
async function claimFreeNumbers(
  tx: Transaction<Tables>,
  sendable: readonly Sendable[],
  now: Date,
): Promise<Sendable[]> {
  const first = new Map<string, Sendable>();
  for (const one of sendable.filter((text) => claimsNumber(text, now))) {
    const key = JSON.stringify([one.row.organization_id, one.row.environment, one.address, touchpointOf(one.row)]);
    if (!first.has(key)) first.set(key, one);
  }
  const claims = [...first.values()].map(({ row, address }) => ({
    organization_id: row.organization_id,
    environment: row.environment,
    phone: address,
    touchpoint: touchpointOf(row),
    message_id: row.id,
  }));
  const free = await claimNumbers(tx, claims, now);
  return sendable.filter((one) => !claimsNumber(one, now) || touchpointOf(one.row) === '' || free.has(one.row.id));
}

export interface ChosenChannel {
  /** Null: it is not sent on this channel, because of `unsent`. */
  readonly sendable: Sendable | null;
  readonly unsent: Partial<MessageChange>;
  /** Copies for further channels. */
  readonly others: readonly NewMessage[];
}

const CANNOT_TEXT = { status: 'dropped', error_code: 'cannot_text' } as const;
const EMAIL_BOUNCES = {
  status: 'failed',
  channel: 'email',
  error_code: 'email_bounces',
  error_message: NOTIFICATION_FAILURES.email_bounces,
} as const;

function chooseChannel(carriers: Carriers, row: DueMessage, now: Date): ChosenChannel {
  const { recipient_phone, member_phone, member_email: address, member_email_bounces: bounces } = row;
  const toText = (to: string): Sendable => ({
    ...{ row, channel: 'text', address: to },
    route: routeOfText(carriers, row, to),
  });
  if (row.audience === 'recipient') return { sendable: toText(recipient_phone), unsent: {}, others: [] };
  const { routeOfEmail } = carriers;
  const isAsked = row.asked_at !== null && now.getTime() - row.asked_at.getTime() < QUESTION_MS;
  const text = member_phone === null || row.is_opted_out || isAsked ? null : toText(member_phone);
  const isTextable = text !== null && (!isPhoneTexted(text) || isCountryAllowed(text.address, row));
  // An email that is sent is better than a text that is only stored.
  const canText = isTextable && (text.route !== 'none' || routeOfEmail === 'none');
  if (row.channel === 'text' && !canText)
    return { sendable: null, unsent: CANNOT_TEXT, others: [onChannel(row, 'email', now)] };
  const chosen = channelsFor(row.notify_by, { canText, canEmail: !bounces });
  const [channel, ...rest] = row.channel === null ? chosen : [row.channel];
  const others = rest.map((other) => onChannel(row, other, now));
  if (channel === 'text' && text !== null) return { sendable: text, unsent: {}, others };
  if (bounces) return { sendable: null, unsent: { ...EMAIL_BOUNCES, address }, others };
  return { sendable: { row, channel: 'email', address, route: routeOfEmail }, unsent: {}, others };
}

interface Deps {
  readonly carriers: Carriers;
  readonly ownerEmails: OwnerEmails;
}

interface CheckedTexts {
  readonly free: readonly Sendable[];
  /** Texts that wait because their account cannot send. */
  readonly waiting: Map<Sendable, LimitedText>;
  markProbes(isSent: (one: Sendable) => boolean): Promise<readonly Sendable[]>;
}

/** The second carrier may only get a text that the first one certainly did not send. */
const mayFailOver = ({ carriers }: Deps, { row }: Sendable): boolean =>
  carriers.hasFallback && row.twilio_account === null && !row.uses_fallback && row.unsent_attempts === row.attempts;

async function hold(deps: Deps, tx: Transaction<Tables>, texts: readonly Sendable[], now: Date) {
  const toAccountText = (sendable: Sendable) => {
    const account = accountOf(sendable.row);
    const isOwnAccount = account.sealed !== null;
    return { sendable, row: sendable.row, account: deps.carriers.accountKeyOf(account), isOwnAccount };
  };
  const onPhones = texts.filter((one) => isPhoneTexted(one) && !isTestTime(now)).map(toAccountText);
  return holdAccounts(deps.ownerEmails, tx, onPhones, now);
}

/** Finds the texts whose account cannot send. The second carrier sends them, if there is one that works. */
async function checkAccounts(
  deps: Deps,
  tx: Transaction<Tables>,
  texts: readonly Sendable[],
  now: Date,
): Promise<CheckedTexts> {
  const first = await hold(deps, tx, texts, now);
  const waiting = new Map([...first.held].map(([{ sendable }, limit]) => [sendable, limit]));
  const moved = new Map(
    [...waiting.keys()]
      .filter((one) => mayFailOver(deps, one))
      .map((one) => [one, { ...one, row: { ...one.row, uses_fallback: true } }]),
  );
  const second = await hold(deps, tx, [...moved.values()], now);
  const isHeldAgain = new Set([...second.held.keys()].map(({ sendable }) => sendable));
  for (const [one, other] of moved) {
    if (isHeldAgain.has(other)) moved.delete(one);
    else waiting.delete(one);
  }
  return {
    free: texts.map((one) => moved.get(one) ?? one),
    waiting,
    async markProbes(isSent) {
      const isProbeSent = ({ sendable }: { sendable: Sendable }) => isSent(sendable);
      const marked = [...(await first.markProbes(isProbeSent)), ...(await second.markProbes(isProbeSent))];
      return marked.map(({ sendable }) => sendable);
    },
  };
}

/** One organization at a time on its test clock. */
export interface TestStep {
  readonly tenant: Tenant;
  readonly now: TestTime;
}

/** The lock of the clock makes workers take turns, and keeps a reset from happening in between. */
async function take(
  deps: { readonly clock: Clock },
  tx: Transaction<Tables>,
  turns: readonly Turn[],
  step: TestStep | null,
) {
  const now = step?.now ?? deps.clock();
  const isTaking = step === null || (await lockForStep(tx, step.tenant));
  return { now, rows: isTaking ? await takeDue(tx, now, turns) : [] };
}

/**
 * Nothing leaves the service while the clock of an organization is ahead. Messages to members count as sent, so that tests see
 * their reminders; a recipient with a real number got nothing.
 */
const outcomeOnTestClock = ({ audience }: DueMessage): Outcome =>
  audience === 'member'
    ? { kind: 'accepted', carrierId: null }
    : { kind: 'refused', code: 'test_clock', message: DELIVERY_FAILURES.test_clock };
