import { afterAll, beforeEach, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { type Behavior, startTwilioService, TWILIO } from './carrier-services.ts';
import { openDelivery } from './delivery-fixture.ts';
import { errorOf, startTelnyxService, telnyxAt } from './telnyx-service.ts';
import { CARRIERS } from './with-providers.ts';

const FAULT: Behavior = {
  kind: 'respond',
  status: 401,
  body: JSON.stringify({ code: 20003, message: 'Authenticate' }),
};
const twilioError = (code: number): Behavior => ({ kind: 'respond', status: 400, body: JSON.stringify({ code }) });

const settingsWith = (url: string) => ({ ...CARRIERS.twilio.settings(url), fallback: telnyxAt(second.url) });

const [first, second] = await Promise.all([startTwilioService(), startTelnyxService()]);
const fixture = await forFile(openDelivery('2026-06-10T17:00:00Z', settingsWith(first.url)));
// Members are notified by email, so that the carriers only get texts to recipients.
await fixture.createOrganization({ member: { notify_by: 'email' } });
beforeEach(() => {
  for (const service of [first, second]) {
    service.accepted.length = 0;
    service.lookups = 0;
  }
  fixture.events.length = 0;
});
afterAll(async () => {
  expect([...first.violations, ...second.violations]).toEqual([]);
  await Promise.all([first.close(), second.close()]);
});

async function recorded(): Promise<string> {
  const id = await fixture.createIntro();
  await fixture.tick();
  await fixture.record(id);
  return id;
}

async function text(...behaviors: Behavior[]): Promise<string> {
  const id = await recorded();
  first.next(...behaviors);
  await fixture.tick();
  return id;
}

const rowOf = (id: string) => fixture.textOf(id);
const accepted = () => [first.accepted.length, second.accepted.length];

test.each([
  ['rejects the credentials', FAULT],
  ['rejects the sender', twilioError(21606)],
])('if the first carrier %s, the second one gets the text at once, and the message names it', async (_name, fault) => {
  const id = await text(fault);
  expect(await rowOf(id)).toMatchObject({ status: 'accepted', carrier: 'telnyx', attempts: 2 });
  expect(await rowOf(id)).toMatchObject({ carrier_id: second.accepted[0]?.sid, error_message: null });
  expect(accepted()).toEqual([0, 1]);
  expect(fixture.events).toEqual([{ type: 'intro.sent', subject: id }]);
});

test('if no connection to the first carrier is possible, the second one gets the text at once', async () => {
  const gone = await startTwilioService();
  await gone.close();
  const id = await recorded();
  await fixture.deliveryWith(settingsWith(gone.url)).engine.tick();
  expect(await rowOf(id)).toMatchObject({ status: 'accepted', carrier: 'telnyx' });
  expect(accepted()).toEqual([0, 1]);
});

test.each<[string, Behavior, number]>([
  ['500', { kind: 'respond', status: 500, body: '' }, 1],
  ['a cut connection', { kind: 'cut' }, 1],
  ['an acceptance without a response', { kind: 'accept_and_cut' }, 1],
  ['429', { kind: 'respond', status: 429, body: '' }, 1],
  ["a rejection of the recipient's number", twilioError(21211), 0],
  ["the recipient's opt-out", twilioError(21610), 0],
])('after %s, the second carrier never gets the text', async (_name, behavior, sent) => {
  const id = await text(behavior);
  await fixture.pass(60_000);
  expect(await rowOf(id)).toMatchObject({ carrier: 'twilio', status: sent === 1 ? 'accepted' : 'failed' });
  expect(accepted()).toEqual([sent, 0]);
});

test('a text that the first carrier may have sent earlier stays with it, even after a fault', async () => {
  const id = await text({ kind: 'respond', status: 500, body: '' }, FAULT);
  await fixture.pass(5_000);
  expect(await rowOf(id)).toMatchObject({ status: 'scheduled', carrier: 'twilio', in_doubt: false });
  await fixture.pass(3_600_000);
  expect(await rowOf(id)).toMatchObject({ status: 'accepted', carrier: 'twilio' });
  expect(accepted()).toEqual([1, 0]);
});

test('a text that the second carrier may have sent is looked up there, and not sent again', async () => {
  second.next({ kind: 'accept_and_cut' });
  const id = await text(FAULT);
  expect(await rowOf(id)).toMatchObject({ status: 'scheduled', in_doubt: true, carrier: 'telnyx' });
  await fixture.pass(30_000);
  expect(await rowOf(id)).toMatchObject({ status: 'accepted', carrier_id: second.accepted[0]?.sid });
  expect([accepted(), first.lookups, second.lookups]).toEqual([[0, 1], 0, 1]);
});

test('if both carriers are at fault, the text waits, and the first one comes first again', async () => {
  second.next({ kind: 'respond', status: 401, body: errorOf('10009', 'Authentication failed') });
  const id = await text(FAULT);
  expect(await rowOf(id)).toMatchObject({ status: 'scheduled', in_doubt: false, attempts: 2 });
  await fixture.pass(3_600_000);
  expect(await rowOf(id)).toMatchObject({ status: 'accepted', carrier: 'twilio', attempts: 3 });
  expect(accepted()).toEqual([1, 0]);
});

test("texts of an organization's own account never go through the account of the service", async () => {
  const { tenant, memberId: member } = await fixture.createOrganization({ member: { notify_by: 'email' } });
  await fixture.useAccount(tenant, TWILIO);
  const id = await fixture.createIntro({ tenant, member });
  await fixture.tick();
  await fixture.record(id);
  first.next(FAULT);
  await fixture.tick();
  expect(await rowOf(id)).toMatchObject({ status: 'scheduled', carrier: 'twilio', attempts: 1 });
  await fixture.pass(3_600_000);
  expect(accepted()).toEqual([1, 0]);
});
