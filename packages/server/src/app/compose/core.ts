import { openDatabaseClock } from '../../db/clock.ts';
import { deletingUnlessHeld } from '../../db/copy.ts';
import { DatabaseHealth } from '../../db/health.ts';
import { Hints } from '../../db/hints.ts';
import type { Keyring } from '../../db/keyring.ts';
import { type Connection, openDatabase, openReadReplica } from '../../db/pools.ts';
import type { Tables } from '../../db/tenancy.ts';
import {
  createDelivery,
  createErasedOptOuts,
  createEventPublisher,
  createMessageTokens,
  notifyNewMember,
  openCarriers,
} from '../../delivery/index.ts';
import { createEventProcessor } from '../../intros/events/index.ts';
import { createIntroEvents, createReassign } from '../../intros/index.ts';
import { createLinks } from '../../intros/links/index.ts';
import { createTraces } from '../../intros/traces/index.ts';
import { monotonicMs, systemClock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { Logs } from '../../platform/log.ts';
import { createMetrics } from '../../platform/metrics.ts';
import { folderOfObjects, openObjects, watchSpace } from '../../platform/objects/index.ts';
import { version } from '../../platform/process.ts';
import { createYield } from '../../platform/schedule.ts';
import { sealWith } from '../../platform/seal.ts';
import type { Tracer } from '../../platform/tracing.ts';
import { openWorkFolders } from '../../platform/work-folders.ts';
import { createEncoder, discardIntroUploads } from '../../recordings/index.ts';
import { createTestClocks } from '../../testing/clock/index.ts';
import { createContentSeal, createPublish, SEAL_PURPOSE } from '../../webhooks/index.ts';
import type { Config } from '../config/index.ts';

const REQUEST_CONNECTIONS = 10;
const REPORT_CONNECTIONS = 2;
const BACKGROUND_CONNECTIONS = 6;
/** Short, because every claim of webhooks waits. */
const SENDING_MAX_WAIT_MS = 50;

/** A background process that runs until it is stopped. */
export interface Running {
  stop(): Promise<unknown>;
}

export interface Parts {
  config: Config;
  /** For transactions, possibly through a pooler. */
  connection: Connection;
  /** For LISTEN, which needs a session. */
  direct: Connection;
  log: Logs;
  serverKey: Keyring;
  /** The disk of the embedded database. Undefined: it has its own machine. */
  isDiskFull?: (() => boolean) | undefined;
  /** Only tests set it. */
  databaseFailureLimitMs?: number | undefined;
  /** Only tests set it. */
  metricsIntervalMs?: number | undefined;
}

/** Pools of their own, so that no kind of work waits for the connections or the slow statements of another. */
function openDatabases({ config, connection, log, databaseFailureLimitMs: failureLimitMs }: Parts) {
  const health = new DatabaseHealth({ connection, log, failureLimitMs });
  const hints = new Hints(log);
  const open = (use: 'request' | 'report' | 'background', max: number) =>
    openDatabase<Tables>(connection, {
      use,
      max,
      health,
      hints,
      name: 'foreword',
      keyedPlans: true,
      onError: (err) => log.warn({ err }, 'database connection lost'),
    });
  const db = open('background', BACKGROUND_CONNECTIONS);
  hints.sendWith(db.pool);
  const primary = open('report', REPORT_CONNECTIONS);
  const { databaseReadUrl } = config;
  const { db: reportDb, isReplicaFailing } =
    databaseReadUrl === undefined
      ? { db: primary, isReplicaFailing: () => false }
      : openReadReplica<Tables>({ connectionString: databaseReadUrl }, { primary, max: REPORT_CONNECTIONS, log });
  return {
    /** Notifies other nodes of changes. */
    hints,
    databaseHealth: health,
    db,
    requestDb: open('request', REQUEST_CONNECTIONS),
    reportDb,
    /** DATABASE_READ_URL does not respond or lags. False if it is unset. */
    isReplicaFailing,
  };
}

/** Loads OpenTelemetry's SDK, which takes a quarter of a second, only while traces are on. */
async function startTracing({ config: { otlp }, log }: Parts, instance: string): Promise<Tracer | undefined> {
  if (otlp?.sampler === undefined) return undefined;
  const { startTracer } = await import('../../platform/otlp/traces.ts');
  return startTracer(otlp, otlp.sampler, { version: version(), instance, log });
}

/** Opens the parts that every role needs. */
export async function openCore(parts: Parts, isBusy: () => boolean) {
  const { config, log, serverKey } = parts;
  const databases = openDatabases(parts);
  const { db } = databases;
  const databaseClock = await openDatabaseClock(db.pool);
  const clock = databaseClock.now;
  const instance = newId('run', clock());
  const tracer = await startTracing(parts, instance);
  const telemetry = { metrics: createMetrics(), tracer, traces: createTraces(tracer) };
  const testClocks = createTestClocks({ db, clock });
  await testClocks.refresh();
  // Stores compare signatures with their own time, and files have this machine's.
  const stored = openObjects(config.objectsUrl, { clock: systemClock });
  // Only the embedded database is backed up together with its objects.
  const kept = config.databaseUrl === undefined ? deletingUnlessHeld(stored, db) : stored;
  const { objects, space } = watchSpace(kept, folderOfObjects(config.objectsUrl), monotonicMs);
  const workFolders = openWorkFolders(config);
  const encoder = createEncoder({ ffmpegPath: config.ffmpegPath, log, workFolders, isolate: config.isolateMedia });
  const links = createLinks(serverKey, config.publicUrl);
  const contents = createContentSeal(serverKey);
  const seal = sealWith(serverKey, SEAL_PURPOSE);
  const introEvents = createIntroEvents(links, createPublish(contents));
  const reassign = createReassign({ links, introEvents, discardUploads: discardIntroUploads, notifyNewMember });
  const carriers = openCarriers(config.carriers, { seal, clock, tokens: createMessageTokens(serverKey) });
  const erasedOptOuts = createErasedOptOuts(serverKey);
  const shared = { ...parts, ...databases, ...telemetry, clock, testClocks, links, carriers, introEvents, reassign };
  const publish = createEventPublisher(introEvents);
  const delivery = createDelivery({ ...shared, publicUrl: config.publicUrl, publish });
  const { notifier } = delivery.engine;
  const processor = createEventProcessor({ db, clock, ...telemetry, log, introEvents, erasedOptOuts, notifier });
  return {
    ...shared,
    /** Identifies this run. */
    instance,
    databaseClock,
    objects,
    space,
    workFolders,
    encoder,
    seal,
    contents,
    decline: delivery.decline,
    delivery,
    erasedOptOuts,
    processor,
    /** Lets webhooks wait for accepting. */
    yieldSending: createYield(isBusy, SENDING_MAX_WAIT_MS),
  };
}

export type Core = Awaited<ReturnType<typeof openCore>>;
