/** Folder: claims, sends and settles messages, within sending hours and state laws. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Services } from '../../app/services.ts';
import { everyHint, type Hinted } from '../../db/listener.ts';
import { isDeadlock, isTransient } from '../../db/pools.ts';
import { type Tenant, type Tx, tenantOf } from '../../db/tenancy.ts';
import { MESSAGES_DUE, type Notifier } from '../../intros/index.ts';
import { Batcher } from '../../platform/batcher.ts';
import { isTestTime, monotonicMs } from '../../platform/clock.ts';
import type { Repetition } from '../../platform/schedule.ts';
import { endSpan, type SpanResult, traceIdOf, withSpan } from '../../platform/tracing.ts';
import { listOtherCarrierIds } from '../store/messages.ts';
import {
  listWaiting,
  lockClaimed,
  type MessageChange,
  type MessageRow,
  type Turn,
  type Waiting,
} from '../store/queue.ts';
import { bodyOf } from '../wording/texts.ts';
import {
  type ClaimDeps,
  type Claimed,
  type ClaimedMessage,
  claimDue,
  claimFirst,
  claimOrFailFirst,
  type TestStep,
} from './claim.ts';
import type { RowChange } from './record.ts';
import { ABANDONED_AFTER_MS } from './rules.ts';

/** Messages of one organization, whose carrier may hang, that may be in flight at the same time. */
const MAX_OF_ONE = 84;
/** More intros are created once this many slots are free, so that their messages need not be queued… */
const MIN_TOGETHER = 40;
/** …or after this time, because carriers may hang. */
const SLOT_WAIT_MS = 50;
const SLOT_POLL_MS = 5;
/** Checks whether a message is due that was known before. */
const POLL_INTERVAL_MS = 500;
/** Finds messages of which no hint arrived. */
const WALK_INTERVAL_MS = 5_000;
/** The first message after an idle period is sent at once; those that arrive in this pause share one transaction. */
const GATHER_MS = 40;
/** Part of the ten seconds in which a process has to stop. */
const STOP_WAIT_MS = 4_000;

/** Isolates a message that cannot be composed: it fails alone instead of blocking the others. */
async function claimOrFail(deps: HandOverDeps, turns: readonly Turn[], step: TestStep | null): Promise<Claimed> {
  try {
    return await claimDue(deps, turns, step);
  } catch (err) {
    if (isTransient(err)) throw err;
    const results = await Promise.allSettled(turns.map(({ tenant }) => claimOrFailFirst(deps, tenant, step)));
    const alone = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    // Messages that were claimed must be sent, even if another claim failed.
    if (alone.length === 0) throw err;
    return {
      taken: alone.reduce((sum, { taken }) => sum + taken, 0),
      claimed: alone.flatMap(({ claimed }) => claimed),
      settled: alone.flatMap(({ settled }) => settled),
      limited: alone.flatMap(({ limited }) => limited),
    };
  }
}

/**
 * Shares out `slots` among organizations, the one with the oldest message first. Alone, an organization gets nearly all of them: a few
 * stay free for one whose first message comes next.
 */
export function shareOut(tenants: readonly Tenant[], slots: number, inFlightOf: (tenant: Tenant) => number): Turn[] {
  const share = Math.max(1, Math.floor(slots / tenants.length));
  return tenants
    .map((tenant) => ({ tenant, share: Math.min(share, MAX_OF_ONE - inFlightOf(tenant)) }))
    .filter((turn) => turn.share > 0)
    .slice(0, slots);
}

export type DeliveryEngine = ReturnType<typeof createDeliveryEngine>;

export function createDeliveryEngine(deps: HandOverDeps) {
  const { db, clock } = deps;
  const settling = createSettling(deps);
  /** Messages without a stored outcome. */
  const inFlight = new Set<Promise<void>>();
  /** The organizations of those that a carrier has not answered. */
  const calls = new Map<ClaimedMessage, string>();
  let isStopping = false;
  let waiting: readonly Waiting[] = [];
  /** When to list the waiting organizations again, even if no known message is due. */
  let walkAtMs = 0;

  /** Slots of claims in progress. */
  let reserved = 0;
  /** Whether the last intros that were created had messages for carriers. */
  let needsSlots = false;

  const countFree = () => Math.max(0, Math.min(MAX_CALLS - calls.size, MAX_IN_FLIGHT - inFlight.size) - reserved);

  async function reserving<Result>(turns: readonly Turn[], work: () => Promise<Result>): Promise<Result> {
    const slots = turns.reduce((sum, { share }) => sum + share, 0);
    reserved += slots;
    try {
      return await work();
    } finally {
      reserved -= slots;
    }
  }

  function handOver({ claimed, settled, limited }: Claimed): void {
    for (const row of settled) count(deps, row);
    for (const reason of limited) deps.metrics.textsLimited.inc({ reason });
    for (const message of claimed) {
      calls.set(message, message.row.organization_id);
      const onAnswer = () => {
        calls.delete(message);
        sending?.wake();
      };
      const done = send(deps, settling, message, onAnswer).finally(() => inFlight.delete(done));
      inFlight.add(done);
    }
  }

  async function claim(turns: readonly Turn[], step: TestStep | null): Promise<number> {
    const claimed = await claimOrFail(deps, turns, step);
    handOver(claimed);
    return claimed.taken;
  }

  const inFlightOf = ({ organizationId }: Tenant) =>
    [...calls.values()].filter((organization) => organization === organizationId).length;

  const listDue = (now: Date) => waiting.filter(({ dueAt }) => dueAt <= now).map(({ tenant }) => tenant);

  /** Claims one batch without waiting for carriers. Returns the number of messages that were due. */
  async function claimBatch(): Promise<number> {
    const now = clock();
    // Before the walk, because a hint may arrive during it.
    walkAtMs = monotonicMs() + WALK_INTERVAL_MS;
    waiting = await listWaiting(db);
    const turns = shareOut(listDue(now), countFree(), inFlightOf);
    return turns.length === 0 ? 0 : reserving(turns, () => claim(turns, null));
  }

  async function drain(): Promise<void> {
    const now = clock();
    if (monotonicMs() < walkAtMs && !waiting.some(({ dueAt }) => dueAt <= now)) return;
    while (!isStopping && countFree() > 0 && (await claimBatch()) > 0);
    await pause(GATHER_MS);
  }

  let sending: Repetition | undefined;

  const notifier: Notifier = {
    async capacity() {
      for (let waitedMs = 0; needsSlots && countFree() < MIN_TOGETHER; waitedMs += SLOT_POLL_MS) {
        if (waitedMs >= SLOT_WAIT_MS) return Number.POSITIVE_INFINITY;
        await pause(SLOT_POLL_MS);
      }
      return needsSlots ? countFree() : Number.POSITIVE_INFINITY;
    },
    async whileCreating(tenants, create) {
      // Organizations with messages in the queue get their share, too.
      const sharing = new Map([...tenants, ...listDue(clock())].map((tenant) => [tenant.organizationId, tenant]));
      const turns = isStopping ? [] : shareOut([...sharing.values()], countFree(), inFlightOf);
      const slots = new Map(turns.map(({ tenant, share }) => [tenant.organizationId, share]));
      let claimed: Claimed | undefined;
      return reserving(turns, async () => {
        const result = await create(async (tx, created, now) => {
          claimed = await claimFirst(deps, tx, created, slots, now);
        });
        needsSlots = turns.some(({ tenant, share }) => slots.get(tenant.organizationId) !== share);
        if (claimed !== undefined) handOver(claimed);
        return result;
      });
    },
  };

  return {
    notifier,
    /** Sends everything that is due, and returns when it is settled. */
    async tick(): Promise<void> {
      while ((await claimBatch()) > 0 || inFlight.size > 0) await Promise.all(inFlight);
    },
    /** Settles what is due on the test clock of an organization. Returns how many messages it took. */
    async tickOnTestClock(step: TestStep): Promise<number> {
      const taken = await claim([{ tenant: step.tenant, share: MAX_CALLS }], step);
      // Only messages in doubt from before the advance are in flight: their carrier is asked about them.
      await Promise.all(inFlight);
      return taken;
    },
    /** Sends messages as they become due. */
    start(hinted: Hinted): void {
      sending = everyHint(hinted, {
        ...{ channel: MESSAGES_DUE, ms: POLL_INTERVAL_MS, name: 'send messages', work: drain },
        onWake() {
          walkAtMs = 0;
        },
      });
    },
    /** Claims nothing more, and waits for the messages in flight. */
    async stop(): Promise<void> {
      isStopping = true;
      await sending?.stop();
      const finish = async () => {
        while (reserved > 0) await pause(SLOT_POLL_MS, undefined, { ref: false });
        await Promise.all(inFlight);
      };
      // Another worker finds a message that is still in flight after that, and looks it up at the carrier.
      await Promise.race([finish(), pause(STOP_WAIT_MS, undefined, { ref: false })]);
    },
  };
}

/** Requests to carriers that may be in flight at the same time. Twilio accepts about 100 of an account. */
const MAX_CALLS = 96;
/** Messages that may wait for a carrier or for PostgreSQL at the same time. */
const MAX_IN_FLIGHT = 4 * MAX_CALLS;

/** A claimed message is handed over within this time, because the call takes the rest of the time until it counts as abandoned. */
const HAND_OVER_MS = ABANDONED_AFTER_MS / 2;

type HandOverDeps = ClaimDeps & Pick<Services, 'metrics' | 'traces' | 'testClocks'>;

type ApplyOutcome = (tx: Tx, now: Date) => Promise<Partial<MessageChange>>;

async function callCarrier(
  { db, links, carriers, outcomes }: HandOverDeps,
  { row, account, message, isAbandoned, claimedMs }: ClaimedMessage,
): Promise<ApplyOutcome> {
  if (message === null) {
    const others = await listOtherCarrierIds(db.kysely, row);
    const found = await carriers.lookUp({ ...row, body: bodyOf(links, row) }, account, others);
    // If the database's clock was set forward, the previous worker may still be waiting for the carrier. By the next lookup, it has ended.
    const isEarly = isAbandoned && found.kind === 'absent';
    const result = isEarly ? ({ kind: 'later', message: 'The carrier does not have it yet.' } as const) : found;
    return (tx, now) => outcomes.afterLookup(tx, row, result, now);
  }
  // This process was suspended, and another worker may have sent the message.
  const isLate = monotonicMs() - claimedMs > HAND_OVER_MS;
  const outcome = isLate
    ? ({ kind: 'later', message: 'The worker was suspended.' } as const)
    : await carriers.send(message, account);
  return (tx, now) => outcomes.afterSend(tx, row, outcome, now);
}

/** A message that its carrier has answered about. */
interface Answered {
  readonly row: MessageRow;
  readonly applyOutcome: ApplyOutcome;
}

/** Another worker claimed the message, or the carrier reported its status first. */
const LOST = 'lost';

/** Commits outcomes with their consequences. Nothing follows from the outcome of a claim that is lost. */
const settleAll = (deps: HandOverDeps, answered: readonly Answered[]): Promise<(MessageRow | typeof LOST)[]> =>
  deps.db.kysely.transaction().execute(async (tx) => {
    // Every transaction locks messages before their intros: the carrier may report on one of them at this moment.
    const rows = answered.map(({ row }) => row);
    const claimed = await lockClaimed(tx, rows);
    const changes: RowChange[] = [];
    for (const { row, applyOutcome } of answered.filter((one) => claimed.has(one.row.id))) {
      const at = deps.testClocks.now(tenantOf(row));
      changes.push({ row, change: await applyOutcome(tx, at), at });
    }
    if (!(await deps.outcomes.change(tx, changes, deps.clock()))) throw new Error('a locked message changed');
    const settled = new Map(changes.map(({ row, change }) => [row.id, { ...row, ...change }]));
    return rows.map(({ id }) => settled.get(id) ?? LOST);
  });

/** An outcome that arrives alone is stored at once. The others wait for the transaction in progress, and share the next one. */
const createSettling = (deps: HandOverDeps): Batcher<Answered, MessageRow | typeof LOST> =>
  new Batcher({
    name: 'outcomes',
    maxSize: MAX_CALLS,
    maxConcurrent: 1,
    flush: (answered) => settleAll(deps, answered),
    isTransient: (error) => isTransient(error) && !isDeadlock(error),
  });

/** `settled` is null if the outcome could not be stored. */
function describe(row: MessageRow, settled: MessageRow | null): SpanResult {
  const { id, intro_id, purpose, attempts } = row;
  const attributes = { 'foreword.message.id': id, 'foreword.intro.id': intro_id, purpose, attempts };
  if (settled === null) return { attributes, error: 'not settled' };
  const { status: outcome, carrier, error_code } = settled;
  return {
    attributes: { ...attributes, outcome, carrier, 'error.type': error_code },
    error: outcome === 'failed' ? error_code : null,
  };
}

const count = ({ metrics }: HandOverDeps, row: MessageRow) =>
  metrics.messages.inc({ channel: row.channel ?? 'none', outcome: row.status });

/** How long a text waited for its carrier. Times of a test clock mean nothing here. */
function observeHandover({ metrics, clock, testClocks }: HandOverDeps, before: MessageRow, settled: MessageRow): void {
  const isAccepted = settled.status === 'accepted' || settled.status === 'delivered';
  if (before.channel !== 'text' || !isAccepted || isTestTime(testClocks.now(tenantOf(before)))) return;
  metrics.textHandover.observe(Math.max(0, clock().getTime() - before.due_at.getTime()) / 1_000);
}

type Settling = ReturnType<typeof createSettling>;

async function send(
  deps: HandOverDeps,
  settling: Settling,
  claimed: ClaimedMessage,
  onAnswer: () => void,
): Promise<void> {
  const { log } = deps;
  const { id: message, organization_id: organization, channel, purpose, attempts: attempt } = claimed.row;
  const lookup = claimed.message === null;
  const key = { tenant: tenantOf(claimed.row), id: claimed.row.intro_id };
  const name = `${lookup ? 'look up' : 'send'} ${channel ?? 'message'}`;
  const span = await deps.traces.startFor(deps.db.pool, key, name, 'client');
  const line = { message, organization, channel, purpose, attempt, lookup, ...traceIdOf(span) };
  let settled: MessageRow | null = null;
  try {
    const outcome = await withSpan(span, async () => {
      const applyOutcome = await callCarrier(deps, claimed).finally(onAnswer);
      return settling.add({ row: claimed.row, applyOutcome });
    });
    if (outcome === LOST) return;
    settled = outcome;
    const { status, carrier, error_code: error } = settled;
    count(deps, settled);
    observeHandover(deps, claimed.row, settled);
    log.info({ ...line, carrier, outcome: status, ...(error !== null && { error }) }, 'message');
  } catch (err) {
    // The row stays claimed until the claim is abandoned, and is then in doubt.
    log[isTransient(err) ? 'warn' : 'error']({ ...line, err }, 'message not settled; its carrier will be queried');
  } finally {
    endSpan(span, describe(claimed.row, settled));
  }
}
