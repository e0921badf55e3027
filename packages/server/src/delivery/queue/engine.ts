import { setTimeout as pause } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import { MESSAGES_DUE } from '../../intros/index.ts';
import { type Connection, isTransient } from '../../platform/db.ts';
import { listen } from '../../platform/listener.ts';
import type { Metrics } from '../../platform/metrics.ts';
import { every } from '../../platform/schedule.ts';
import type { Tables } from '../../tables.ts';
import {
  carrierIdsOfOthers,
  changeMessages,
  isSomethingDue,
  lockMessage,
  type MessageChange,
  type MessageRow,
  takeOverAbandoned,
} from '../store/messages.ts';
import { type ClaimDeps, createClaiming, type Job } from './claiming.ts';
import { tenantOf } from './planning.ts';
import { ABANDONED_AFTER_MS } from './rules.ts';

/** What one transaction takes, and what may be with carriers at the same time. */
const BATCH = 64;
const MAX_UNDER_WAY = 64;
/** Messages of later come due without a notification. */
const LOOK_INTERVAL_MS = 500;
/** The first message of a quiet moment goes at once; of those that follow closely, what comes in the pause shares a transaction. */
const GATHER_MS = 40;
const ABANDONED_INTERVAL_MS = 5_000;

/** An operator gives ten seconds for everything. */
const STOP_WAIT_MS = 4_000;

/** The claim went to another worker, or a status of the carrier came first. */
class LostClaim extends Error {}

export interface DeliveryDeps extends ClaimDeps {
  readonly metrics: Metrics;
  /** Resolves when it is this work's turn: accepting goes first. */
  yieldToRequests(): Promise<void>;
}

export interface DeliveryEngine {
  /** Everything that is due by the clock, to its end. */
  tick(): Promise<void>;
  /** From now on, when it is due. */
  start(connection: Connection): void;
  /** Claims nothing more, and waits for what is with a carrier. */
  stop(): Promise<void>;
}

export function createDeliveryEngine(deps: DeliveryDeps): DeliveryEngine {
  const { db, clock, carriers, conclusions, metrics, log, yieldToRequests } = deps;
  const { claim, giveUpFirst } = createClaiming(deps);
  const underWay = new Set<Promise<void>>();
  let wake: () => void = () => undefined;
  let isStopping = false;

  const count = (row: MessageRow) => metrics.messages.inc({ channel: row.channel ?? 'none', outcome: row.status });

  type Conclude = (tx: Transaction<Tables>, now: Date) => Promise<Partial<MessageChange>>;

  async function ask({ row, account, parcel }: Job): Promise<Conclude> {
    if (parcel === null) {
      const finding = await carriers.look(row, account, await carrierIdsOfOthers(db.kysely, row));
      return (tx, now) => conclusions.ofLooking(tx, row, finding, now);
    }
    const outcome = await carriers.send(parcel, account);
    return (tx, now) => conclusions.ofSending(tx, row, outcome, now);
  }

  /** The outcome and what follows from it, in one commit; nothing of it when the claim is lost. */
  async function settle(job: Job): Promise<MessageRow> {
    const { row } = job;
    const conclude = await ask(job);
    return db.kysely.transaction().execute(async (tx) => {
      // The message before its intro, as in every transaction: a carrier may tell of it while its answer is being written.
      const held = await lockMessage(tx, tenantOf(row), row.id);
      if (held?.status !== row.status || held.attempts !== row.attempts) throw new LostClaim();
      const change = await conclude(tx, clock());
      if (!(await changeMessages(tx, [{ row, change }]))) throw new LostClaim();
      return { ...row, ...change };
    });
  }

  async function perform(job: Job): Promise<void> {
    const { id: message, organization_id: organization, channel, purpose, attempts: attempt } = job.row;
    const line = { message, organization, channel, purpose, attempt, asked: job.parcel === null };
    try {
      const settled = await settle(job);
      const { status: outcome, carrier, error_code: error } = settled;
      count(settled);
      log.info({ ...line, carrier, outcome, ...(error !== null && { error }) }, 'message');
    } catch (err) {
      if (err instanceof LostClaim) return;
      // The row still says that it is being sent: after a while it is taken over, and the carrier asked.
      log[isTransient(err) ? 'warn' : 'error']({ ...line, err }, 'message not settled; its carrier will be asked');
    }
  }

  /** One that cannot be written fails alone: it must not hold up those of everybody else. */
  async function claimApart(limit: number): ReturnType<typeof claim> {
    try {
      return await claim(limit);
    } catch (err) {
      if (isTransient(err)) throw err;
      if (limit > 1) return claimApart(1);
      log.error({ err }, 'message given up');
      await giveUpFirst();
      return { taken: 1, jobs: [], concluded: [] };
    }
  }

  /** One batch, without waiting for carriers. False when nothing was due. */
  async function claimBatch(): Promise<boolean> {
    if (!(await isSomethingDue(db, clock()))) return false;
    const { taken, jobs, concluded } = await claimApart(Math.min(BATCH, MAX_UNDER_WAY - underWay.size));
    concluded.forEach(count);
    for (const job of jobs) {
      const done = perform(job).finally(() => {
        underWay.delete(done);
        wake();
      });
      underWay.add(done);
    }
    return taken > 0;
  }

  const takeOver = async () => {
    const now = clock();
    await takeOverAbandoned(db.kysely, now, new Date(now.getTime() - ABANDONED_AFTER_MS));
  };

  async function drain(): Promise<void> {
    while (!isStopping && underWay.size < MAX_UNDER_WAY) {
      await yieldToRequests();
      if (!(await claimBatch())) break;
    }
    await pause(GATHER_MS);
  }

  let stopAll: () => Promise<void> = async () => undefined;
  return {
    async tick() {
      await takeOver();
      while ((await claimBatch()) || underWay.size > 0) await Promise.all(underWay);
    },
    start(connection) {
      const sending = every(LOOK_INTERVAL_MS, 'send messages', log, drain);
      const takingOver = every(ABANDONED_INTERVAL_MS, 'take over messages', log, takeOver);
      wake = () => sending.wake();
      const listener = listen({
        connection,
        channel: MESSAGES_DUE,
        onNotification: () => wake(),
        onGap: () => wake(),
      });
      stopAll = async () => {
        await listener.close();
        await Promise.all([sending.stop(), takingOver.stop()]);
      };
    },
    async stop() {
      isStopping = true;
      await stopAll();
      // What a carrier has not answered by then stays as it is, and is asked after by whoever takes it over.
      await Promise.race([Promise.all(underWay), pause(STOP_WAIT_MS, undefined, { ref: false })]);
    },
  };
}
