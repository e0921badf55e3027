import type { FastifyInstance } from 'fastify';
import type { Transaction } from 'kysely';
import {
  bodyOf,
  type CarrierSettings,
  type Carriers,
  createDelivery,
  createMessageTokens,
  type Delivery,
  type DeliveryEvent,
  type MessageRow,
  OWNER_EMAILS,
  openCarriers,
  planDelivery,
  registerBounceRoutes,
  registerCarrierRoutes,
  WEEKLY_SUMMARIES,
  workOnOwnerEmails,
  workOnWeeklySummaries,
} from '../../src/delivery/index.ts';
import { insertIntros, moveToReady, toRow } from '../../src/intros/index.ts';
import { createLinks, type Links } from '../../src/links/index.ts';
import { type Database, inTransaction, openDatabase } from '../../src/platform/db.ts';
import { createServer } from '../../src/platform/http.ts';
import { newId } from '../../src/platform/ids.ts';
import { type Jobs, startJobs } from '../../src/platform/jobs.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { createSeal, type Seal } from '../../src/platform/seal.ts';
import { type ServerKey, toServerKey } from '../../src/platform/server-key.ts';
import type { Tables, Tenant } from '../../src/tables.ts';
import { createTestClocks } from '../../src/test-clock/index.ts';
import { NO_TRACES } from '../../src/traces/index.ts';
import { createContentSeal, createPublish, type Publish } from '../../src/webhooks/index.ts';
import { createTestDatabase, type TestDatabase } from '../harness/index.ts';
import { recordIntroEvents } from './intro-events.ts';
import { insertOrganization, type Member, type NewOrganization } from './organization-rows.ts';

const STOP_JOBS_MS = 1_000;
export const PUBLIC_URL = 'https://go.acme.example';
export const LOG_ONLY: CarrierSettings = {
  text: { carrier: 'log' },
  twilioApiUrl: 'http://127.0.0.1:1',
  mail: undefined,
};

export interface SentMessage {
  readonly id: string;
  readonly intro_id: string;
  readonly audience: string;
  readonly purpose: string;
  readonly channel: string | null;
  readonly status: string;
  readonly address: string | null;
  readonly subject: string | null;
  readonly body: string | null;
  readonly segments: number | null;
  readonly due_at: Date;
  readonly held_for: string | null;
  readonly held_until: Date | null;
  readonly attempts: number;
  readonly in_doubt: boolean;
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly carrier: string | null;
  readonly carrier_id: string | null;
  readonly accepted_at: Date | null;
  readonly settled_at: Date | null;
}

export interface NewIntro {
  language?: 'en' | 'es';
  tenant?: Tenant;
  member?: string;
  phone?: string;
  firstName?: string;
  touchpoint?: string | null;
  appointment?: { startsAt: string; timezone: string } | null;
  responsibility?: 'service' | 'integration';
  minutesToRecord?: number;
}

/** The delivery module on a real database, with a clock that only moves when a test moves it. */
export interface DeliveryFixture {
  readonly database: TestDatabase;
  readonly db: Database<Tables>;
  readonly links: Links;
  readonly seal: Seal;
  readonly serverKey: ServerKey;
  readonly publish: Publish;
  readonly carriers: Carriers;
  readonly delivery: Delivery;
  /** Published events; the subject is the intro's id or the phone number. */
  readonly events: { type: string; subject: string }[];
  readonly now: () => Date;
  /** Moves the clock, and sends everything that becomes due in between. */
  advanceTo(time: string): Promise<void>;
  createOrganization(organization?: NewOrganization): Promise<{ tenant: Tenant; memberId: string }>;
  createIntro(intro?: NewIntro): Promise<string>;
  /** Marks the video as recorded. */
  record(introId: string): Promise<void>;
  /** Sends everything that is due now. */
  tick(): Promise<void>;
  messages(introId?: string): Promise<SentMessage[]>;
  intro(id: string): Promise<Record<string, unknown>>;
  /** Another worker on the same database, with the same carriers unless others are given. */
  deliveryWith(settings?: CarrierSettings): Delivery;
  /** Runs the jobs of owner emails, as one more worker. */
  workOnOwnerEmails(): Promise<void>;
  /** Runs the jobs of weekly summaries, as one more worker. */
  workOnSummaries(): Promise<void>;
  /** Moves the clock without sending anything. */
  setNow(time: string): void;
  close(): Promise<void>;
}

const NO_JOBS: Pick<Jobs, 'sendWithin' | 'work' | 'stop'> = {
  sendWithin: async () => undefined,
  work: async () => undefined,
  stop: async () => undefined,
};

let introCount = 0;

function toIntroRow(intro: NewIntro, { tenant, memberId }: Member, now: Date) {
  introCount += 1;
  const phone = intro.phone ?? `+1773555${String(introCount).padStart(4, '0')}`;
  const { language = 'en', appointment = null, touchpoint = null } = intro;
  const draft = {
    eventId: null,
    ...{ touchpointSlug: touchpoint, touchpointVersion: null, memberId: intro.member ?? memberId },
    recipient: { first_name: intro.firstName ?? 'Dana', last_name: 'Reyes', phone, language },
    reference: undefined,
    context: {
      title: null,
      appointment: appointment && { startsAt: new Date(appointment.startsAt), timezone: appointment.timezone },
      trade: null,
      lane: null,
    },
    instructions: null,
    scriptLanguage: language,
    responsibility: intro.responsibility ?? 'service',
    metadata: undefined,
    minutesToRecord: intro.minutesToRecord ?? 7 * 1440,
  };
  return toRow(intro.tenant ?? tenant, draft, now);
}

async function markRecorded(
  { db, links, carriers }: { db: Database<Tables>; links: Links; carriers: Carriers },
  tenant: Tenant,
  introId: string,
  now: Date,
) {
  await db.kysely.transaction().execute(async (tx) => {
    const take = { recordingId: newId('rec', now), linkHost: null };
    if ((await moveToReady(tx, tenant, introId, take, now)) === null) throw new Error('this intro cannot be recorded');
    await links.activate(tx, tenant, introId, ['page']);
    await planDelivery({ carriers }, tx, tenant, introId, now);
  });
}

export async function openDelivery(
  start: string,
  settings: CarrierSettings = LOG_ONLY,
  { startsJobs = false }: { startsJobs?: boolean } = {},
): Promise<DeliveryFixture> {
  const database = await createTestDatabase();
  const connection = { connectionString: database.url };
  const db = openDatabase<Tables>(connection, { max: 8, name: 'test', keyedPlans: true, onError: () => undefined });
  const log = createLogger('silent');
  // A short delay between retries, for fast tests.
  const queues = [OWNER_EMAILS, WEEKLY_SUMMARIES].map((queue) => ({ ...queue, retryDelayS: 1 }));
  const jobs = startsJobs ? await startJobs({ connection, queues, works: true, log }) : NO_JOBS;
  const key = toServerKey(Buffer.alloc(32, 7));
  const links = createLinks(key, PUBLIC_URL);
  const seal = createSeal(key.derive('seal'));
  const events: DeliveryFixture['events'] = [];
  let now = new Date(start);
  const clock = () => now;
  const publish = async (_tx: Transaction<Tables>, published: readonly DeliveryEvent[]) => {
    for (const event of published) {
      events.push({ type: event.type, subject: 'introId' in event ? event.introId : event.phone });
    }
  };
  const intros = recordIntroEvents(links, key, events);
  const build = (chosen: CarrierSettings) => {
    const carriers = openCarriers(chosen, { seal, clock, tokens: createMessageTokens(key) });
    return {
      carriers,
      delivery: createDelivery({
        ...{ db, requestDb: db, reportDb: db },
        serverKey: key,
        clock,
        testClocks: createTestClocks({ db, clock }),
        jobs,
        links,
        carriers,
        publicUrl: PUBLIC_URL,
        log,
        metrics: createMetrics(),
        traces: NO_TRACES,
        ...{ publish, ...intros },
        yieldToRequests: async () => undefined,
      }),
    };
  };
  const { carriers, delivery } = build(settings);
  let defaults: Member | undefined;
  const createOrganization = async (options: NewOrganization = {}) => {
    const created = await insertOrganization(database, options, now);
    defaults ??= created;
    return created;
  };
  const messages: DeliveryFixture['messages'] = async (introId) => {
    const rows = await database.query<MessageRow>(
      `select m.* from messages m where $1::text is null or intro_id = $1 order by coalesce(accepted_at, due_at), created_at, id`,
      [introId ?? null],
    );
    return rows.map((row) => ({ ...row, body: bodyOf(links, row) }));
  };

  return {
    database,
    db,
    links,
    seal,
    serverKey: key,
    publish: createPublish(createContentSeal(key)),
    carriers,
    delivery,
    events,
    now: clock,
    createOrganization,
    async advanceTo(time) {
      const end = new Date(time);
      for (;;) {
        const [next] = await database.query<{ due_at: Date | null }>(
          "select min(due_at) as due_at from messages where status = 'scheduled'",
        );
        const due = next?.due_at ?? null;
        if (due === null || due > end) break;
        if (due > now) now = due;
        await delivery.engine.tick();
      }
      now = end;
    },
    async createIntro(intro = {}) {
      const row = toIntroRow(intro, defaults ?? (await createOrganization()), now);
      await inTransaction(db.pool, (client) => insertIntros(client, [row]));
      return row.id;
    },
    async record(introId) {
      const [row] = await database.query<{ organization_id: string }>(
        'select organization_id from intros where id = $1',
        [introId],
      );
      const tenant: Tenant = { organizationId: row?.organization_id ?? '', environment: 'test' };
      await markRecorded({ db, links, carriers }, tenant, introId, now);
    },
    tick: () => delivery.engine.tick(),
    messages,
    async intro(id) {
      const [row] = await database.query<Record<string, unknown>>('select * from intros where id = $1', [id]);
      if (row === undefined) throw new Error(`no intro ${id}`);
      return row;
    },
    deliveryWith: (chosen = settings) => build(chosen).delivery,
    workOnOwnerEmails: () => workOnOwnerEmails(jobs, delivery.ownerEmails),
    workOnSummaries: () => workOnWeeklySummaries(jobs, delivery.weeklySummaries),
    setNow(time) {
      now = new Date(time);
    },
    async close() {
      await jobs.stop(STOP_JOBS_MS);
      await db.close();
      await database.drop();
    },
  };
}

export const BOUNCE_SECRET = 'bounces-of-the-tests';

/** A server with the endpoints that carriers call. */
export function serveCarrierRoutes(
  fixture: DeliveryFixture,
  open?: (url: string) => Promise<boolean>,
): FastifyInstance {
  const { db, now: clock, carriers } = fixture;
  const log = createLogger('silent');
  const trustsProxy = () => false;
  const app = createServer({ log, clock, metrics: createMetrics(), publicUrl: PUBLIC_URL, trustsProxy });
  registerCarrierRoutes(app, { db, clock, carriers, publicUrl: PUBLIC_URL, ...fixture.delivery.routes });
  const { bounces } = fixture.delivery;
  registerBounceRoutes(app, { bounces, secret: BOUNCE_SECRET, log, ...(open !== undefined && { open }) });
  return app;
}
