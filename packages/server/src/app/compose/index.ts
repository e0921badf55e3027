/** Connects all parts: the only wiring of the service. */

import Fastify, { type FastifyInstance } from 'fastify';
import { watchDatabaseClock } from '../../db/clock.ts';
import { KEYS_INTERVAL_MS } from '../../db/keyring.ts';
import { secondsOverdue, watchCarriers } from '../../delivery/index.ts';
import { createUnknownPage } from '../../http/root.ts';
import { createServer } from '../../http/server.ts';
import {
  countWaiting,
  createEventAcceptor,
  type EventAcceptor,
  oldestAcceptedAgeMs,
} from '../../intros/events/index.ts';
import { createIntroCreator, type IntroCreator } from '../../intros/index.ts';
import { watchLinkHosts } from '../../organizations/link-domains/index.ts';
import { monotonicMs } from '../../platform/clock.ts';
import { unavailable } from '../../platform/errors.ts';
import { exportMetrics } from '../../platform/otlp/metrics.ts';
import { version } from '../../platform/process.ts';
import { every } from '../../platform/schedule.ts';
import { WORK_SWEEP_INTERVAL_MS } from '../../platform/work-folders.ts';
import { oldestWaitingTakeMs } from '../../recordings/index.ts';
import { CLOCKS_INTERVAL_MS } from '../../testing/clock/index.ts';
import { countWaitingWebhooks } from '../../webhooks/index.ts';
import { registerMetrics, registerOperatorRoutes } from '../operator.ts';
import { registerApi } from './api.ts';
import { type Core, openCore, type Parts, type Running } from './core.ts';
import { startMedia, startWorker } from './worker.ts';

/** With this many requests waiting for their commit, processing yields. */
const BUSY_REQUESTS = 24;
/** The default of OpenTelemetry. */
const METRICS_INTERVAL_MS = 60_000;
/** Part of the ten seconds in which a process has to stop. Longer than parts wait for their work. */
const STATEMENTS_WAIT_MS = 5_000;

interface Foreword {
  readonly app: FastifyInstance;
  /** Identifies this run, including in the response of /healthz. */
  readonly instance: string;
  listen(): Promise<void>;
  /** Resolves with the reason when the database has failed for so long that only a new process may help. */
  readonly databaseLost: Promise<string>;
  /** Resolves with the reason when the database uses a server key that this process does not have. */
  readonly serverKeyLost: Promise<string>;
  /** Turns readiness off, finishes requests and jobs in progress, then closes everything. */
  stop(): Promise<void>;
}

/** Wires all modules together. Expects a migrated database. */
export async function compose(parts: Parts): Promise<Foreword> {
  const { config, log } = parts;
  const isBusy = () => events.pending + creator.pending >= BUSY_REQUESTS;
  const core = await openCore(parts, isBusy);
  const { requestDb: db, databaseHealth, databaseClock, clock, metrics, carriers, instance } = core;
  const events: EventAcceptor = createEventAcceptor({ ...core, db });
  const creator: IntroCreator = createIntroCreator({ ...core, db });
  registerGauges(core);
  const linkHosts = await watchLinkHosts({ db: core.db, log });
  const unknownPageFor = createUnknownPage(config.publicUrl);
  const app = createServer({ log, clock, metrics, ...config, pathOf: linkHosts.pathOf, unknownPageFor });
  if (parts.isDiskFull !== undefined) refuseWritesWhile(app, parts.isDiskFull);
  let ready = true;
  const { publicUrl, roles } = config;
  const carrierWatch = watchCarriers(carriers, monotonicMs);
  const isStopping = () => !ready;
  registerOperatorRoutes(app, { ...core, db, publicUrl, instance, carriers: carrierWatch, isStopping });
  const metricsApp = config.metricsPort === undefined ? null : Fastify();
  registerMetrics(metricsApp ?? app, metrics, config.metricsToken);
  const api = roles.has('api') ? await registerApi(app, core, { events, creator, carrierWatch, linkHosts }) : undefined;
  const running = [
    linkHosts,
    every(WORK_SWEEP_INTERVAL_MS, 'sweep work folders', log, core.workFolders.sweep),
    watchDatabaseClock(databaseClock, log),
    every(CLOCKS_INTERVAL_MS, 'read test clocks', log, core.testClocks.refresh),
    every(KEYS_INTERVAL_MS, 'read server keys', log, () => core.serverKey.refresh(core.db.kysely)),
    ...(roles.has('worker') ? startWorker(core) : []),
    ...(roles.has('media') ? startMedia(core) : []),
  ];

  const telemetry = exportTelemetry(core);

  return {
    app,
    instance,
    databaseLost: databaseHealth.lost,
    serverKeyLost: core.serverKey.lost,
    async listen() {
      await app.listen({ port: config.port, host: config.host });
      await metricsApp?.listen({ port: config.metricsPort ?? 0, host: config.host });
      // Last, because it starts programs.
      if (roles.has('api') || roles.has('media')) void reportIsolation(core);
    },
    async stop() {
      ready = false;
      await app.close();
      await Promise.all([events.drain(), creator.drain()]);
      // Statements of jobs may take 30 seconds.
      setTimeout(() => databaseHealth.discardClients(), STATEMENTS_WAIT_MS).unref();
      await Promise.all(running.map((part) => part.stop()));
      await api?.close();
      await Promise.all(telemetry.map((part) => part.stop()));
      databaseHealth.close();
      await metricsApp?.close();
      await core.hints.close();
      await Promise.all([core.db.close(), core.requestDb.close(), core.reportDb.close()]);
    },
  };
}

/** At once, before the database runs out of space itself: it would stop. */
function refuseWritesWhile(app: FastifyInstance, isDiskFull: () => boolean): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const writes = !['GET', 'HEAD', 'OPTIONS'].includes(request.method);
    done(writes && isDiskFull() ? unavailable(new Error('the disk of the database is full')) : undefined);
  });
}

function exportTelemetry({ config: { otlp }, metrics, metricsIntervalMs, tracer, instance, log }: Core): Running[] {
  const intervalMs = metricsIntervalMs ?? METRICS_INTERVAL_MS;
  const sender = { version: version(), instance, log };
  return [
    ...(otlp?.sendsMetrics ? [exportMetrics(metrics.registry, { ...otlp, intervalMs }, sender)] : []),
    ...(tracer === undefined ? [] : [tracer]),
  ];
}

/** Takes and pictures are files of strangers, so the log says what protects this machine from them. */
async function reportIsolation({ encoder, log }: Core): Promise<void> {
  try {
    const { description, isComplete } = await encoder.isolation();
    log[isComplete ? 'info' : 'warn'](
      { isolation: description },
      'isolation of the processes that open takes and pictures',
    );
  } catch (err) {
    log.warn({ err }, 'cannot start a process that opens takes and pictures');
  }
}

function registerGauges({
  metrics,
  requestDb: db,
  databaseHealth,
  clock,
  databaseClock,
  space,
  workFolders,
  isReplicaFailing,
}: Core): void {
  metrics.gauge(
    'foreword_database_failing_seconds',
    'How long the database has not responded; 0 while it does.',
    () => databaseHealth.failingMs() / 1_000,
  );
  metrics.gauge('foreword_queue_depth', 'Events waiting to be processed.', () => countWaiting(db.pool));
  metrics.gauge(
    'foreword_oldest_accepted_event_seconds',
    'Age of the oldest waiting event.',
    async () => (await oldestAcceptedAgeMs(db.pool, clock())) / 1000,
  );
  metrics.gauge('foreword_webhooks_waiting', 'Webhooks waiting to be sent or in flight.', () =>
    countWaitingWebhooks(db),
  );
  metrics.gauge('foreword_oldest_due_message_seconds', 'Seconds since the oldest unsent message was due.', () =>
    secondsOverdue(db, clock()),
  );
  metrics.gauge(
    'foreword_oldest_waiting_take_seconds',
    'Seconds since the oldest take was received that has no video yet.',
    async () => (await oldestWaitingTakeMs(db, clock())) / 1000,
  );
  metrics.gauge(
    'foreword_replica_failing',
    '1 while reports use DATABASE_URL, because DATABASE_READ_URL does not respond or lags.',
    () => (isReplicaFailing() ? 1 : 0),
  );
  metrics.gauge('foreword_storage_full', '1 while new takes are refused because the store has no space.', async () =>
    (await space.state()) === 'full' ? 1 : 0,
  );
  metrics.gauge(
    'foreword_storage_free_bytes',
    'Free space of the folder with the videos; NaN with S3, which does not say.',
    async () => (await space.freeBytes()) ?? Number.NaN,
  );
  metrics.gauge('foreword_work_folder_bytes', 'Size of takes and pictures in progress on the local disk.', () =>
    workFolders.bytes(),
  );
  metrics.gauge(
    'foreword_clock_skew_seconds',
    "How far the clock of this machine is ahead of the database's; negative if it is behind.",
    async () => databaseClock.skewMs() / 1000,
  );
}
