import type { FastifyInstance } from 'fastify';
import type { Transaction } from 'kysely';
import type { Database } from '../../src/db/pools.ts';
import { type Tables, type Tenant, tenantOf } from '../../src/db/tenancy.ts';
import {
  bodyOf,
  type CarrierSettings,
  type Carriers,
  createDelivery,
  createMessageTokens,
  type DeliveryEvent,
  type MessageRow,
  openCarriers,
  planDelivery,
  registerBounceRoutes,
  registerCarrierRoutes,
  sealAccount,
} from '../../src/delivery/index.ts';
import { createServer } from '../../src/http/server.ts';
import { clientOf, moveToReady, type NewIntroRow, writeIntros } from '../../src/intros/index.ts';
import { createLinks, type Links } from '../../src/intros/links/index.ts';
import { expiryOf } from '../../src/intros/rules.ts';
import { createTraces } from '../../src/intros/traces/index.ts';
import { newId } from '../../src/platform/ids.ts';
import { createLogger } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { createSeal } from '../../src/platform/seal.ts';
import { toServerKey } from '../../src/platform/server-key.ts';
import { createTestClocks } from '../../src/testing/clock/index.ts';
import { createContentSeal, createPublish } from '../../src/webhooks/index.ts';
import { openTestPool } from '../db/fixture.ts';
import { recordIntroEvents } from './intro-events.ts';
import { insertMember, insertOrganization, type Member, type NewOrganization } from './organization-rows.ts';

export const PUBLIC_URL = 'https://go.acme.example';
export const LOG_ONLY: CarrierSettings = {
  text: { carrier: 'log' },
  twilioApiUrl: 'http://127.0.0.1:1',
  mail: undefined,
};

/** With its text, which the database stores without the link. */
export type SentMessage = Omit<MessageRow, 'body'> & { readonly body: string | null };

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

export type DeliveryFixture = Awaited<ReturnType<typeof openDelivery>>;

let introCount = 0;

function toIntroRow(intro: NewIntro, { tenant, memberId }: Member, now: Date): NewIntroRow {
  introCount += 1;
  const { tenant: owner = tenant, language = 'en', appointment = null } = intro;
  return {
    organization_id: owner.organizationId,
    environment: owner.environment,
    id: newId('int', now),
    status: 'requested',
    ...{ event_id: null, touchpoint_slug: intro.touchpoint ?? null, touchpoint_version: null },
    member_id: intro.member ?? memberId,
    recipient_first_name: intro.firstName ?? 'Dana',
    recipient_last_name: 'Reyes',
    recipient_phone: intro.phone ?? `+1773555${String(introCount).padStart(4, '0')}`,
    recipient_language: language,
    ...{ reference: null, reference_id: null },
    context: {
      title: null,
      appointment: appointment && {
        starts_at: new Date(appointment.startsAt).toISOString(),
        timezone: appointment.timezone,
      },
      trade: null,
      lane: null,
    },
    ...{ script: null, script_language: language, instructed: false },
    responsibility: intro.responsibility ?? 'service',
    metadata: {},
    created_at: now,
    expires_at: expiryOf(now, appointment && new Date(appointment.startsAt), intro.minutesToRecord ?? 7 * 1440),
  };
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

/** The delivery module on a real database, with a clock that only moves when a test moves it. */
export async function openDelivery(start: string, settings: CarrierSettings = LOG_ONLY) {
  const { database, db, close } = await openTestPool({ max: 8, keyedPlans: true });
  const log = createLogger('silent');
  const key = toServerKey(Buffer.alloc(32, 7));
  const links = createLinks(key, PUBLIC_URL);
  const seal = createSeal(key.derive('seal'));
  /** Published events; the subject is the intro's id or the phone number. */
  const events: { type: string; subject: string }[] = [];
  let now = new Date(start);
  const clock = () => now;
  const publish = async (_tx: Transaction<Tables>, published: readonly DeliveryEvent[]) => {
    for (const event of published) {
      events.push({ type: event.type, subject: 'introId' in event ? event.introId : event.phone });
    }
  };
  const intros = recordIntroEvents(links, key, events);
  const build = (chosen: CarrierSettings) => {
    const metrics = createMetrics();
    const carriers = openCarriers(chosen, { seal, clock, tokens: createMessageTokens(key) });
    return {
      carriers,
      metrics,
      delivery: createDelivery({
        ...{ db, requestDb: db, reportDb: db },
        serverKey: key,
        clock,
        testClocks: createTestClocks({ db, clock }),
        links,
        carriers,
        publicUrl: PUBLIC_URL,
        log,
        metrics,
        traces: createTraces(undefined),
        ...{ publish, ...intros },
      }),
    };
  };
  const { carriers, metrics, delivery } = build(settings);
  let defaults: Member | undefined;
  const createOrganization = async (options: NewOrganization = {}) => {
    const created = await insertOrganization(database, options, now);
    defaults ??= created;
    return created;
  };
  const messages = async (introId?: string): Promise<SentMessage[]> => {
    const rows = await database.query<MessageRow>(
      `select m.* from all_messages m where $1::text is null or intro_id = $1 order by coalesce(accepted_at, due_at), created_at, id`,
      [introId ?? null],
    );
    return rows.map((row) => ({ ...row, body: bodyOf(links, row) }));
  };

  const messagesFor = async (introId: string, purpose: string) =>
    (await messages(introId)).filter((message) => message.purpose === purpose);
  const tick = () => delivery.engine.tick();
  /** Moves the clock, and sends everything that becomes due in between. */
  const advanceTo = async (time: string) => {
    const end = new Date(time);
    for (;;) {
      const [next] = await database.query<{ due_at: Date | null }>(
        'select min(due_at) as due_at from message_queue where claimed_at is null',
      );
      const due = next?.due_at ?? null;
      if (due === null || due > end) break;
      if (due > now) now = due;
      await tick();
    }
    now = end;
  };
  const createIntro = async (intro: NewIntro = {}) => {
    const row = toIntroRow(intro, defaults ?? (await createOrganization()), now);
    await writeIntros(db.pool, [{ row }], [], now, { queues: true });
    return row.id;
  };
  /** Creates intros like the worker that processes events: in one transaction with the first messages about them. */
  const createTogether = async (intros: readonly NewIntro[], { fails = false, isOnTestClock = false } = {}) => {
    const member = defaults ?? (await createOrganization());
    const rows = intros.map((intro) => toIntroRow(intro, member, now));
    const tenants = rows.map(tenantOf);
    await delivery.engine.notifier.whileCreating(tenants, (notify) =>
      db.kysely.transaction().execute(async (tx) => {
        const created = rows.map((row) => ({ row }));
        await writeIntros(clientOf(tx), created, [], now, { queues: false });
        await notify(
          tx,
          rows.map((row) => ({ row, isOptedOut: false, isOnTestClock })),
          now,
        );
        if (fails) throw new Error('the transaction fails');
      }),
    );
    return rows.map(({ id }) => id);
  };
  /** Marks the video as recorded. */
  const record = async (introId: string) => {
    const [row] = await database.query<{ organization_id: string }>(
      'select organization_id from intros where id = $1',
      [introId],
    );
    const tenant: Tenant = { organizationId: row?.organization_id ?? '', environment: 'test' };
    await markRecorded({ db, links, carriers }, tenant, introId, now);
  };
  /** Sets columns of the organization's settings. */
  const configure = async ({ organizationId }: Tenant, columns: Record<string, unknown>) => {
    const names = Object.keys(columns);
    await database.query(
      `insert into delivery_settings (organization_id, environment, updated_at, ${names})
       values ($1, 'test', now(), ${names.map((_, at) => `$${at + 2}`)})
       on conflict (organization_id, environment) do update set ${names.map((name) => `${name} = excluded.${name}`)}`,
      [organizationId, ...Object.values(columns)],
    );
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
    metrics,
    events,
    now: clock,
    createOrganization,
    advanceTo,
    pass: (ms: number) => advanceTo(new Date(now.getTime() + ms).toISOString()),
    /** Adds a member, who is an owner unless the columns say otherwise. */
    addMember: (tenant: Tenant, columns: Record<string, unknown>) =>
      insertMember(database, tenant, { role: 'owner', ...columns }, now),
    configure,
    /** Gives the organization its own Twilio account. */
    useAccount: (tenant: Tenant, account: Parameters<typeof sealAccount>[2]) =>
      configure(tenant, { twilio_account: sealAccount(seal, tenant.organizationId, account) }),
    createIntro,
    createTogether,
    record,
    /** Creates an intro, notifies its member, marks the video as recorded, and sends what is due. */
    async deliver(intro: NewIntro = {}) {
      const id = await createIntro(intro);
      await tick();
      await record(id);
      await tick();
      return id;
    },
    tick,
    messages,
    messagesFor,
    /** The newest text to the recipient. */
    textOf: async (introId: string) => (await messagesFor(introId, 'deliver')).at(-1),
    async intro(id: string) {
      const [row] = await database.query<Record<string, unknown>>('select * from intros where id = $1', [id]);
      if (row === undefined) throw new Error(`no intro ${id}`);
      return row;
    },
    /** Another worker on the same database, with the same carriers unless others are given. */
    deliveryWith: (chosen = settings) => build(chosen).delivery,
    /** Sends the emails to owners that are due. */
    async sendEmails() {
      while (await delivery.sendNextEmail());
    },
    /** Moves the clock without sending anything. */
    setNow(time: string) {
      now = new Date(time);
    },
    close,
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
