import {
  type CarrierSettings,
  createDelivery,
  openCarriers,
  WEEKLY_SUMMARIES,
  workOnWeeklySummaries,
} from '../../src/delivery/index.ts';
import { createIntroEvents } from '../../src/intros/index.ts';
import { createLinks } from '../../src/links/index.ts';
import { openDatabase } from '../../src/platform/db.ts';
import { startJobs } from '../../src/platform/jobs.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { createSeal } from '../../src/platform/seal.ts';
import { toServerKey } from '../../src/platform/server-key.ts';
import type { Tables } from '../../src/tables.ts';
import { createTestClocks } from '../../src/test-clock/index.ts';
import { NO_TRACES } from '../../src/traces/index.ts';

/** A worker process that plans and sends weekly summaries at a given time, to be killed. */
const { url, settings, now } = JSON.parse(process.argv[2] ?? '{}') as {
  url: string;
  settings: CarrierSettings;
  now: string;
};
const connection = { connectionString: url };
const log = createLogger('silent');
const db = openDatabase<Tables>(connection, { max: 4, name: 'test', keyedPlans: true, onError: () => undefined });
const key = toServerKey(Buffer.alloc(32, 7));
const clock = () => new Date(now);
// Jobs of a killed process run again after a second.
const queues = [{ ...WEEKLY_SUMMARIES, retryDelayS: 1, retryDelayMaxS: 1, retryLimit: 50, expireInSeconds: 2 }];
const jobs = await startJobs({ connection, queues, works: true, log });
const links = createLinks(key, 'https://go.acme.example');
const { weeklySummaries } = createDelivery({
  db,
  requestDb: db,
  reportDb: db,
  serverKey: key,
  clock,
  testClocks: createTestClocks({ db, clock }),
  jobs,
  links,
  carriers: openCarriers(settings, { seal: createSeal(key.derive('seal')), clock }),
  publicUrl: 'https://go.acme.example',
  log,
  metrics: createMetrics(),
  traces: NO_TRACES,
  publish: async () => undefined,
  introEvents: createIntroEvents(links, async () => undefined),
  reassign: async () => null,
  yieldToRequests: async () => undefined,
});
process.stdout.write('started\n');
await workOnWeeklySummaries(jobs, weeklySummaries);
await weeklySummaries.plan();
