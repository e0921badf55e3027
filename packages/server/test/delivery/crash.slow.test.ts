import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import path from 'node:path';
import { SMTPServer } from 'smtp-server';
import { afterEach, expect, test } from 'vitest';
import type { CarrierSettings } from '../../src/delivery/index.ts';
import { sleep } from '../harness/index.ts';
import { type CarrierService, HTTP_SECRET, startHttpService, startTwilioService, TWILIO } from './carrier-services.ts';
import { type DeliveryFixture, LOG_ONLY, openDelivery } from './delivery-fixture.ts';
import { startTelnyxService, telnyxAt } from './telnyx-service.ts';

/** Texts to it are simulated as delivered, within the worker's own commit. */
const TEST_NUMBER = '+15005550006';
const INTROS = 2_000;
const WORKERS = 2;
const CONCURRENCY = 100;
/** After this time, a message whose worker died is requeued. */
const ABANDONED_MS = 61_000;
/** Without progress for this long, all remaining messages are claimed by killed workers. */
const STALLED_MS = 1_500;
/** Limit for all intros, on a busy machine. */
const TIMEOUT_MS = 150_000;
/** Limit for a single message, including the start of its worker. */
const ONE_MESSAGE_MS = 90_000;

let fixture: DeliveryFixture;
let service: CarrierService | undefined;
const children = new Set<ChildProcess>();

async function startWorker(settings: CarrierSettings): Promise<ChildProcess> {
  const given = JSON.stringify({ url: fixture.database.url, settings });
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'delivery.child.ts'), given], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.add(child);
  child.once('exit', () => children.delete(child));
  // Fails at once if the worker cannot start.
  const failed = once(child, 'exit').then(([code]) => {
    if (code !== null) throw new Error(`a worker ended with ${code}`);
  });
  if (child.stdout !== null) await Promise.race([once(child.stdout, 'data'), failed]);
  failed.catch(() => undefined);
  return child;
}

/** Instead of waiting for a minute. Claims have the database's time, which no test can move. */
const ageClaims = () =>
  fixture.database.query(
    `update messages set claimed_at = claimed_at - interval '${ABANDONED_MS} ms' where status = 'sending'`,
  );

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}

/** Uses the real clock, as the other processes do, and allows texts at any hour. */
async function open(settings: CarrierSettings, member: 'email' | 'text'): Promise<void> {
  fixture = await openDelivery(new Date().toISOString(), settings);
  await fixture.database.query('create table published (type text, id text)');
  const { tenant } = await fixture.createOrganization({ member: { notify_by: member } });
  await fixture.database.query(
    `insert into delivery_settings (organization_id, environment, texts_from, texts_until, updated_at) values ($1, 'test', 0, 1440, now())`,
    [tenant.organizationId],
  );
}

afterEach(async () => {
  await Promise.all([...children].map(kill));
  await fixture.close();
  await service?.close();
  service = undefined;
});

const CARRIERS = [
  {
    name: 'twilio',
    start: startTwilioService,
    settingsOf: (url: string): CarrierSettings => ({
      ...LOG_ONLY,
      text: { carrier: 'twilio', account: TWILIO },
      twilioApiUrl: url,
    }),
  },
  {
    name: 'telnyx',
    start: startTelnyxService,
    settingsOf: (url: string): CarrierSettings => ({ ...LOG_ONLY, text: telnyxAt(url) }),
  },
  {
    name: 'http',
    start: () => startHttpService(false),
    settingsOf: (url: string): CarrierSettings => ({
      ...LOG_ONLY,
      text: { carrier: 'http', address: { url, secret: HTTP_SECRET } },
    }),
  },
];

test.each(CARRIERS)(
  '$name: a worker killed after the carrier accepted, but before our commit, sends one text, and the intro is sent',
  async (one) => {
    service = await one.start();
    const settings = one.settingsOf(service.url);
    await open(settings, 'email');
    const id = await fixture.createIntro();
    await fixture.tick();
    await fixture.record(id);
    service.next({ kind: 'accept_silently' });
    const taken = service.untilAccepted();
    const worker = await startWorker(settings);
    await taken;
    await kill(worker);
    const row = async () => (await fixture.messages(id)).find(({ purpose }) => purpose === 'deliver');
    expect(await row()).toMatchObject({ status: 'sending', attempts: 1 });
    await fixture.tick();
    expect(await row()).toMatchObject({ status: 'sending' });
    await ageClaims();
    await fixture.tick();
    expect(await row()).toMatchObject({ status: 'accepted', carrier_id: service.accepted[0]?.sid });
    expect(await fixture.intro(id)).toMatchObject({ status: 'sent' });
    expect([service.accepted.length, service.lookups]).toEqual([1, 1]);
    expect(fixture.events).toEqual([{ type: 'intro.sent', subject: id }]);
  },
  ONE_MESSAGE_MS,
);

test(
  'a worker killed after the second carrier accepted the text, but before our commit, sends one text in all',
  async () => {
    const second = await startTelnyxService();
    service = await startTwilioService();
    const twilio = CARRIERS[0]?.settingsOf(service.url) ?? LOG_ONLY;
    const settings = { ...twilio, fallback: telnyxAt(second.url) };
    await open(settings, 'email');
    const id = await fixture.createIntro();
    await fixture.tick();
    await fixture.record(id);
    service.next({ kind: 'respond', status: 401, body: '{"code":20003}' });
    second.next({ kind: 'accept_silently' });
    const taken = second.untilAccepted();
    const worker = await startWorker(settings);
    await taken;
    await kill(worker);
    const row = async () => (await fixture.messages(id)).find(({ purpose }) => purpose === 'deliver');
    expect(await row()).toMatchObject({ status: 'sending', attempts: 2, carrier: 'telnyx' });
    await ageClaims();
    await fixture.tick();
    expect(await row()).toMatchObject({ status: 'accepted', carrier_id: second.accepted[0]?.sid });
    expect([service.accepted.length, second.accepted.length, service.lookups, second.lookups]).toEqual([0, 1, 0, 1]);
    expect(fixture.events).toEqual([{ type: 'intro.sent', subject: id }]);
    await second.close();
  },
  ONE_MESSAGE_MS,
);

test(
  'a text of a worker killed before the carrier got it is looked up, then sent once',
  async () => {
    service = await startTwilioService();
    const settings = CARRIERS[0]?.settingsOf(service.url) ?? LOG_ONLY;
    await open(settings, 'email');
    const id = await fixture.createIntro();
    await fixture.tick();
    await fixture.record(id);
    // The state after a worker died right after its claim.
    await fixture.database.query(
      "update messages set status = 'sending', attempts = 1, claimed_at = now(), carrier = 'twilio', body = 'x' where purpose = 'deliver'",
    );
    await ageClaims();
    await fixture.tick();
    expect([service.accepted.length, service.lookups]).toEqual([1, 1]);
    expect(await fixture.intro(id)).toMatchObject({ status: 'sent' });
  },
  ONE_MESSAGE_MS,
);

test(
  'SMTP: an email of a worker killed after handing it over is not sent again, and its outcome is unknown',
  async () => {
    let emails = 0;
    let handedOver: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      handedOver = resolve;
    });
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
    mail.listen(0, '127.0.0.1');
    await once(mail.server, 'listening');
    const { port } = mail.server.address() as { port: number };
    const settings = { ...LOG_ONLY, mail: { url: `smtp://127.0.0.1:${port}`, from: 'intros@acme.example' } };
    await open(settings, 'email');
    const id = await fixture.createIntro();
    const worker = await startWorker(settings);
    await arrived;
    await kill(worker);
    await ageClaims();
    await fixture.tick();
    const [ask] = await fixture.messages(id);
    expect(ask).toMatchObject({ purpose: 'ask', status: 'failed', error_code: 'unknown_outcome' });
    expect(emails).toBe(1);
    await new Promise<void>((resolve) => mail.close(() => resolve()));
  },
  ONE_MESSAGE_MS,
);

test(
  `workers killed at random during ${INTROS} intros lose no text, and send none twice`,
  async () => {
    await open(LOG_ONLY, 'text');
    await fixture.database.query('update members set phone = $1', [TEST_NUMBER]);
    let kills = 0;
    let isOver = false;
    const crashing = Array.from({ length: WORKERS }, async () => {
      while (!isOver) {
        const worker = await startWorker(LOG_ONLY);
        await sleep(randomInt(50, 700));
        await kill(worker);
        kills += 1;
      }
    });
    const waiting = (purpose: string, status: string) =>
      fixture.database.query<{ id: string }>(
        `select i.id from messages m join intros i on i.id = m.intro_id
       where m.purpose = $1 and m.status = 'delivered' and i.status = $2 limit ${CONCURRENCY}`,
        [purpose, status],
      );
    const end = performance.now() + TIMEOUT_MS;
    let created = 0;
    let sent = 0;
    /** Creates more intros, records those whose member was notified, and returns the number of changes. */
    const step = async (): Promise<number> => {
      const [before, sentBefore] = [created, sent];
      for (let i = 0; i < CONCURRENCY && created < INTROS; i++, created++)
        await fixture.createIntro({ phone: TEST_NUMBER });
      const notified = await waiting('ask', 'requested');
      for (const { id } of notified) await fixture.record(id);
      const [count] = await fixture.database.query<{ n: number }>(
        "select count(*)::int as n from intros where status = 'sent'",
      );
      sent = count?.n ?? 0;
      return created - before + notified.length + sent - sentBefore;
    };
    for (let movedMs = performance.now(); sent < INTROS && performance.now() - movedMs < STALLED_MS; ) {
      if ((await step()) > 0) movedMs = performance.now();
      else await sleep(20);
    }
    isOver = true;
    await Promise.all(crashing);
    await ageClaims();
    if (sent < INTROS) await startWorker(LOG_ONLY);
    while (sent < INTROS && performance.now() < end) if ((await step()) === 0) await sleep(20);
    expect(sent).toBe(INTROS);
    // On a busy machine, a worker takes seconds to start.
    expect(kills).toBeGreaterThan(5);
    const outcomes = await fixture.database.query(
      `select purpose, status, attempts, count(*)::int as n from messages where purpose in ('ask', 'deliver')
     group by 1, 2, 3 order by 1`,
    );
    expect(outcomes).toEqual([
      { purpose: 'ask', status: 'delivered', attempts: 1, n: INTROS },
      { purpose: 'deliver', status: 'delivered', attempts: 1, n: INTROS },
    ]);
    const published = await fixture.database.query(
      'select count(*)::int as n, count(distinct id)::int as intros from published',
    );
    expect(published).toEqual([{ n: INTROS, intros: INTROS }]);
  },
  TIMEOUT_MS + 60_000,
);
