import { beforeEach, expect, test, vi } from 'vitest';
import type { Tenant } from '../../src/db/tenancy.ts';
import { reportOf } from '../../src/delivery/carriers/twilio.ts';
import { readTimeline } from '../../src/delivery/index.ts';
import { forFile } from '../harness/index.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { type Behavior, TWILIO } from './carrier-services.ts';
import type { SentMessage } from './delivery-fixture.ts';
import { CARRIERS, openWithProviders } from './with-providers.ts';

const MINUTE_MS = 60_000;
const CHICAGO = 'America/Chicago';
/** The carrier did not accept the message, but the response leaves that open. */
const ERROR: Behavior = { kind: 'respond', status: 500, body: '' };

let tenant: Tenant;
let memberId: string;
const fixture = await forFile(openWithProviders('2026-06-10T17:00:00Z', 'twilio'));
const { carrier: service, pass: later, messagesFor: messagesOf } = fixture;
beforeEach(async () => {
  service.accepted.length = 0;
  ({ tenant, memberId } = await fixture.createOrganization());
});
const report = (message: SentMessage | undefined, sid: string, status: string, code: number | null = null) =>
  fixture.delivery.routes.receiveStatus(tenant, message?.id ?? '', {
    carrier: 'twilio',
    carrierId: sid,
    report: reportOf(status, code),
  });
/** Carrier ids of the accepted texts to the intro's member. */
const carrierIdsOf = (id: string) =>
  service.accepted.filter(({ body }) => body.endsWith(fixture.links.recordUrl(id, 0))).map(({ sid }) => sid);
const summarize = (messages: readonly SentMessage[]) =>
  messages.map(({ channel, status, address }) => `${channel} ${status} ${address}`).toSorted();

test('a member whose text is reported undelivered gets one email, and the timeline shows both', async () => {
  const id = await fixture.createIntro({ tenant, member: memberId });
  await fixture.tick();
  const [ask] = await messagesOf(id, 'ask');
  await later(MINUTE_MS);
  for (let i = 0; i < 3; i++) expect(await report(ask, ask?.carrier_id ?? '', 'undelivered', 30006)).toBe(true);
  await fixture.tick();
  const expected = ['email accepted ana@acme.example', 'text undelivered +13125550117'];
  expect(summarize(await messagesOf(id, 'ask'))).toEqual(expected);
  const steps = (await readTimeline(fixture.db, tenant, id)).data.filter(({ type }) => type.startsWith('member_'));
  expect(steps.map(({ type, cause, detail }) => [type, cause, detail?.channel, detail?.code ?? null])).toEqual([
    ['member_told', 'service', 'text', null],
    ['member_told', 'service', 'email', null],
    ['member_not_told', 'carrier', 'text', 'unreachable_number'],
  ]);
});

test('a lost last reminder is not mistaken for the first one with the same text: it is sent', async () => {
  const appointment = { startsAt: '2026-06-15T20:00:00Z', timezone: CHICAGO };
  const id = await fixture.createIntro({ tenant, member: memberId, appointment });
  await fixture.advanceTo('2026-06-15T18:59:00Z');
  const [first] = await messagesOf(id, 'remind');
  expect(first).toMatchObject({ status: 'accepted' });
  service.next(ERROR);
  await fixture.advanceTo('2026-06-15T19:00:00Z');
  expect(await messagesOf(id, 'remind_last')).toMatchObject([{ in_doubt: true, body: first?.body }]);
  await later(MINUTE_MS);
  const [last] = await messagesOf(id, 'remind_last');
  expect(last).toMatchObject({ status: 'accepted', attempts: 3 });
  expect(carrierIdsOf(id)).toEqual([expect.any(String), first?.carrier_id, last?.carrier_id]);
});

test('a last reminder that the carrier accepted is distinguished from the first one, and not sent again', async () => {
  const appointment = { startsAt: '2026-06-18T20:00:00Z', timezone: CHICAGO };
  const id = await fixture.createIntro({ tenant, member: memberId, appointment });
  await fixture.advanceTo('2026-06-18T18:59:00Z');
  service.next({ kind: 'accept_then', status: 500, body: 'oops' });
  await later(2 * MINUTE_MS);
  const [[first], [last]] = [await messagesOf(id, 'remind'), await messagesOf(id, 'remind_last')];
  expect(carrierIdsOf(id)).toEqual([expect.any(String), first?.carrier_id, last?.carrier_id]);
});

test.each([
  ['delivered', 'delivered'],
  ['sent', 'accepted'],
  ['undelivered', 'undelivered'],
])(
  'a report of "%s" for a text that the lookup did not find settles it, and it is not sent again',
  async (reported, status) => {
    const day = reported.length;
    await fixture.advanceTo(`2026-07-${String(day).padStart(2, '0')}T20:00:00Z`);
    const id = await fixture.createIntro({ tenant, member: memberId });
    await fixture.tick();
    // Two seconds before quiet hours.
    await fixture.advanceTo(`2026-07-${String(day + 1).padStart(2, '0')}T01:59:58Z`);
    await fixture.record(id);
    service.accepted.length = 0;
    service.next(ERROR);
    await fixture.tick();
    await later(10_000);
    const [text] = await messagesOf(id, 'deliver');
    expect(text).toMatchObject({ status: 'scheduled', in_doubt: false, held_for: 'quiet_hours' });
    const sid = `SM${'9'.repeat(32)}`;
    const other = { carrier: 'http', carrierId: sid, report: null };
    expect(await fixture.delivery.routes.receiveStatus(tenant, text?.id ?? '', other)).toBe(false);
    expect(await report(text, sid, reported)).toBe(true);
    expect(await report(text, `SM${'8'.repeat(32)}`, 'delivered')).toBe(false);
    await later(24 * 60 * MINUTE_MS);
    expect(await messagesOf(id, 'deliver')).toMatchObject([{ status, carrier_id: sid }]);
    expect(await fixture.intro(id)).toMatchObject({ status: 'sent' });
    expect(service.accepted).toEqual([]);
  },
);

test('a carrier cannot report on a text that was never handed to it', async () => {
  await fixture.advanceTo('2026-07-21T03:00:00Z');
  const id = await fixture.deliver({ tenant, member: memberId });
  const [text] = await messagesOf(id, 'deliver');
  expect(text).toMatchObject({ status: 'scheduled', attempts: 0 });
  expect(await report(text, `SM${'7'.repeat(32)}`, 'delivered')).toBe(false);
  expect(await messagesOf(id, 'deliver')).toMatchObject([{ status: 'scheduled', carrier_id: null }]);
});

test('a text that its carrier is still accepting is not sent again when the clock of the database is set forward', async () => {
  const accepting = Promise.withResolvers<void>();
  let isAccepted = false;
  const http = await startReceiver(async (response, { body }) => {
    if (body !== '') await accepting.promise;
    response.writeHead(isAccepted ? 200 : 404).end('{"id":"sms_1"}');
  });
  const settings = CARRIERS.http.settings(new URL(http.url).origin);
  const [worker, other] = [fixture.deliveryWith(settings), fixture.deliveryWith(settings)];
  const id = await fixture.createIntro({ tenant, member: memberId });
  const sending = worker.engine.tick();
  await http.until(1);
  await fixture.database.query("update message_queue set claimed_at = claimed_at - interval '1 hour'");
  await other.engine.tick();
  isAccepted = true;
  accepting.resolve();
  await sending;
  fixture.setNow(new Date(fixture.now().getTime() + MINUTE_MS).toISOString());
  await other.engine.tick();
  expect(await messagesOf(id, 'ask')).toMatchObject([{ status: 'accepted', carrier_id: 'sms_1' }]);
  expect(http.received.filter(({ body }) => body !== '')).toHaveLength(1);
  await http.close();
});

test('a text is looked up at the account that may have sent it, and another account proves nothing', async () => {
  const id = await fixture.createIntro({ tenant, member: memberId });
  service.next({ kind: 'accept_then', status: 500, body: '' });
  await fixture.tick();
  const own = { ...TWILIO, accountSid: `AC${'1'.repeat(32)}` };
  await fixture.useAccount(tenant, own);
  await later(MINUTE_MS);
  expect(await messagesOf(id, 'ask')).toMatchObject([{ status: 'accepted', attempts: 2 }]);

  const other = await fixture.createIntro({ tenant, member: memberId });
  await fixture.configure(tenant, { twilio_account: null });
  service.next(ERROR);
  await fixture.tick();
  await fixture.database.query("update message_queue set account = 'of another account' where intro_id = $1", [other]);
  await later(MINUTE_MS);
  expect(await messagesOf(other, 'ask')).toMatchObject([{ status: 'scheduled', in_doubt: true }]);
  expect(carrierIdsOf(other)).toEqual([]);
});

test('a text in doubt of an account that cannot be decrypted is given up in the end', async () => {
  const id = await fixture.createIntro({ tenant, member: memberId });
  service.next(ERROR);
  await fixture.tick();
  await fixture.database.query("update message_queue set account = 'of the own account' where intro_id = $1", [id]);
  await fixture.useAccount(tenant, TWILIO);
  const { organizationId } = tenant;
  await fixture.database
    .sql`update delivery_settings set twilio_account = 'x' where organization_id = ${organizationId}`;
  const text = async () => (await messagesOf(id, 'ask')).find(({ channel }) => channel === 'text');
  await later(MINUTE_MS);
  expect(await text()).toMatchObject({ status: 'scheduled', in_doubt: true });
  for (let hour = 0; hour < 48; hour++) await later(60 * MINUTE_MS);
  expect(await text()).toMatchObject({ status: 'failed', error_code: 'unknown_outcome' });
});

test('a worker that was suspended between its claim and the carrier sends nothing that another one has sent', async () => {
  const [worker, other] = [fixture.deliveryWith(), fixture.deliveryWith()];
  const id = await fixture.createIntro({ tenant, member: memberId });
  const { kysely } = fixture.db;
  const begin = kysely.transaction.bind(kysely);
  const [committed, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const transaction = vi.spyOn(kysely, 'transaction').mockImplementationOnce(() => {
    const begun = begin();
    const execute = async (work: Parameters<typeof begun.execute>[0]) => {
      const result = await begun.execute(work);
      committed.resolve();
      await resumed.promise;
      return result;
    };
    return Object.assign(Object.create(begun), { execute });
  });
  const suspended = worker.engine.tick();
  await committed.promise;
  transaction.mockRestore();
  for (let minutes = 0; minutes < 2; minutes += 1) {
    await fixture.database.query("update message_queue set claimed_at = claimed_at - interval '1 hour'");
    await other.engine.tick();
    fixture.setNow(new Date(fixture.now().getTime() + MINUTE_MS).toISOString());
  }
  await other.engine.tick();
  expect(await messagesOf(id, 'ask')).toMatchObject([{ status: 'accepted' }]);
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 2 * MINUTE_MS);
  resumed.resolve();
  await suspended;
  clock.mockRestore();
  expect(carrierIdsOf(id)).toHaveLength(1);
});
