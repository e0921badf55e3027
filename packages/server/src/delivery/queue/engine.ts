/** Folder: claims, sends and settles messages, within sending hours and state laws. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Hints } from '../../db/hints.ts';
import { listen } from '../../db/listener.ts';
import { type Connection, isTransient } from '../../db/pools.ts';
import type { Tenant } from '../../db/tenancy.ts';
import { MESSAGES_DUE } from '../../intros/index.ts';
import { monotonicMs } from '../../platform/clock.ts';
import { every } from '../../platform/schedule.ts';
import { listWaiting, type Turn, type Waiting } from '../store/queue.ts';
import { type Claimed, claimDue, failFirst, type TestStep } from './claim.ts';
import { count, createSettling, type HandOverDeps, MAX_IN_FLIGHT, send } from './handover.ts';

/** Messages of one organization, whose carrier may hang, that may be in flight at the same time. */
const MAX_OF_ONE = 56;
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
    const [first, ...others] = turns;
    if (first === undefined) throw err;
    if (others.length > 0 || first.share > 1) {
      const results = await Promise.allSettled(turns.map((turn) => claimOrFail(deps, [{ ...turn, share: 1 }], step)));
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
    deps.log.error({ err }, 'message failed because it could not be composed');
    await failFirst(deps, first, step);
    return { taken: 1, claimed: [], settled: [], limited: [] };
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
  const { db, clock, log } = deps;
  const settling = createSettling(deps);
  /** With their organizations. */
  const inFlight = new Map<Promise<void>, string>();
  let wake: () => void = () => undefined;
  let isStopping = false;
  let waiting: readonly Waiting[] = [];
  /** When to list the waiting organizations again, even if no known message is due. */
  let walkAtMs = 0;

  async function claim(turns: readonly Turn[], step: TestStep | null): Promise<number> {
    const { taken, claimed, settled, limited } = await claimOrFail(deps, turns, step);
    for (const row of settled) count(deps, row);
    for (const reason of limited) deps.metrics.textsLimited.inc({ reason });
    for (const message of claimed) {
      const done = send(deps, settling, message).finally(() => {
        inFlight.delete(done);
        wake();
      });
      inFlight.set(done, message.row.organization_id);
    }
    return taken;
  }

  const inFlightOf = ({ organizationId }: Tenant) =>
    [...inFlight.values()].filter((organization) => organization === organizationId).length;

  /** Claims one batch without waiting for carriers. Returns the number of messages that were due. */
  async function claimBatch(): Promise<number> {
    const now = clock();
    // Before the walk, because a hint may arrive during it.
    walkAtMs = monotonicMs() + WALK_INTERVAL_MS;
    waiting = await listWaiting(db);
    const tenants = waiting.filter(({ dueAt }) => dueAt <= now).map(({ tenant }) => tenant);
    const turns = shareOut(tenants, MAX_IN_FLIGHT - inFlight.size, inFlightOf);
    return turns.length === 0 ? 0 : claim(turns, null);
  }

  async function drain(): Promise<void> {
    const now = clock();
    if (monotonicMs() < walkAtMs && !waiting.some(({ dueAt }) => dueAt <= now)) return;
    while (!isStopping && inFlight.size < MAX_IN_FLIGHT && (await claimBatch()) > 0);
    await pause(GATHER_MS);
  }

  let stopAll: () => Promise<void> = async () => undefined;
  return {
    /** Sends everything that is due, and returns when it is settled. */
    async tick(): Promise<void> {
      while ((await claimBatch()) > 0 || inFlight.size > 0) await Promise.all(inFlight.keys());
    },
    /** Settles what is due on the test clock of an organization. Returns how many messages it took. */
    async tickOnTestClock(step: TestStep): Promise<number> {
      const taken = await claim([{ tenant: step.tenant, share: MAX_IN_FLIGHT }], step);
      // Only messages in doubt from before the advance are in flight: their carrier is asked about them.
      await Promise.all(inFlight.keys());
      return taken;
    },
    /** Sends messages as they become due. */
    start({ direct: connection, hints }: { readonly direct: Connection; readonly hints: Hints }): void {
      const sending = every(POLL_INTERVAL_MS, 'send messages', log, drain);
      wake = () => {
        walkAtMs = 0;
        sending.wake();
      };
      hints.on(MESSAGES_DUE, wake);
      const listener = listen({ connection, channel: MESSAGES_DUE, onNotification: wake, onGap: wake });
      stopAll = async () => {
        await listener.close();
        await sending.stop();
      };
    },
    /** Claims nothing more, and waits for the messages in flight. */
    async stop(): Promise<void> {
      isStopping = true;
      await stopAll();
      // Another worker finds a message that is still in flight after that, and looks it up at the carrier.
      await Promise.race([Promise.all(inFlight.keys()), pause(STOP_WAIT_MS, undefined, { ref: false })]);
    },
  };
}
