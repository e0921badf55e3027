import { setTimeout as pause } from 'node:timers/promises';
import { buildWeb } from '@foreword/web/build';
import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import { type Authenticator, type Caller, createAuthenticator, createLimiter } from './access/index.ts';
import type { Config } from './config.ts';
import { registerDocs } from './docs.ts';
import {
  countWaiting,
  createEventAcceptor,
  createEventProcessor,
  type EventAcceptor,
  oldestAcceptedAgeS,
  PROCESS_EVENTS,
  SWEEP_INTERVAL_MS,
} from './events/index.ts';
import { createHandlers } from './handlers.ts';
import {
  createIntroCreator,
  createIntroService,
  EXPIRY_INTERVAL_MS,
  expireDue,
  type IntroCreator,
} from './intros/index.ts';
import { createLinks, type Links } from './links/index.ts';
import { registerOperatorRoutes } from './operator.ts';
import { testTenant } from './organizations/index.ts';
import { registerPages } from './pages/index.ts';
import type { Clock } from './platform/clock.ts';
import { type Connection, type Database, openDatabase } from './platform/db.ts';
import { createServer } from './platform/http.ts';
import { type Jobs, startJobs } from './platform/jobs.ts';
import type { Logs } from './platform/log.ts';
import { createMetrics, type Metrics } from './platform/metrics.ts';
import { type Objects, openObjects } from './platform/objects.ts';
import { type Gate, registerOperations } from './platform/operations.ts';
import { every, type Schedule } from './platform/schedule.ts';
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
  type RecordingProcessor,
  registerRecorder,
  requeueStranded,
  STRANDED_INTERVAL_MS,
  sweepFiles,
} from './recordings/index.ts';
import type { Tables } from './tables.ts';
import { registerWeb } from './web.ts';

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

function startWorker(deps: { db: Database<Tables>; jobs: Jobs; metrics: Metrics; isBusy: () => boolean } & Parts): {
  schedules: Pick<Schedule, 'stop'>[];
  started: Promise<void>;
} {
  const { db, jobs, clock, metrics, log } = deps;
  const turn = createTurn(deps.isBusy, PROCESSING_PATIENCE_MS);
  const processor = createEventProcessor({ db, clock, metrics, log, turn });
  const started = jobs.work(PROCESS_EVENTS, async () => {
    await processor.processWaiting();
    await pause(GATHER_MS);
  });
  const schedules = [
    processor,
    every(EXPIRY_INTERVAL_MS, 'expire intros', log, () => expireDue(db, clock, metrics)),
    every(SWEEP_INTERVAL_MS, 'sweep events', log, () => processor.processWaiting()),
  ];
  return { schedules, started };
}

/** Makes videos of takes. One at a time: an encoder uses every core that the API leaves idle. */
function startMedia(
  deps: { db: Database<Tables>; jobs: Jobs; metrics: Metrics; objects: Objects; links: Links } & Parts,
): {
  processor: RecordingProcessor;
  schedules: Pick<Schedule, 'stop'>[];
  started: Promise<void>;
} {
  const { db, jobs, objects, clock, log, config } = deps;
  const encoder = createEncoder({ ffmpegPath: config.ffmpegPath, log });
  const processor = createRecordingProcessor({ ...deps, encoder });
  const started = jobs.work<ProcessRecordingJob>(PROCESS_RECORDING, async (batch) => {
    for (const { organizationId, id } of batch) await processor.process(testTenant(organizationId), id);
  });
  const { originalsDays } = config;
  const schedules = [
    every(STRANDED_INTERVAL_MS, 'requeue takes', log, () => requeueStranded(db, jobs, clock)),
    every(FILES_INTERVAL_MS, 'sweep files', log, () => sweepFiles({ db, objects, clock, originalsDays })),
  ];
  return { processor, schedules, started };
}

function createGate(authenticator: Authenticator, pool: pg.Pool, config: Config): Gate<Caller> {
  const limiter = createLimiter(pool, config.rateLimit);
  return {
    authenticate: (authorization) => authenticator.authenticate(authorization),
    admit: (caller, kind) => limiter.admit(caller, kind),
    describe: ({ organizationId, keyId }) => ({ organization: organizationId, key: keyId }),
  };
}

function registerGauges(metrics: Metrics, db: Database<Tables>, clock: Clock): void {
  metrics.gauge('foreword_queue_depth', 'Events that wait to be processed.', () => countWaiting(db.pool));
  metrics.gauge('foreword_oldest_accepted_event_seconds', 'Age of the oldest event that still waits.', () =>
    oldestAcceptedAgeS(db.pool, clock()),
  );
}

/** What people see: the recorder of the member, the page of the recipient. */
async function registerBrowserPages(
  app: FastifyInstance,
  deps: { db: Database<Tables>; jobs: Jobs; metrics: Metrics; objects: Objects; links: Links } & Parts,
): Promise<void> {
  const { db, config, links } = deps;
  const build = await buildWeb();
  await registerWeb(app, build);
  await registerPages(app, { ...deps, publicUrl: config.publicUrl });
  const { recorder: assets } = build.entries;
  if (assets === undefined) throw new Error('the web was built without its recorder');
  const maxBytes = config.maxUploadBytes;
  const uploads = createUploadServers({ ...deps, maxBytes });
  registerRecorder(app, { ...deps, uploads, pages: recorderPages(db, links), assets, maxBytes });
}

/** The only place where the parts meet. The database is there and migrated. */
export async function compose(parts: Parts): Promise<Foreword> {
  const { config, connection, log, clock } = parts;
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
  const links = createLinks(parts.serverKey, config.publicUrl);
  registerGauges(metrics, db, clock);
  const app = createServer({ log, clock, metrics });
  let ready = true;
  registerOperatorRoutes(app, { db, jobs, metrics, publicUrl: config.publicUrl, isStopping: () => !ready });

  const events: EventAcceptor = createEventAcceptor({ db, jobs, clock, metrics });
  const creator: IntroCreator = createIntroCreator(db, clock, metrics);
  let authenticator: Authenticator | undefined;
  if (config.roles.has('api')) {
    registerDocs(app);
    authenticator = createAuthenticator({ db, connection, clock });
    const intros = createIntroService({ db, clock, links });
    const simulated = createSimulatedMember({ db, objects, jobs, clock, intros });
    registerOperations(
      app,
      createGate(authenticator, db.pool, config),
      createHandlers({ db, events, creator, intros, simulated }),
    );
    await registerBrowserPages(app, { ...parts, db, jobs, metrics, objects, links });
  }
  const isBusy = () => events.pending + creator.pending >= BUSY_FROM;
  const worker = config.roles.has('worker') ? startWorker({ ...parts, db, jobs, metrics, isBusy }) : undefined;
  const media = config.roles.has('media') ? startMedia({ ...parts, db, jobs, metrics, objects, links }) : undefined;
  await Promise.all([worker?.started, media?.started]);

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
      const schedules = [...(worker?.schedules ?? []), ...(media?.schedules ?? [])];
      await Promise.all([media?.processor.stop(), ...schedules.map((schedule) => schedule.stop())]);
      await jobs.stop(STOP_JOBS_MS);
      await authenticator?.close();
      await db.close();
    },
  };
}
