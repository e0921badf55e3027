import { sql, type Transaction } from 'kysely';
import { Hints } from '../../src/db/hints.ts';
import { openDatabase } from '../../src/db/pools.ts';
import type { Tables } from '../../src/db/tenancy.ts';
import { type CarrierSettings, createDelivery, openCarriers } from '../../src/delivery/index.ts';
import type { Reply } from '../../src/delivery/store/inbound.ts';
import { createIntroEvents, type IntroEvents } from '../../src/intros/index.ts';
import { createLinks } from '../../src/intros/links/index.ts';
import { createTraces } from '../../src/intros/traces/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { createSeal } from '../../src/platform/seal.ts';
import { toServerKey } from '../../src/platform/server-key.ts';
import { createTestClocks } from '../../src/testing/clock/index.ts';

/**
 * A process to be killed: a worker, a node that receives these texts, or a worker that sends weekly summaries. It writes the events that it publishes to the table `published`, and the id of each text that it responds to.
 */
const { url, settings, texts, summaries } = JSON.parse(process.argv[2] ?? '{}') as {
  url: string;
  settings: CarrierSettings;
  texts?: readonly Reply[];
  /** Their time, which is this one in reality, and passes faster: what a killed process left waits for a minute. */
  summaries?: { readonly at: string; readonly startedMs: number };
};
const SPEED = 30;
const connection = { connectionString: url };
const db = openDatabase<Tables>(connection, { max: 4, name: 'test', keyedPlans: true, onError: () => undefined });
const key = toServerKey(Buffer.alloc(32, 7));
const log = createLogger('silent');
const clock =
  summaries === undefined
    ? systemClock
    : () => new Date(Date.parse(summaries.at) + (Date.now() - summaries.startedMs) * SPEED);
const links = createLinks(key, 'https://go.acme.example');
const introEvents: IntroEvents = {
  ...createIntroEvents(links, async () => undefined),
  async publish(within, events) {
    for (const { type, introId } of events) {
      await sql`insert into published values (${type}, ${introId})`.execute(within as Transaction<Tables>);
    }
  },
};
const { engine, routes, weeklySummaries, startSendingEmails } = createDelivery({
  ...{ db, requestDb: db, reportDb: db },
  serverKey: key,
  clock,
  testClocks: createTestClocks({ db, clock }),
  links,
  carriers: openCarriers(settings, { seal: createSeal(key.derive('seal')), clock }),
  publicUrl: 'https://go.acme.example',
  log,
  metrics: createMetrics(),
  traces: createTraces(undefined),
  async publish(tx, events) {
    for (const event of events) {
      const subject = 'introId' in event ? event.introId : event.phone;
      await sql`insert into published values (${event.type}, ${subject})`.execute(tx);
    }
  },
  introEvents,
  reassign: async () => null,
});
process.stdout.write('started\n');
if (summaries !== undefined) {
  startSendingEmails();
  await weeklySummaries.plan();
} else if (texts === undefined) {
  engine.start({ direct: connection, hints: new Hints(), log });
} else {
  const waiting = [...texts];
  const receive = async () => {
    for (let text = waiting.shift(); text !== undefined; text = waiting.shift()) {
      const response = await routes.replies.receive(text);
      if (response !== null) process.stdout.write(`${text.reported?.id}\n`);
    }
  };
  await Promise.all([receive(), receive(), receive(), receive()]);
  process.exit(0);
}
