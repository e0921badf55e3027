import { DELIVERY_FAILURES, NOTIFICATION_FAILURES } from '@foreword/contract';
import type { Services } from '../../app/services.ts';
import { isTransient } from '../../db/pools.ts';
import { type Tenant, type Tx, tenantOf, withSavepoint } from '../../db/tenancy.ts';
import type { CreatedIntro } from '../../intros/index.ts';
import { isTestTime, monotonicMs, type TestTime } from '../../platform/clock.ts';
import { lockForStep } from '../../testing/clock/index.ts';
import type { Outcome } from '../carriers/carrier.ts';
import type { Carriers } from '../carriers/index.ts';
import type { OwnerEmails } from '../owner-emails.ts';
import { type MessageContext, readContexts, toContextIntro } from '../store/context.ts';
import { claimNumbers, releaseNumber } from '../store/limits.ts';
import {
  type DueMessage,
  insertMessages,
  isQueued,
  type MessageChange,
  type MessageRow,
  type NewMessage,
  NO_STEP,
  notifyMessagesDue,
  onChannel,
  type Turn,
  takeDue,
  toFirstMessage,
} from '../store/queue.ts';
import { composeMessage, type OutgoingMessage } from '../wording/texts.ts';
import { chooseChannel, decide, decideHeld, nextStep, type Via } from './decide.ts';
import { holdAccounts } from './holds.ts';
import { holdLimited } from './limits.ts';
import type { OutcomeHandler } from './record.ts';
import { asTextLimit, type Decision, type LimitedText, type TextLimit } from './rules.ts';

export interface ClaimDeps extends Pick<Services, 'db' | 'clock' | 'links' | 'publicUrl' | 'log'> {
  readonly carriers: Carriers;
  readonly outcomes: OutcomeHandler;
  readonly ownerEmails: OwnerEmails;
}

/** One organization at a time on its test clock. */
export interface TestStep {
  readonly tenant: Tenant;
  readonly now: TestTime;
}

/** A claimed message. It is sent after the claim is committed, outside of any transaction. */
export interface ClaimedMessage {
  /** As the claim left it. */
  readonly row: MessageRow;
  readonly account: ReturnType<typeof accountOf>;
  /** Null: look up whether the carrier already has the message. */
  readonly message: OutgoingMessage | null;
  /** An earlier worker claimed it and never reported back. */
  readonly isAbandoned: boolean;
  /** Read before the claim was committed. */
  readonly claimedMs: number;
}

export interface Claimed {
  readonly taken: number;
  readonly claimed: readonly ClaimedMessage[];
  /** Settled within the claim; for the metrics. */
  readonly settled: readonly MessageRow[];
  /** Why limits did not let texts through; for the metrics. */
  readonly limited: readonly TextLimit[];
}

/** A message with its channel and where it goes. */
interface Sendable extends Via {
  readonly context: MessageContext;
  readonly usesFallback: boolean;
}

/** Collects the writes of one transaction. */
interface Batch {
  readonly tx: Tx;
  readonly now: Date;
  readonly changes: { row: DueMessage; change: Partial<MessageChange> }[];
  readonly claimed: ClaimedMessage[];
  readonly planned: NewMessage[];
  /** For messages that are not stored yet: how many of each organization may be handed to carriers. */
  readonly slots?: Map<string, number>;
}

/** The account that sends a message. */
const accountOf = ({ message, organization }: MessageContext, usesFallback = message.uses_fallback) => ({
  organizationId: message.organization_id,
  sealed: organization.twilio_account,
  usesFallback,
});

const isPhoneTexted = ({ channel, route }: Via): boolean => channel === 'text' && route === 'provider';

/** The lock of the clock makes workers take turns, and keeps a reset from happening in between. */
async function take(deps: ClaimDeps, tx: Tx, turns: readonly Turn[], step: TestStep | null) {
  const now = step?.now ?? deps.clock();
  const isTaking = step === null || (await lockForStep(tx, step.tenant));
  return { now, rows: isTaking ? await takeDue(tx, now, turns) : [] };
}

/** A text that waited for its account until the appointment did not fail because of the appointment. */
function explainFailure({ held_for: heldFor }: DueMessage, failure: Extract<Decision, { kind: 'fail' }>) {
  if (heldFor !== 'carrier_account' || failure.code !== 'appointment_over') return failure;
  return { kind: 'fail', code: 'carrier_account', message: DELIVERY_FAILURES.carrier_account } as const;
}

async function postponeOrDrop(
  { outcomes }: ClaimDeps,
  context: MessageContext,
  decision: Exclude<Decision | LimitedText, { kind: 'send' }>,
  { tx, changes, now }: Batch,
): Promise<void> {
  const { message: row, intro } = context;
  if (decision.kind === 'wait') {
    const { until, heldFor } = decision;
    const account = 'account' in decision ? decision.account : row.account;
    const waiting = { status: 'scheduled', due_at: until, held_for: heldFor, held_until: until, account } as const;
    changes.push({ row, change: waiting });
    return;
  }
  // The number may still be claimed by an earlier attempt that the carrier did not receive.
  await releaseNumber(tx, row);
  const reason = decision.kind === 'fail' ? explainFailure(row, decision) : decision;
  if (reason.kind === 'fail') await outcomes.afterGivingUp(tx, row, reason, now);
  const { code: error_code, message: error_message } = reason;
  // The reason, such as a deactivated member, may be gone by the next reminder.
  const isReminded = row.purpose === 'remind' && intro.status === 'requested';
  const next = isReminded ? nextStep(context, now) : NO_STEP;
  changes.push({ row, change: { status: 'dropped', error_code, error_message, settled_at: now, ...next } });
}

/** The messages that may be sent as far as their own context says. A message in doubt is claimed to be looked up. */
async function selectMessages(deps: ClaimDeps, contexts: readonly MessageContext[], batch: Batch): Promise<Sendable[]> {
  const { changes, claimed, planned, now } = batch;
  const selected: Sendable[] = [];
  for (const context of contexts) {
    const { message: row, member } = context;
    const decision: Decision | 'look up' = row.in_doubt ? 'look up' : decide(context, now);
    if (decision === 'look up') {
      const change = {
        status: 'sending',
        in_doubt: true,
        attempts: row.attempts + 1,
        ...nextStep(context, now),
      } as const;
      changes.push({ row, change });
      // A test clock is moved only once its worker has ended.
      const isAbandoned = row.status === 'sending' && !isTestTime(now);
      const lookup = { row: { ...row, ...change }, account: accountOf(context), message: null } as const;
      claimed.push({ ...lookup, isAbandoned, claimedMs: monotonicMs() });
      continue;
    }
    if (decision.kind !== 'send') {
      await postponeOrDrop(deps, context, decision, batch);
      continue;
    }
    const { via, copies } = chooseChannel(context, now);
    planned.push(...copies.map((channel) => onChannel(row, channel, now)));
    if (via === 'cannot_text') {
      changes.push({ row, change: { status: 'dropped', error_code: via, settled_at: now, ...nextStep(context, now) } });
    } else if (via === 'email_bounces') {
      const failed = { status: 'failed', channel: 'email', address: member.email, settled_at: now } as const;
      const error = { error_code: via, error_message: NOTIFICATION_FAILURES.email_bounces };
      // The address may be correct by the next reminder.
      changes.push({ row, change: { ...failed, ...error, ...nextStep(context, now) } });
    } else {
      selected.push({ ...via, context, usesFallback: row.uses_fallback });
    }
  }
  return selected;
}

/** Leaves messages in the queue for which no slot is free. */
function leaveWaiting(selected: readonly Sendable[], { slots, changes }: Batch): readonly Sendable[] {
  if (slots === undefined) return selected;
  return selected.filter(({ route, context: { message: row } }) => {
    if (route !== 'provider') return true;
    const free = slots.get(row.organization_id) ?? 0;
    slots.set(row.organization_id, free - 1);
    if (free <= 0) changes.push({ row, change: {} });
    return free > 0;
  });
}

/** Only texts with a link to recipients are limited to one per touchpoint and day; members get one for each intro. */
const touchpointOf = ({ context: { message, intro } }: Sendable): string =>
  message.audience === 'recipient' && message.purpose !== 'answer' ? (intro.touchpoint_slug ?? '') : '';

/**
 * Whether this text delays others to its number. On a test clock, only those to test numbers do: no other text is sent, and the
 * time of the last real one must survive.
 */
const claimsNumber = (one: Sendable, now: Date): boolean =>
  isTestTime(now) ? one.channel === 'text' && one.route === 'simulation' : isPhoneTexted(one);

/** Sends only the first of several texts of a touchpoint to one number; the others stay scheduled. */
async function claimFreeNumbers(sendable: readonly Sendable[], { tx, now }: Batch): Promise<Sendable[]> {
  const first = new Map<string, Sendable>();
  for (const one of sendable.filter((text) => claimsNumber(text, now))) {
    const key = JSON.stringify([one.context.message.organization_id, one.address, touchpointOf(one)]);
    if (!first.has(key)) first.set(key, one);
  }
  const claims = [...first.values()].map((one) => ({
    organization_id: one.context.message.organization_id,
    environment: one.context.message.environment,
    phone: one.address,
    touchpoint: touchpointOf(one),
    message_id: one.context.message.id,
  }));
  const free = await claimNumbers(tx, claims, now);
  return sendable.filter(
    (one) => !claimsNumber(one, now) || touchpointOf(one) === '' || free.has(one.context.message.id),
  );
}

/** The second carrier may only get a text that the first one certainly did not send. */
const mayFailOver = (
  { carriers }: ClaimDeps,
  { context: { message, organization }, usesFallback }: Sendable,
): boolean =>
  carriers.hasFallback &&
  organization.twilio_account === null &&
  !usesFallback &&
  message.unsent_attempts === message.attempts;

/** Finds the texts whose account cannot send. The second carrier sends them, if there is one that works. */
async function checkAccounts(deps: ClaimDeps, texts: readonly Sendable[], { tx, now }: Batch) {
  const hold = (given: readonly Sendable[]) =>
    holdAccounts(
      deps.ownerEmails,
      tx,
      given
        .filter((one) => isPhoneTexted(one) && !isTestTime(now))
        .map((sendable) => {
          const { context, usesFallback } = sendable;
          const account = accountOf(context, usesFallback);
          const isOwnAccount = account.sealed !== null;
          return { sendable, row: context.message, account: deps.carriers.accountKeyOf(account), isOwnAccount };
        }),
      now,
    );
  const first = await hold(texts);
  const waiting = new Map([...first.held].map(([{ sendable }, limit]) => [sendable, limit]));
  const moved = new Map(
    [...waiting.keys()].filter((one) => mayFailOver(deps, one)).map((one) => [one, { ...one, usesFallback: true }]),
  );
  const second = await hold([...moved.values()]);
  const isHeldAgain = new Set([...second.held.keys()].map(({ sendable }) => sendable));
  for (const [one, other] of moved) {
    if (isHeldAgain.has(other)) moved.delete(one);
    else waiting.delete(one);
  }
  return {
    free: texts.map((one) => moved.get(one) ?? one),
    waiting,
    /** Marks the texts that find out whether an account works again. */
    async markProbes(isSent: (one: Sendable) => boolean): Promise<ReadonlySet<Sendable>> {
      const isProbeSent = ({ sendable }: { sendable: Sendable }) => isSent(sendable);
      const marked = [...(await first.markProbes(isProbeSent)), ...(await second.markProbes(isProbeSent))];
      return new Set(marked.map(({ sendable }) => sendable));
    },
  };
}

/** Whether the daily limits count this text. On a test clock they count every text, for the days of that clock. */
const isCounted = (one: Sendable, now: Date): boolean =>
  isPhoneTexted(one) || (isTestTime(now) && one.channel === 'text');

/** Postpones a text that a limit or its account holds. A member gets an email instead. */
async function holdText(
  deps: ClaimDeps,
  { context, address }: Sendable,
  hold: LimitedText,
  batch: Batch,
): Promise<void> {
  const { message: row, member } = context;
  await releaseNumber(batch.tx, { ...row, address, channel: 'text' });
  if (row.audience === 'member' && context.emailRoute === 'provider' && !member.email_bounces) {
    batch.planned.push(onChannel(row, 'email', batch.now));
    const error_code = hold.heldFor === 'carrier_account' ? 'cannot_text' : hold.heldFor;
    const dropped = { status: 'dropped', error_code, settled_at: batch.now } as const;
    // The email is a copy, which has no reminders.
    batch.changes.push({ row, change: { ...dropped, ...nextStep(context, batch.now) } });
    return;
  }
  await postponeOrDrop(deps, context, decideHeld(context, hold), batch);
}

/** Leaves out texts that their number, their account or a limit does not let through. */
async function holdTexts(deps: ClaimDeps, selected: readonly Sendable[], batch: Batch) {
  const { now } = batch;
  const { free, waiting, markProbes } = await checkAccounts(deps, await claimFreeNumbers(selected, batch), batch);
  const counted = free.filter((one) => !waiting.has(one) && isCounted(one, now));
  for (const [one, hold] of await holdLimited(deps.ownerEmails, batch.tx, counted, now)) waiting.set(one, hold);
  for (const [one, hold] of waiting) await holdText(deps, one, hold, batch);
  const probes = await markProbes((one) => !waiting.has(one));
  return { sendable: free.filter((one) => !waiting.has(one)), probes };
}

/**
 * Nothing leaves the service while the clock of an organization is ahead. Messages to members count as sent, so that tests see
 * their reminders; a recipient with a real number got nothing.
 */
const outcomeOnTestClock = ({ audience }: DueMessage): Outcome =>
  audience === 'member'
    ? { kind: 'accepted', carrierId: null }
    : { kind: 'refused', code: 'test_clock', message: DELIVERY_FAILURES.test_clock };

/** Returns whether the message is already accepted. Without a provider, or on a test clock, it is settled within the claim. */
async function prepare(
  deps: ClaimDeps,
  sendable: Sendable,
  { isFirst, isProbe }: { isFirst: boolean; isProbe: boolean },
  { tx, changes, claimed, now }: Batch,
): Promise<boolean> {
  const { context, channel, address, route, usesFallback } = sendable;
  const { message: row } = context;
  const { carriers, outcomes } = deps;
  const account = accountOf(context, usesFallback);
  const message = composeMessage(deps, { context, channel, address, isFirst });
  const isSimulated = isTestTime(now) && route !== 'simulation';
  const sending = {
    ...{ status: 'sending' as const, attempts: row.attempts + 1, ...message.stored, ...nextStep(context, now) },
    ...{ channel, address, uses_fallback: usesFallback },
    carrier: isSimulated ? 'simulated' : carriers.nameOf(channel, address, account),
    by_own_account: channel === 'text' && account.sealed !== null,
    account: isPhoneTexted(sendable) ? carriers.accountKeyOf(account) : null,
    ...(isProbe && { held_for: 'carrier_account' as const }),
  };
  const sendingRow: MessageRow = { ...row, ...sending };
  if (route === 'provider' && !isSimulated) {
    changes.push({ row, change: sending });
    claimed.push({ row: sendingRow, account, message, isAbandoned: false, claimedMs: monotonicMs() });
    return false;
  }
  const outcome = isSimulated ? outcomeOnTestClock(row) : await carriers.send(message, account);
  const change = { ...sending, ...(await outcomes.afterSend(tx, sendingRow, outcome, now)) };
  changes.push({ row, change });
  return change.status === 'accepted' || change.status === 'delivered';
}

/** Decides about messages, and stores the decisions. */
async function claim(deps: ClaimDeps, batch: Batch, contexts: readonly MessageContext[]): Promise<Claimed> {
  const { tx, now, changes, claimed, planned } = batch;
  const isNew = batch.slots !== undefined;
  const selected = leaveWaiting(await selectMessages(deps, contexts, batch), batch);
  const { sendable, probes } = await holdTexts(deps, selected, batch);
  // The notification of a reply has no link to the recorder.
  const toMembers = sendable
    .map(({ context }) => context)
    .filter(({ message }) => message.audience === 'member' && message.purpose !== 'reply');
  await deps.links.activateRecord(
    tx,
    toMembers.map(({ message, intro }) => ({
      ...{ tenant: tenantOf(message), introId: message.intro_id, generation: intro.link_generation },
    })),
    { areFirst: isNew },
  );
  // Until one first text is accepted, all first texts to a number say how to opt out: any of them may be the one that arrives.
  const reached = new Set<string>();
  for (const one of sendable) {
    const number = `${one.context.message.organization_id} ${one.address}`;
    const isFirst = !one.context.number.is_known && !reached.has(number);
    if (await prepare(deps, one, { isFirst, isProbe: probes.has(one) }, batch)) reached.add(number);
  }
  await insertMessages(tx, planned);
  const stored = changes.map((one) => ({ ...one, isNew }));
  if (!(await deps.outcomes.change(tx, stored, now))) throw new Error('a locked message changed');
  const settled = changes.filter(({ row, change }) => !isQueued(change.status ?? row.status));
  return {
    taken: contexts.length,
    claimed,
    settled: settled.map(({ row, change }) => ({ ...row, ...change })),
    limited: changes.flatMap(({ change }) => asTextLimit(change.error_code ?? change.held_for) ?? []),
  };
}

const newBatch = (tx: Tx, now: Date): Batch => ({ tx, now, changes: [], claimed: [], planned: [] });

/** Claims due messages in one transaction. */
export const claimDue = (deps: ClaimDeps, turns: readonly Turn[], step: TestStep | null): Promise<Claimed> =>
  deps.db.kysely.transaction().execute(async (tx) => {
    const { now, rows } = await take(deps, tx, turns, step);
    return claim(deps, newBatch(tx, now), await readContexts(tx, deps.carriers, rows));
  });

/** Claims the first messages about intros in the transaction that creates them. Those for which no slot is left wait in the queue. */
export async function claimFirst(
  deps: ClaimDeps,
  tx: Tx,
  created: readonly CreatedIntro[],
  slots: Map<string, number>,
  now: Date,
): Promise<Claimed> {
  const intros = new Map(created.map((one) => [one.row.id, toContextIntro(one)]));
  const messages = Map.groupBy(created, (one) => one.isOnTestClock);
  const rows = (messages.get(false) ?? []).map(({ row }) => toFirstMessage(row));
  const batch: Batch = { ...newBatch(tx, now), slots };
  for (const { row } of messages.get(true) ?? []) batch.changes.push({ row: toFirstMessage(row), change: {} });
  const claimed = await claim(deps, batch, await readContexts(tx, deps.carriers, rows, intros));
  const isWaiting = batch.changes.some(({ row, change }) => (change.status ?? row.status) === 'scheduled');
  if (isWaiting || batch.planned.length > 0) await notifyMessagesDue(tx);
  return claimed;
}

/**
 * Claims the first due message. One that can be neither sent nor refused fails, so that it does not block the ones behind it. In the same
 * transaction: in between, another worker could take it, and the next one would fail instead.
 */
export const claimOrFailFirst = (deps: ClaimDeps, tenant: Tenant, step: TestStep | null): Promise<Claimed> =>
  deps.db.kysely.transaction().execute(async (tx) => {
    const { log, carriers, outcomes } = deps;
    const { now, rows } = await take(deps, tx, [{ tenant, share: 1 }], step);
    try {
      return await withSavepoint(tx, async () =>
        claim(deps, newBatch(tx, now), await readContexts(tx, carriers, rows)),
      );
    } catch (err) {
      const [row] = rows;
      if (row === undefined || isTransient(err)) throw err;
      log.error({ err, message: row.id }, 'message failed because it could not be composed');
      const code = 'carrier_refused';
      const failure = { code, message: 'The message could not be composed. Check its template.' } as const;
      if (row.audience === 'recipient') await outcomes.afterGivingUp(tx, row, failure, now);
      const failed = { status: 'failed', error_code: code, error_message: failure.message, settled_at: now } as const;
      await outcomes.change(tx, [{ row, change: { ...failed, ...NO_STEP } }], now);
      return { taken: 1, claimed: [], settled: [], limited: [] };
    }
  });
