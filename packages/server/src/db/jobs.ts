import type { Transaction } from 'kysely';
import { PgBoss } from 'pg-boss';
import type { Logger } from '../platform/log.ts';
import { namedQuery } from './client.ts';
import type { DatabaseHealth } from './health.ts';
import { backgroundPoolOptions, type Connection } from './pools.ts';

export interface QueueDefinition {
  readonly name: string;
  /** Maximum number of jobs per call of the worker. */
  readonly batchSize: number;
  readonly retryLimit: number;
  /** The first delay; each retry doubles it up to the maximum. */
  readonly retryDelayS?: number;
  readonly retryDelayMaxS?: number;
  readonly expireInSeconds: number;
}

const POLL_S = 0.5;
const SUPERVISE_S = 60;
// Events and intros record the results, so finished jobs are not needed.
const KEEP_FINISHED_S = 60;
const RETRY_DELAY_S = 1;
const RETRY_DELAY_MAX_S = 60;
const SCHEMA = 'pgboss';
/** A silent connection for notifications is replaced after these two. Until then, polling finds the jobs. */
const HEARTBEAT_INTERVAL_MS = 2_000;
const HEARTBEAT_TIMEOUT_MS = 2_000;
/** The code that PostgreSQL sends to its connections when it stops. */
const ADMIN_SHUTDOWN = '57P01';

interface JobsOptions {
  readonly connection: Connection;
  readonly health?: DatabaseHealth;
  readonly queues: readonly QueueDefinition[];
  /** False if this process only sends jobs. */
  readonly works: boolean;
  /** How often expired jobs are looked for. Only tests set it. */
  readonly superviseS?: number;
  readonly log: Logger;
}

async function createBoss({ connection, health, works, superviseS = SUPERVISE_S, log }: JobsOptions) {
  const boss = new PgBoss({
    ...connection,
    // Its types omit that it passes all options to its pool.
    ...(backgroundPoolOptions(health) as object),
    schema: SCHEMA,
    max: works ? 3 : 1,
    application_name: 'foreword jobs',
    useListenNotify: works,
    notifyHeartbeatIntervalMs: HEARTBEAT_INTERVAL_MS,
    notifyHeartbeatTimeoutMs: HEARTBEAT_TIMEOUT_MS,
    supervise: works,
    superviseIntervalSeconds: superviseS,
    monitorIntervalSeconds: superviseS,
    schedule: false,
  });
  let isStopping = false;
  boss.on('error', (err) => {
    // While the queue stops, the embedded database may end its connections first.
    if (!isStopping || (err as { code?: string }).code !== ADMIN_SHUTDOWN) log.error({ err }, 'job queue');
  });
  await boss.start();
  const stop = (timeout: number) => {
    isStopping = true;
    return boss.stop({ graceful: true, timeout });
  };
  return { boss, stop };
}

export async function startJobs(options: JobsOptions) {
  const { boss, stop } = await createBoss(options);
  for (const { name, retryLimit, retryDelayS, retryDelayMaxS, expireInSeconds } of options.queues) {
    const policy = {
      notify: true,
      retryLimit,
      retryDelay: retryDelayS ?? RETRY_DELAY_S,
      retryBackoff: true,
      retryDelayMax: retryDelayMaxS ?? RETRY_DELAY_MAX_S,
      expireInSeconds,
      deleteAfterSeconds: KEEP_FINISHED_S,
    };
    await boss.createQueue(name, policy);
  }
  return {
    /** Enqueues in the caller's transaction: the job exists only if the transaction commits. */
    async sendWithin<Tables>(tx: Transaction<Tables>, queue: QueueDefinition, data: object): Promise<void> {
      const db = {
        // Named, so that each connection plans this long statement once.
        executeSql: async (text: string, values: unknown[] = []) => ({
          rows: (await tx.executeQuery(namedQuery({ name: `send ${queue.name}`, text }, values))).rows,
        }),
      };
      await boss.send(queue.name, data, { db });
    },
    async work<T>(queue: QueueDefinition, handler: (jobs: T[]) => Promise<void>): Promise<void> {
      const pace = {
        batchSize: queue.batchSize,
        pollingIntervalSeconds: POLL_S,
        notifyPollingIntervalSeconds: POLL_S,
        burstWhenBatchFull: true,
      };
      await boss.work<T>(queue.name, pace, async (jobs) => handler(jobs.map((job) => job.data)));
    },
    async waiting(queue: QueueDefinition): Promise<number> {
      const { rows } = await boss
        .getDb()
        .executeSql(
          `select count(*)::int as n from ${SCHEMA}.job where name = $1 and state in ('created', 'retry', 'active')`,
          [queue.name],
        );
      return (rows[0] as { n: number }).n;
    },
    /** Jobs in progress finish or return to the queue. */
    stop,
  };
}

export type Jobs = Awaited<ReturnType<typeof startJobs>>;
