import { SMTPServer } from 'smtp-server';
import { afterEach, expect, test } from 'vitest';
import type { CarrierSettings } from '../../src/delivery/index.ts';
import type { Reply } from '../../src/delivery/store/inbound.ts';
import { isLong, listenLocally, sleep } from '../harness/index.ts';
import { type Behavior, type CarrierService, startTwilioService } from './carrier-services.ts';
import { type DeliveryFixture, LOG_ONLY, openDelivery } from './delivery-fixture.ts';
import { startTelnyxService, telnyxAt } from './telnyx-service.ts';
import { textingWith } from './texting.ts';
import { CARRIERS } from './with-providers.ts';
import { killWorkers, randomMs, startWorker, type Worker } from './workers.ts';

/** Texts to it are simulated as delivered, within the worker's own commit. */
const TEST_NUMBER = '+15005550006';
const WORKERS = 2;
const ROUNDS = isLong ? 12 : 2;
/** After a minute, a message whose worker died is requeued. */
const ABANDONED = '61 s';
const TIMEOUT_MS = 240_000;
const REJECTED: Behavior = { kind: 'respond', status: 401, body: '{"code":20003,"message":"no"}' };

let fixture: DeliveryFixture;
const services: CarrierService[] = [];

async function serve(starting: Promise<CarrierService>): Promise<CarrierService> {
  const service = await starting;
  services.push(service);
  return service;
}

/** Uses the real clock, as the other processes do, and allows texts at any hour. */
async function open(settings: CarrierSettings, member: 'email' | 'text' = 'email') {
  fixture = await openDelivery(new Date().toISOString(), settings);
  await fixture.database.query('create table published (type text, id text)');
  const organization = await fixture.createOrganization({ member: { notify_by: member } });
  await fixture.configure(organization.tenant, { texts_from: 0, texts_until: 1440 });
  return organization;
}

afterEach(async () => {
  await killWorkers();
  await fixture.close();
  for (const service of services.splice(0)) await service.close();
});

const start = (settings: CarrierSettings, more: object = {}): Promise<Worker> =>
  startWorker({ url: fixture.database.url, settings, ...more });

/** Starts workers, kills each at a random moment, and returns them. */
async function killAtRandom(settings: CarrierSettings, withinMs: number, more: object = {}): Promise<Worker[]> {
  const workers = await Promise.all(Array.from({ length: WORKERS }, () => start(settings, more)));
  const moments = workers.map(() => randomMs(withinMs));
  await Promise.all(
    workers.map(async (worker, n) => {
      await sleep(moments[n] ?? 0);
      await worker.kill();
    }),
  );
  return workers;
}

/** Instead of waiting for a minute, when no worker is alive. Claims have the database's time, which no test can move. */
const ageClaims = () =>
  fixture.database.query(
    `update message_queue set claimed_at = claimed_at - interval '${ABANDONED}' where claimed_at is not null`,
  );

const count = async (from: string): Promise<number> =>
  (await fixture.database.query<{ n: number }>(`select count(*)::int as n from ${from}`))[0]?.n ?? 0;

/** Creates an intro whose text is due. */
async function recorded(phone?: string): Promise<string> {
  const id = await fixture.createIntro(phone === undefined ? {} : { phone });
  await fixture.tick();
  await fixture.record(id);
  return id;
}

/** Kills a worker after this carrier accepted the text, but before our commit. Then another one takes over. */
async function killAfterAcceptance(settings: CarrierSettings, carrier: CarrierService): Promise<string> {
  const id = await recorded();
  carrier.next({ kind: 'accept_silently' });
  const taken = carrier.untilAccepted();
  const worker = await start(settings);
  await taken;
  await worker.kill();
  await fixture.tick();
  expect(await fixture.textOf(id)).toMatchObject({ status: 'sending' });
  await ageClaims();
  // The second attempt was due by the worker's clock.
  fixture.setNow(new Date().toISOString());
  await fixture.tick();
  expect(await fixture.textOf(id)).toMatchObject({ status: 'accepted', carrier_id: carrier.accepted[0]?.sid });
  expect(await fixture.intro(id)).toMatchObject({ status: 'sent' });
  expect(fixture.events).toEqual([{ type: 'intro.sent', subject: id }]);
  return id;
}

test.each(['twilio', 'telnyx', 'http'] as const)(
  '%s: a worker killed after the carrier accepted, but before our commit, sends one text, and the intro is sent',
  async (name) => {
    const carrier = await serve(CARRIERS[name].start());
    const settings = CARRIERS[name].settings(carrier.url);
    await open(settings);
    await killAfterAcceptance(settings, carrier);
    expect([carrier.accepted.length, carrier.lookups]).toEqual([1, 1]);
  },
);

test('a worker killed after the second carrier accepted the text, but before our commit, sends one text in all', async () => {
  const [first, second] = [await serve(startTwilioService()), await serve(startTelnyxService())];
  const settings = { ...CARRIERS.twilio.settings(first.url), fallback: telnyxAt(second.url) };
  await open(settings);
  first.next(REJECTED);
  const id = await killAfterAcceptance(settings, second);
  expect(await fixture.textOf(id)).toMatchObject({ attempts: 3, carrier: 'telnyx' });
  expect([first.accepted.length, second.accepted.length, first.lookups, second.lookups]).toEqual([0, 1, 0, 1]);
});

test('SMTP: an email of a worker killed after handing it over is not sent again, and its outcome is unknown', async () => {
  let emails = 0;
  const { promise: arrived, resolve: handedOver } = Promise.withResolvers<void>();
  const mail = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    onData(stream) {
      stream.resume();
      stream.on('end', () => {
        emails += 1;
        handedOver();
      });
    },
  });
  mail.on('error', () => undefined);
  const { port, close } = await listenLocally(mail.server);
  const settings = { ...LOG_ONLY, mail: { url: `smtp://127.0.0.1:${port}`, from: 'intros@acme.example' } };
  await open(settings);
  const id = await fixture.createIntro();
  const worker = await start(settings);
  await arrived;
  await worker.kill();
  await ageClaims();
  await fixture.tick();
  const [ask] = await fixture.messages(id);
  expect(ask).toMatchObject({ purpose: 'ask', status: 'failed', error_code: 'unknown_outcome' });
  expect(emails).toBe(1);
  await close();
});

const INTROS = isLong ? 2_000 : 160;
test(
  `workers killed at random during ${INTROS} intros lose no text, and send none twice`,
  async () => {
    await open(LOG_ONLY, 'text');
    await fixture.database.query('update members set phone = $1', [TEST_NUMBER]);
    let created = 0;
    /** Creates more intros, and records those whose member was notified. */
    const proceed = async () => {
      for (let n = 0; n < INTROS / 20 && created < INTROS; n++, created++)
        await fixture.createIntro({ phone: TEST_NUMBER });
      const notified = await fixture.database.query<{ id: string }>(
        `select i.id from all_messages m join intros i on i.id = m.intro_id
         where m.purpose = 'ask' and m.status = 'delivered' and i.status = 'requested' limit 100`,
      );
      for (const { id } of notified) await fixture.record(id);
      await sleep(20);
    };
    let isOver = false;
    const killing = (async () => {
      for (let round = 0; round < 2 * ROUNDS; round++) await killAtRandom(LOG_ONLY, 700);
    })().finally(() => {
      isOver = true;
    });
    while (!isOver) await proceed();
    await killing;
    await ageClaims();
    await start(LOG_ONLY);
    const sent = async () => {
      await proceed();
      return count("intros where status = 'sent'");
    };
    await expect.poll(sent, { timeout: TIMEOUT_MS }).toBe(INTROS);
    const outcomes = await fixture.database.query(
      `select purpose, status, attempts, count(*)::int as n from all_messages where purpose in ('ask', 'deliver')
       group by 1, 2, 3 order by 1`,
    );
    expect(outcomes).toEqual([
      { purpose: 'ask', status: 'delivered', attempts: 1, n: INTROS },
      { purpose: 'deliver', status: 'delivered', attempts: 1, n: INTROS },
    ]);
    expect([await count('published'), await count('(select distinct id from published) p')]).toEqual([INTROS, INTROS]);
  },
  2 * TIMEOUT_MS,
);

test(
  'two workers, killed at random while texts wait for their account, lose none and send none twice',
  async () => {
    const carrier = await serve(startTwilioService());
    const settings = CARRIERS.twilio.settings(carrier.url);
    await open(settings);
    const ids: string[] = [];
    for (let n = 0; n < 20; n++) ids.push(await fixture.createIntro());
    await fixture.tick();
    for (const id of ids) await fixture.record(id);
    // The account works again in the middle of the kills.
    carrier.next(...Array.from({ length: 5 * ROUNDS }, () => REJECTED));
    /** Instead of waiting: claims of killed workers are abandoned, the account is tried again, and texts are due. */
    const proceed = async () => {
      await ageClaims();
      await fixture.database.query('update carrier_holds set next_probe_at = least(next_probe_at, now())');
      await fixture.database.query(
        'update message_queue set due_at = now() where claimed_at is null and due_at > now()',
      );
      fixture.setNow(new Date().toISOString());
      await fixture.tick();
      return count("intros where status = 'sent'");
    };
    for (let round = 0; round < 2 * ROUNDS; round++) {
      await killAtRandom(settings, 2_000);
      await proceed();
    }
    await expect.poll(proceed, { timeout: TIMEOUT_MS }).toBe(ids.length);
    expect(new Set(carrier.accepted.map(({ to }) => to)).size).toBe(ids.length);
    expect(carrier.accepted).toHaveLength(ids.length);
    expect(await fixture.database.query('select 1 from carrier_holds')).toEqual([]);
    const byWorkers = await fixture.database.query<{ type: string; id: string }>('select type, id from published');
    const published = [...byWorkers, ...fixture.events.map(({ type, subject: id }) => ({ type, id }))];
    expect(published.toSorted((a, b) => a.id.localeCompare(b.id))).toEqual(
      ids.toSorted().map((id) => ({ type: 'intro.sent', id })),
    );
  },
  2 * TIMEOUT_MS,
);

test(
  'two workers that are killed again and again send exactly as many texts as the daily limit allows',
  async () => {
    const [limit, intros] = [20, 60];
    const carrier = await serve(CARRIERS.http.start());
    const settings = CARRIERS.http.settings(carrier.url);
    const { tenant } = await open(settings);
    await fixture.configure(tenant, { daily_texts: limit });
    for (let at = 0; at < intros; at += 1) {
      await fixture.record(await fixture.createIntro({ phone: `+1312444${String(at).padStart(4, '0')}` }));
    }
    for (let round = 0; round < ROUNDS; round += 1) await killAtRandom(settings, 200);
    await ageClaims();
    await start(settings);
    const texts = async () => [
      await count("all_messages where purpose = 'deliver' and status = 'accepted'"),
      await count("all_messages where purpose = 'deliver' and status = 'scheduled' and held_for = 'daily_limit'"),
    ];
    await expect.poll(texts, { timeout: TIMEOUT_MS }).toEqual([limit, intros - limit]);
    expect(carrier.accepted).toHaveLength(limit);
    const counts = await fixture.database.query("select sent from text_counts where subject = ''");
    expect(counts).toEqual([{ sent: limit }]);
  },
  2 * TIMEOUT_MS,
);

test(
  'each received text is applied once and answered at most once, although its nodes are killed at any moment',
  async () => {
    const carrier = await serve(CARRIERS.http.start());
    await open(CARRIERS.http.settings(carrier.url));
    const texting = textingWith(fixture);
    const texts: Reply[] = [];
    const [requested, replied]: [string[], string[]] = [[], []];
    // Half of the members have a video to record, and half have a reply to answer.
    for (let i = 0; i < (isLong ? 40 : 10); i++) {
      const [member, declining] = [await texting.createMember(), await texting.createMember()];
      await fixture.configure(member.tenant, { forwards_replies: true, texts_from: 0, texts_until: 1440 });
      const phone = texting.newPhone();
      replied.push(await texting.deliver(member, { phone }));
      await texting.text(phone, 'Hello');
      await fixture.tick();
      requested.push(await texting.ask(declining));
      const from = (number: string, body: string): Reply => ({
        ...{ from: number, body, organizationId: null, reported: { carrier: 'telnyx', id: `${body} text ${i}` } },
      });
      texts.push(from(phone, 'Thanks'), from(member.phone, 'Yes, at noon'), from(declining.phone, 'DECLINE'));
    }
    const nodes: Worker[] = [];
    for (let round = 0; round < ROUNDS; round++) nodes.push(...(await killAtRandom(LOG_ONLY, 250, { texts })));
    const last = await start(LOG_ONLY, { texts });
    await last.ended;
    const responses = [...nodes, last]
      .flatMap((node) => node.written().split('\n'))
      .filter((line) => line.includes(' text '));
    const countOf = (table: string, ids: readonly string[]) =>
      fixture.database.query<{ id: string; n: number }>(
        `select intro_id as id, count(*)::int as n from ${table} where intro_id = any($1) group by 1 order by 1`,
        [ids],
      );
    const each = (ids: readonly string[], n: number) => [...ids].sort().map((id) => ({ id, n }));
    expect(await countOf('intro_declines', requested)).toEqual(each(requested, 1));
    // With the reply of the arrangement.
    expect(await countOf('intro_replies', replied)).toEqual(each(replied, 2));
    expect(await countOf('intro_answers', replied)).toEqual(each(replied, 1));
    expect(await countOf("(select * from all_messages where purpose = 'answer') m", replied)).toEqual(each(replied, 1));
    const published = await fixture.database.query('select type, id from published order by type, id');
    expect(published).toEqual([
      ...[...requested].sort().map((id) => ({ type: 'intro.declined', id })),
      ...[...replied].sort().map((id) => ({ type: 'intro.replied', id })),
    ]);
    expect(new Set(responses).size).toBe(responses.length);
    expect(responses.length).toBeGreaterThan(0);
    expect(responses.every((id) => !id.startsWith('Thanks'))).toBe(true);
  },
  2 * TIMEOUT_MS,
);
