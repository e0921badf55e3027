import type { FastifyInstance } from 'fastify';
import { registerApi } from './compose/api.ts';
import { openCore, type Parts } from './compose/core.ts';
import { registerGauges } from './compose/gauges.ts';
import { startMedia } from './compose/media.ts';
import { startWorker } from './compose/worker.ts';
import { watchCarriers } from './delivery/index.ts';
import { createEventAcceptor, type EventAcceptor } from './events/index.ts';
import { createIntroCreator, type IntroCreator } from './intros/index.ts';
import { registerOperatorRoutes } from './operator.ts';
import { monotonicMs } from './platform/clock.ts';
import { createServer } from './platform/http.ts';

/** Requests waiting for their commit from which on processing steps back. */
const BUSY_FROM = 24;
/** Drain, jobs and connections together stay below the 10 s an operator gives. */
const STOP_JOBS_MS = 4_000;

export interface Foreword {
  readonly app: FastifyInstance;
  listen(): Promise<void>;
  /** Readiness goes off first; requests and jobs under way are finished, then everything is closed. */
  stop(): Promise<void>;
}

/** The only place where the parts meet. The database is there and migrated. */
export async function compose(parts: Parts): Promise<Foreword> {
  const { config, log, clock } = parts;
  const isBusy = () => events.pending + creator.pending >= BUSY_FROM;
  const core = await openCore(parts, isBusy);
  const { db, jobs, metrics, introEvents, carriers } = core;
  const events: EventAcceptor = createEventAcceptor({ db, jobs, clock, metrics });
  const creator: IntroCreator = createIntroCreator({ db, clock, metrics, introEvents });
  registerGauges(core);
  const app = createServer({ log, clock, metrics });
  let ready = true;
  const { publicUrl, roles } = config;
  const carrierWatch = watchCarriers(carriers, monotonicMs);
  registerOperatorRoutes(app, { db, jobs, metrics, publicUrl, carriers: carrierWatch, isStopping: () => !ready });
  const api = roles.has('api') ? await registerApi(app, core, { events, creator, carrierWatch }) : undefined;
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
      await app.close();
      await Promise.all([events.drain(), creator.drain()]);
      await Promise.all([jobs.stop(STOP_JOBS_MS), ...running.map((one) => one.stop())]);
      await api?.close();
      await db.close();
    },
  };
}
