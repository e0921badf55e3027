import { setTimeout as pause } from 'node:timers/promises';
import { buildWeb } from '@foreword/web/build';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { type Authenticator, type Caller, createAuthenticator, createLimiter } from './access/index.ts';
import type { Config } from './config.ts';
import {
  type Announce,
  type Carriers,
  createDelivery,
  type Delivery,
  openCarriers,
  planDelivery,
  registerCarrierRoutes,
  secondsOverdue,
  watchCarriers,
} from './delivery/index.ts';
import { registerDocs } from './docs.ts';
import {
  countWaiting,
  createEventAcceptor,
  createEventProcessor,
  type EventAcceptor,
  type EventProcessor,
  oldestAcceptedAgeS,
  PROCESS_EVENTS,
  SWEEP_INTERVAL_MS,
} from './events/index.ts';
import { createHandlers } from './handlers.ts';
import {
  createIntroCreator,
  createIntroNews,
  createIntroService,
  EXPIRY_INTERVAL_MS,
  expireDue,
  type IntroCreator,
  type IntroNews,
} from './intros/index.ts';
import { createLinks, type Links } from './links/index.ts';
import { registerOperatorRoutes } from './operator.ts';
import { testTenant } from './organizations/index.ts';
import { registerPages } from './pages/index.ts';
import { systemChance } from './platform/chance.ts';
import { type Clock, monotonicMs } from './platform/clock.ts';
import { type Connection, type Database, openDatabase } from './platform/db.ts';
import { createServer } from './platform/http.ts';
import { type Jobs, startJobs } from './platform/jobs.ts';
import type { Logs } from './platform/log.ts';
import { createMetrics, type Metrics } from './platform/metrics.ts';
import { type Objects, openObjects } from './platform/objects.ts';
import { type Gate, registerOperations } from './platform/operations.ts';
import { createOutbound } from './platform/outbound.ts';
import { every } from './platform/schedule.ts';
import { createSeal, type Seal } from './platform/seal.ts';
import type { ServerKey } from './platform/server-key.ts';
import { createTurn } from './platform/turn.ts';
import { recorderPages } from './recorder-pages.ts';
import {
  createEncoder,
  createRecordingProcessor,
  createSimulatedMember,
  createUploadServers,
  FILES_INTERVAL_MS,
  PROCESS_RECORDING,
  type ProcessRecordingJob,
  registerRecorder,
  requeueStranded,
  STRANDED_INTERVAL_MS,
  sweepFiles,
} from './recordings/index.ts';
import type { Tables } from './tables.ts';
import { registerWeb } from './web.ts';
import {
  announce,
  countWaitingWebhooks,
  createWebhookSender,
  createWebhookService,
  FORGET_INTERVAL_MS,
  forgetOldWebhooks,
  MAX_PARALLEL,
  SEAL_PURPOSE,
} from './webhooks/index.ts';

const MAX_CONNECTIONS = 10;
/** Requests waiting for their commit from which on processing steps back, and for how long before it takes its turn anyway. */
const BUSY_FROM = 24;
const PROCESSING_PATIENCE_MS = 250;
/**
 * A pause between two takings of jobs. The first event of a quiet moment is processed at once; of those that follow closely,
 * what came in the pause shares one transaction instead of having three of its own. Far below the 100 ms that we promise.
 */
const GATHER_MS = 20;
/** Drain, jobs and connections together stay below the 10 s an operator gives. */
const STOP_JOBS_MS = 4_000;
const CLOSE_IDLE_MS = 50;

export interface Foreword {
  readonly app: FastifyInstance;
  listen(): Promise<void>;
  /** Readiness goes off first; requests and jobs under way are finished, then everything is closed. */
  stop(): Promise<void>;
}

interface Parts {
  config: Config;
  connection: Connection;
  log: Logs;
  clock: Clock;
  serverKey: ServerKey;
}

/** What every role needs. */
interface Core extends Parts {
  db: Database<Tables>;
  jobs: Jobs;
  metrics: Metrics;
  objects: Objects;
  links: Links;
  seal: Seal;
  news: IntroNews;
  carriers: Carriers;
  delivery: Delivery;
  processor: EventProcessor;
}

/** Something that works by itself until it is told to stop. */
interface Running {
  stop(): Promise<unknown>;
}

const announceNews =
  (news: IntroNews): Announce =>
  (tx, told, now) =>
    announce(
      tx,
      told.map((one) =>
        one.type === 'recipient.opted_out'
          ? {
              tenant: one.tenant,
              type: one.type,
              data: () => ({ object: 'recipient', phone: one.phone, opted_out_at: one.optedOutAt.toISOString() }),
            }
          : news.changeOf(tx, one),
      ),
      now,
    );

async function openCore(parts: Parts, isBusy: () => boolean): Promise<Core> {
  const { config, connection, log, clock, serverKey } = parts;
  const metrics = createMetrics();
  const db = openDatabase<Tables>(connection, {
    max: MAX_CONNECTIONS,
    name: 'foreword',
    keyedPlans: true,
    onError: (err) => log.warn({ err }, 'database connection lost'),
  });
  const works = config.roles.has('worker') || config.roles.has('media');
  const jobs = await startJobs({ connection, queues: [PROCESS_EVENTS, PROCESS_RECORDING], works, log });
  const objects = openObjects(config.objectsUrl, { clock, credentials: config.objectsCredentials });
  const links = createLinks(serverKey, config.publicUrl);
  const seal = createSeal(serverKey.derive(SEAL_PURPOSE));
  const news = createIntroNews(links);
  const carriers = openCarriers(config.carriers, { seal, clock });
  const processor = createEventProcessor({
    db,
    clock,
    metrics,
    log,
    news,
    turn: createTurn(isBusy, PROCESSING_PATIENCE_MS),
  });
  const announceAll = announceNews(news);
  const { publicUrl } = config;
  const delivery = createDelivery({
    db,
    clock,
    links,
    carriers,
    publicUrl,
    log,
    metrics,
    announce: announceAll,
    // Accepting goes first, then what was accepted, then what is told of it.
    turn: createTurn(() => isBusy() || processor.isRunning(), PROCESSING_PATIENCE_MS),
  });
  return { ...parts, db, jobs, metrics, objects, links, seal, news, carriers, delivery, processor };
}

/** Turns events into intros, lets them expire, brings messages and webhooks on their way. */
async function startWorker(core: Core): Promise<Running[]> {
  const { db, jobs, clock, metrics, log, connection, seal, news, delivery, processor, config } = core;
  const outbound = createOutbound({ allowPrivate: config.webhooksAllowPrivate, connectionsPerOrigin: MAX_PARALLEL });
  const sender = createWebhookSender({
    db,
    connection,
    clock,
    chance: systemChance,
    seal,
    outbound,
    log,
    metrics,
    onDisabled: delivery.tellDisabled,
  });
  await jobs.work(PROCESS_EVENTS, async () => {
    await processor.processWaiting();
    await pause(GATHER_MS);
  });
  sender.start();
  delivery.engine.start(connection);
  return [
    processor,
    sender,
    delivery.engine,
    every(EXPIRY_INTERVAL_MS, 'expire intros', log, () => expireDue({ db, clock, metrics, news })),
    every(SWEEP_INTERVAL_MS, 'sweep events', log, () => processor.processWaiting()),
    every(FORGET_INTERVAL_MS, 'forget old webhooks', log, () => forgetOldWebhooks(db, clock)),
  ];
}

/** Makes videos of takes. One at a time: an encoder uses every core that the API leaves idle. */
async function startMedia(core: Core): Promise<Running[]> {
  const { db, jobs, objects, clock, log, config, news } = core;
  const encoder = createEncoder({ ffmpegPath: config.ffmpegPath, log });
  const processor = createRecordingProcessor({
    ...core,
    encoder,
    async onReady(tx, tenant, introId, now) {
      await planDelivery(tx, tenant, introId, now);
      await news.tell(tx, [{ tenant, introId, type: 'intro.ready' }], now);
    },
  });
  await jobs.work<ProcessRecordingJob>(PROCESS_RECORDING, async (batch) => {
    for (const { organizationId, id } of batch) await processor.process(testTenant(organizationId), id);
  });
  const { originalsDays } = config;
  return [
    processor,
    every(STRANDED_INTERVAL_MS, 'requeue takes', log, () => requeueStranded(db, jobs, clock)),
    every(FILES_INTERVAL_MS, 'sweep files', log, () => sweepFiles({ db, objects, clock, originalsDays })),
  ];
}

function createGate(authenticator: Authenticator, pool: pg.Pool, config: Config): Gate<Caller> {
  const limiter = createLimiter(pool, config.rateLimit);
  return {
    authenticate: (authorization) => authenticator.authenticate(authorization),
    admit: (caller, kind) => limiter.admit(caller, kind),
    describe: ({ organizationId, keyId }) => ({ organization: organizationId, key: keyId }),
  };
}

function registerGauges({ metrics, db, clock }: Core): void {
  metrics.gauge('foreword_queue_depth', 'Events that wait to be processed.', () => countWaiting(db.pool));
  metrics.gauge('foreword_oldest_accepted_event_seconds', 'Age of the oldest event that still waits.', () =>
    oldestAcceptedAgeS(db.pool, clock()),
  );
  metrics.gauge('foreword_webhooks_waiting', 'Webhooks that wait to be sent or are under way.', () =>
    countWaitingWebhooks(db),
  );
  metrics.gauge('foreword_oldest_due_message_seconds', 'How long the oldest message is overdue.', () =>
    secondsOverdue(db, clock()),
  );
}

/** What people see: the recorder of the member, the page of the recipient. */
async function registerBrowserPages(app: FastifyInstance, core: Core): Promise<void> {
  const { db, config, links, delivery, news } = core;
  const build = await buildWeb();
  await registerWeb(app, build);
  await registerPages(app, {
    ...core,
    publicUrl: config.publicUrl,
    redirectMedia: config.redirectMedia,
    news,
    optOut: delivery.optOut,
  });
  const { recorder: assets } = build.entries;
  if (assets === undefined) throw new Error('the web was built without its recorder');
  const maxBytes = config.maxUploadBytes;
  const uploads = createUploadServers({ ...core, maxBytes });
  registerRecorder(app, { ...core, uploads, pages: recorderPages(db, links), assets, maxBytes });
}

/** What machines and people ask of this node. Gives what has to be closed with it. */
async function registerApi(
  app: FastifyInstance,
  core: Core,
  accepting: { events: EventAcceptor; creator: IntroCreator },
): Promise<Authenticator> {
  const { db, connection, clock, config, carriers, delivery } = core;
  registerDocs(app);
  const authenticator = createAuthenticator({ db, connection, clock });
  const intros = createIntroService(core);
  const simulated = createSimulatedMember({ ...core, intros });
  const webhooks = createWebhookService({ ...core, allowPrivate: config.webhooksAllowPrivate });
  registerOperations(
    app,
    createGate(authenticator, db.pool, config),
    createHandlers({ db, ...accepting, intros, simulated, webhooks }),
  );
  registerCarrierRoutes(app, { db, clock, carriers, publicUrl: config.publicUrl, ...delivery.routes });
  await registerBrowserPages(app, core);
  return authenticator;
}

/** The only place where the parts meet. The database is there and migrated. */
export async function compose(parts: Parts): Promise<Foreword> {
  const { config, log, clock } = parts;
  const isBusy = () => events.pending + creator.pending >= BUSY_FROM;
  const core = await openCore(parts, isBusy);
  const { db, jobs, metrics, news, carriers } = core;
  const events: EventAcceptor = createEventAcceptor({ db, jobs, clock, metrics });
  const creator: IntroCreator = createIntroCreator({ db, clock, metrics, news });
  registerGauges(core);
  const app = createServer({ log, clock, metrics });
  let ready = true;
  const { publicUrl, roles } = config;
  const watch = watchCarriers(carriers, monotonicMs);
  registerOperatorRoutes(app, { db, jobs, metrics, publicUrl, carriers: watch, isStopping: () => !ready });
  const authenticator = roles.has('api') ? await registerApi(app, core, { events, creator }) : undefined;
  const running = [
    ...(roles.has('worker') ? await startWorker(core) : []),
    ...(roles.has('media') ? await startMedia(core) : []),
  ];

  return {
    app,
    async listen() {
      await app.listen({ port: config.port, host: config.host });
    },
    async stop() {
      ready = false;
      // A connection whose request was under way falls idle only after its answer; nobody else would close it then.
      const idle = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_MS);
      await app.close();
      clearInterval(idle);
      await Promise.all([events.drain(), creator.drain()]);
      await Promise.all([jobs.stop(STOP_JOBS_MS), ...running.map((one) => one.stop())]);
      await authenticator?.close();
      await db.close();
    },
  };
}
