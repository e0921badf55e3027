/** Folder: claims, sends and settles messages, within sending hours and state laws. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import { MESSAGES_DUE } from '../../intros/index.ts';
import { isTestTime } from '../../platform/clock.ts';
import { type Connection, isTransient } from '../../platform/db.ts';
import { listen } from '../../platform/listener.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { every } from '../../platform/schedule.ts';
import { type OpenSpan, type SpanResult, startSpan, traceIdOf, withSpan } from '../../platform/tracing.ts';
import type { Tables } from '../../tables.ts';
import type { TestClocks } from '../../test-clock/index.ts';
import type { Traces } from '../../traces/index.ts';
import { hasDueMessages, requeueAbandoned } from '../store/due.ts';
import { listOtherCarrierIds, lockMessage, type MessageChange, type MessageRow, tenantOf } from '../store/messages.ts';
import { bodyOf } from '../wording/stored.ts';
import { type ClaimDeps, type Claimed, type ClaimedMessage, claimDue, failFirst } from './claiming.ts';
import { ABANDONED_AFTER_MS } from './rules.ts';
import type { TestStep } from './test-step.ts';

/** Messages claimed by one transaction. */
const BATCH = 64;
/** Messages that may be in flight to carriers at the same time. */
const MAX_IN_FLIGHT = 64;
/** Polls, because a scheduled message reports no hint when it becomes due. */
const POLL_INTERVAL_MS = 500;
/** The first message after an idle period is sent at once; those that arrive in this pause share one transaction. */
const GATHER_MS = 40;
const ABANDONED_INTERVAL_MS = 5_000;
/** Part of the ten seconds in which a process has to stop. */
const STOP_WAIT_MS = 4_000;

/** Another worker claimed the message, or the carrier reported its status first. */
class LostClaim extends Error {}

export interface DeliveryDeps extends ClaimDeps {
  readonly metrics: Metrics;
  readonly traces: Traces;
  readonly testClocks: TestClocks;
  yieldToRequests(): Promise<void>;
}

export interface DeliveryEngine {
  /** Sends everything that is due, and returns when it is settled. */
  tick(): Promise<void>;
  /** Settles what is due on the test clock of an organization. Returns how many messages it took. */
  tickOnTestClock(step: TestStep): Promise<number>;
  /** Sends messages as they become due. */
  start(connection: Connection): void;
  /** Claims nothing more, and waits for the messages in flight. */
  stop(): Promise<void>;
}

type ApplyOutcome = (tx: Transaction<Tables>, now: Date) => Promise<Partial<MessageChange>>;

async function callCarrier(
  { db, links, carriers, outcomes }: DeliveryDeps,
  { row, account, message }: ClaimedMessage,
): Promise<ApplyOutcome> {
  if (message === null) {
    const result = await carriers.lookUp(
      { ...row, body: bodyOf(links, row) },
      account,
      await listOtherCarrierIds(db.kysely, row),
    );
    return (tx, now) => outcomes.afterLookup(tx, row, result, now);
  }
  const outcome = await carriers.send(message, account);
  return (tx, now) => outcomes.afterSend(tx, row, outcome, now);
}

/** Commits the outcome and its consequences together, or nothing if the claim is lost. */
async function settle(deps: DeliveryDeps, claimed: ClaimedMessage): Promise<MessageRow> {
  const { row } = claimed;
  const applyOutcome = await callCarrier(deps, claimed);
  return deps.db.kysely.transaction().execute(async (tx) => {
    // Every transaction locks the message before its intro: the carrier may report on it at this moment.
    const current = await lockMessage(tx, tenantOf(row), row.id);
    if (current?.status !== row.status || current.attempts !== row.attempts) throw new LostClaim();
    const now = deps.testClocks.now(tenantOf(row));
    const change = await applyOutcome(tx, now);
    if (!(await deps.outcomes.change(tx, [{ row, change }], now))) throw new LostClaim();
    return { ...row, ...change };
  });
}

/** Undefined unless the message's intro is traced. */
async function startMessageSpan({ db, traces }: DeliveryDeps, row: MessageRow): Promise<OpenSpan | undefined> {
  const found = await traces.findIfPossible(db.pool, [{ tenant: tenantOf(row), id: row.intro_id }]);
  const parent = found.get(row.intro_id);
  return parent && startSpan(parent);
}

/** `settled` is null if the outcome could not be stored. */
function describe({ row, message }: ClaimedMessage, settled: MessageRow | null): SpanResult {
  const { id, intro_id, channel, purpose, attempts } = row;
  const attributes = { 'foreword.message.id': id, 'foreword.intro.id': intro_id, purpose, attempts };
  const name = `${message === null ? 'look up' : 'send'} ${channel ?? 'message'}`;
  if (settled === null) return { name, kind: 'client', attributes, error: 'not settled' };
  const { status: outcome, carrier, error_code } = settled;
  return {
    name,
    kind: 'client',
    attributes: { ...attributes, outcome, carrier, 'error.type': error_code },
    error: outcome === 'failed' ? error_code : null,
  };
}

const count = ({ metrics }: DeliveryDeps, row: MessageRow) =>
  metrics.messages.inc({ channel: row.channel ?? 'none', outcome: row.status });

/** How long a text waited for its carrier. Times of a test clock mean nothing here. */
function observeHandover({ metrics, clock, testClocks }: DeliveryDeps, before: MessageRow, settled: MessageRow): void {
  const isAccepted = settled.status === 'accepted' || settled.status === 'delivered';
  if (before.channel !== 'text' || !isAccepted || isTestTime(testClocks.now(tenantOf(before)))) return;
  metrics.textHandover.observe(Math.max(0, clock().getTime() - before.due_at.getTime()) / 1_000);
}

async function send(deps: DeliveryDeps, claimed: ClaimedMessage): Promise<void> {
  const { log } = deps;
  const { id: message, organization_id: organization, channel, purpose, attempts: attempt } = claimed.row;
  const span = await startMessageSpan(deps, claimed.row);
  const lookup = claimed.message === null;
  const line = { message, organization, channel, purpose, attempt, lookup, ...traceIdOf(span) };
  let settled: MessageRow | null = null;
  try {
    settled = await withSpan(span, () => settle(deps, claimed));
    const { status: outcome, carrier, error_code: error } = settled;
    count(deps, settled);
    observeHandover(deps, claimed.row, settled);
    log.info({ ...line, carrier, outcome, ...(error !== null && { error }) }, 'message');
  } catch (err) {
    if (err instanceof LostClaim) return;
    // The row keeps the status "sending" until it is requeued as in doubt.
    log[isTransient(err) ? 'warn' : 'error']({ ...line, err }, 'message not settled; its carrier will be queried');
  } finally {
    if (span !== undefined) deps.traces.end(span, describe(claimed, settled));
  }
}

/** Isolates a message that cannot be composed: it fails alone instead of blocking the others. */
async function claimOrFail(deps: DeliveryDeps, limit: number, step: TestStep | null): Promise<Claimed> {
  try {
    return await claimDue(deps, limit, step);
  } catch (err) {
    if (isTransient(err)) throw err;
    if (limit > 1) return claimOrFail(deps, 1, step);
    deps.log.error({ err }, 'message failed because it could not be composed');
    await failFirst(deps, step);
    return { taken: 1, claimed: [], settled: [], limited: [] };
  }
}

export function createDeliveryEngine(deps: DeliveryDeps): DeliveryEngine {
  const { db, clock, log, yieldToRequests } = deps;
  const inFlight = new Set<Promise<void>>();
  let wake: () => void = () => undefined;
  let isStopping = false;

  /** Claims one batch without waiting for carriers. Returns the number of messages that were due. */
  async function claim(step: TestStep | null): Promise<number> {
    const limit = Math.max(1, Math.min(BATCH, MAX_IN_FLIGHT - inFlight.size));
    const { taken, claimed, settled, limited } = await claimOrFail(deps, limit, step);
    for (const row of settled) count(deps, row);
    for (const reason of limited) deps.metrics.textsLimited.inc({ reason });
    for (const message of claimed) {
      const done = send(deps, message).finally(() => {
        inFlight.delete(done);
        wake();
      });
      inFlight.add(done);
    }
    return taken;
  }

  const claimBatch = async () => (await hasDueMessages(db, clock())) && (await claim(null)) > 0;

  async function requeue(): Promise<void> {
    await requeueAbandoned(db.kysely, clock(), ABANDONED_AFTER_MS);
  }

  async function drain(): Promise<void> {
    while (!isStopping && inFlight.size < MAX_IN_FLIGHT) {
      await yieldToRequests();
      if (!(await claimBatch())) break;
    }
    await pause(GATHER_MS);
  }

  let stopAll: () => Promise<void> = async () => undefined;
  return {
    async tick() {
      await requeue();
      while ((await claimBatch()) || inFlight.size > 0) await Promise.all(inFlight);
    },
    async tickOnTestClock(step) {
      const taken = await claim(step);
      // Only messages in doubt from before the advance are in flight: their carrier is asked about them.
      await Promise.all(inFlight);
      return taken;
    },
    start(connection) {
      const sending = every(POLL_INTERVAL_MS, 'send messages', log, drain);
      const requeueing = every(ABANDONED_INTERVAL_MS, 'requeue abandoned messages', log, requeue);
      wake = () => sending.wake();
      const onNotification = () => wake();
      const listener = listen({ connection, channel: MESSAGES_DUE, onNotification, onGap: onNotification });
      stopAll = async () => {
        await listener.close();
        await Promise.all([sending.stop(), requeueing.stop()]);
      };
    },
    async stop() {
      isStopping = true;
      await stopAll();
      // A message still in flight after that is requeued by another worker, which looks it up at the carrier.
      await Promise.race([Promise.all(inFlight), pause(STOP_WAIT_MS, undefined, { ref: false })]);
    },
  };
}
