import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { reportOf } from '../../src/delivery/carriers/twilio.ts';
import { readTimeline } from '../../src/delivery/index.ts';
import type { Tenant } from '../../src/tables.ts';
import { type Behavior, type CarrierService, startTwilioService, TWILIO } from './carrier-services.ts';
import { type DeliveryFixture, LOG_ONLY, openDelivery, type SentMessage } from './delivery-fixture.ts';

const MINUTE_MS = 60_000;
const CHICAGO = 'America/Chicago';
/** It had not taken the message, and does not say so. */
const ERROR: Behavior = { kind: 'respond', status: 500, body: '' };

let fixture: DeliveryFixture;
let service: CarrierService;
let tenant: Tenant;
let memberId: string;
beforeAll(async () => {
  service = await startTwilioService();
  const text = { carrier: 'twilio', account: TWILIO } as const;
  fixture = await openDelivery('2026-06-10T17:00:00Z', { ...LOG_ONLY, text, twilioApiUrl: service.url });
});
beforeEach(async () => {
  service.accepted.length = 0;
  ({ tenant, memberId } = await fixture.createOrganization());
});
afterAll(async () => {
  await fixture.close();
  await service.close();
});

const later = (ms: number) => fixture.advanceTo(new Date(fixture.now().getTime() + ms).toISOString());
const tell = (message: SentMessage | undefined, sid: string, status: string, code: number | null = null) =>
  fixture.delivery.routes.receiveStatus(tenant, message?.id ?? '', {
    carrier: 'twilio',
    carrierId: sid,
    report: reportOf(status, code),
  });
const messagesOf = async (id: string, purpose: string) =>
  (await fixture.messages(id)).filter((message) => message.purpose === purpose);
/** What the carrier has of the words to its member. */
const takenOf = (id: string) =>
  service.accepted.filter(({ body }) => body.endsWith(fixture.links.recordUrl(id, 0))).map(({ sid }) => sid);
const shortly = (messages: readonly SentMessage[]) =>
  messages.map(({ channel, status, address }) => `${channel} ${status} ${address}`).toSorted();

test('a member whose text turns out to be undelivered is told by e-mail, once, and the timeline says both', async () => {
  const id = await fixture.createIntro({ tenant, member: memberId });
  await fixture.tick();
  const [ask] = await messagesOf(id, 'ask');
  await later(MINUTE_MS);
  for (let i = 0; i < 3; i++) expect(await tell(ask, ask?.carrier_id ?? '', 'undelivered', 30006)).toBe(true);
  await fixture.tick();
  const expected = ['email accepted ana@acme.example', 'text undelivered +13125550117'];
  expect(shortly(await messagesOf(id, 'ask'))).toEqual(expected);
  const steps = (await readTimeline(fixture.db, tenant, id)).data.filter(({ type }) => type.startsWith('member_'));
  expect(steps.map(({ type, cause, detail }) => [type, cause, detail?.channel, detail?.code ?? null])).toEqual([
    ['member_told', 'service', 'text', null],
    ['member_told', 'service', 'email', null],
    ['member_not_told', 'carrier', 'text', 'unreachable_number'],
  ]);
});

test('a last reminder that was lost is not taken for the first one, which says the same: it is sent', async () => {
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
  expect(takenOf(id)).toEqual([expect.any(String), first?.carrier_id, last?.carrier_id]);
});

test('a last reminder that the carrier has is found beside the first one, and not sent again', async () => {
  const appointment = { startsAt: '2026-06-18T20:00:00Z', timezone: CHICAGO };
  const id = await fixture.createIntro({ tenant, member: memberId, appointment });
  await fixture.advanceTo('2026-06-18T18:59:00Z');
  service.next({ kind: 'accept_then', status: 500, body: 'oops' });
  await later(2 * MINUTE_MS);
  const [[first], [last]] = [await messagesOf(id, 'remind'), await messagesOf(id, 'remind_last')];
  expect(takenOf(id)).toEqual([expect.any(String), first?.carrier_id, last?.carrier_id]);
});

test.each([
  ['delivered', 'delivered'],
  ['sent', 'accepted'],
  ['undelivered', 'undelivered'],
])('the carrier tells "%s" of a text that it did not find: it waits no longer, and goes once', async (told, status) => {
  const day = told.length;
  await fixture.advanceTo(`2026-07-${String(day).padStart(2, '0')}T20:00:00Z`);
  const id = await fixture.createIntro({ tenant, member: memberId });
  await fixture.tick();
  // Two seconds before the night.
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
  expect(await tell(text, sid, told)).toBe(true);
  expect(await tell(text, `SM${'8'.repeat(32)}`, 'delivered')).toBe(false);
  await later(24 * 60 * MINUTE_MS);
  expect(await messagesOf(id, 'deliver')).toMatchObject([{ status, carrier_id: sid }]);
  expect(await fixture.intro(id)).toMatchObject({ status: 'sent' });
  expect(service.accepted).toEqual([]);
});

test('no word of a carrier counts for a text that was never handed to it', async () => {
  await fixture.advanceTo('2026-07-21T03:00:00Z');
  const id = await fixture.createIntro({ tenant, member: memberId });
  await fixture.tick();
  await fixture.record(id);
  await fixture.tick();
  const [text] = await messagesOf(id, 'deliver');
  expect(text).toMatchObject({ status: 'scheduled', attempts: 0 });
  expect(await tell(text, `SM${'7'.repeat(32)}`, 'delivered')).toBe(false);
  expect(await messagesOf(id, 'deliver')).toMatchObject([{ status: 'scheduled', carrier_id: null }]);
});
