import { sql } from 'kysely';
import { type CarrierSettings, createDelivery, openCarriers } from '../../src/delivery/index.ts';
import { createLinks } from '../../src/links/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/db.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { createSeal } from '../../src/platform/seal.ts';
import { toServerKey } from '../../src/platform/server-key.ts';
import type { Tables } from '../../src/tables.ts';
import { createTestClocks } from '../../src/test-clock/index.ts';

/** A worker process, to be killed. It writes the events that it publishes to the table `published`. */
const { url, settings } = JSON.parse(process.argv[2] ?? '{}') as { url: string; settings: CarrierSettings };
const connection = { connectionString: url };
const db = openDatabase<Tables>(connection, { max: 4, name: 'test', keyedPlans: true, onError: () => undefined });
const key = toServerKey(Buffer.alloc(32, 7));
const clock = systemClock;
const { engine } = createDelivery({
  db,
  requestDb: db,
  reportDb: db,
  serverKey: key,
  clock,
  testClocks: createTestClocks({ db, clock }),
  jobs: { sendWithin: async () => undefined },
  links: createLinks(key, 'https://go.acme.example'),
  carriers: openCarriers(settings, { seal: createSeal(key.derive('seal')), clock }),
  publicUrl: 'https://go.acme.example',
  log: createLogger('silent'),
  metrics: createMetrics(),
  async publish(tx, events) {
    for (const event of events) {
      const subject = 'introId' in event ? event.introId : event.phone;
      await sql`insert into published values (${event.type}, ${subject})`.execute(tx);
    }
  },
  yieldToRequests: async () => undefined,
});
engine.start(connection);
process.stdout.write('started\n');
