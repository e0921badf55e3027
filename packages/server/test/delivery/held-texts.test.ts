import { afterAll, beforeEach, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import type { Behavior } from './carrier-services.ts';
import { type NewIntro, serveCarrierRoutes } from './delivery-fixture.ts';
import { callAsTwilio, openWithProviders } from './with-providers.ts';

const NOON = '2026-06-10T17:00:00Z';
const MINUTE_MS = 60_000;

const fixture = await forFile(openWithProviders(NOON, 'twilio'));
const { carrier, pass } = fixture;
const app = serveCarrierRoutes(fixture);
beforeEach(async () => {
  carrier.clear();
  carrier.accepted.length = 0;
  fixture.events.length = 0;
  fixture.setNow(NOON);
  await fixture.database.query(
    'truncate carrier_holds, carrier_notices, owner_emails, message_queue, messages, texted_numbers, intros',
  );
});
afterAll(() => expect(carrier.violations).toEqual([]));

const refuse = (status: number, code: number): Behavior => ({
  kind: 'respond',
  status,
  body: JSON.stringify({ code, message: 'Why', status }),
});
const UNAUTHORIZED = refuse(401, 20003);

async function organize(name = 'Acme Roofing') {
  const { tenant } = await fixture.createOrganization({ name });
  return { tenant, member: await fixture.addMember(tenant, { notify_by: 'email' }) };
}

type Organization = Awaited<ReturnType<typeof organize>>;

/** Intros whose texts are due, and not sent yet. */
async function recordAll(...intros: (Organization & NewIntro)[]): Promise<string[]> {
  const ids: string[] = [];
  for (const intro of intros) ids.push(await fixture.createIntro(intro));
  await fixture.tick();
  for (const id of ids) await fixture.record(id);
  return ids;
}

const recorded = async (intro: Organization & NewIntro): Promise<string> => (await recordAll(intro))[0] ?? '';

const texts = (id: string) => fixture.messagesFor(id, 'deliver');
const ownerEmails = () =>
  fixture.database.query<{ subject: string; body: string }>(
    "select subject, body from owner_emails where purpose = 'carrier_fault' order by id",
  );
const holds = () => fixture.database.query('select fault, is_reported, probes from carrier_holds');
const notices = () =>
  fixture.database.query('select fault from carrier_notices where ended_at is null order by organization_id');

async function report(sid: string | undefined, MessageStatus: string, ErrorCode?: number): Promise<void> {
  const message = carrier.accepted.find((one) => one.sid === sid);
  const fields = {
    ...{ MessageSid: sid ?? '', MessageStatus },
    ...(ErrorCode !== undefined && { ErrorCode: String(ErrorCode) }),
  };
  const { statusCode } = await callAsTwilio(app, message?.statusUrl ?? '', fields);
  expect(statusCode).toBe(204);
}

test('texts of all organizations wait while their account cannot send, and are sent once when it works', async () => {
  const [one, other] = [await organize('Acme'), await organize('Bolt')];
  const ids = await recordAll(one, one, other);
  carrier.next(UNAUTHORIZED, UNAUTHORIZED, UNAUTHORIZED, UNAUTHORIZED);
  await fixture.tick();
  await pass(4_000);
  for (const id of ids) {
    const [text] = await texts(id);
    expect(text).toMatchObject({ status: 'scheduled', held_for: 'carrier_account', error_code: null });
    expect(text?.held_until).toEqual(text?.due_at);
    expect(await fixture.intro(id)).toMatchObject({ status: 'ready', delivery_error_code: null });
  }
  // One of them finds out whether the account works.
  await pass(2_000);
  expect(await holds()).toEqual([{ fault: 'credentials', is_reported: false, probes: 1 }]);
  expect(carrier.accepted).toEqual([]);
  await pass(60_000);
  expect(carrier.accepted.map(({ to }) => to).toSorted()).toEqual(
    (await Promise.all(ids.map(async (id) => (await texts(id))[0]?.address))).toSorted(),
  );
  for (const id of ids) expect(await fixture.intro(id)).toMatchObject({ status: 'sent' });
  expect(await holds()).toEqual([]);
  expect(await notices()).toEqual([]);
  expect((await ownerEmails()).map(({ subject }) => subject).toSorted()).toEqual([
    'Acme: text messages need your attention',
    'Bolt: text messages need your attention',
  ]);
  expect(fixture.events.filter(({ type }) => type === 'intro.delivery_failed')).toEqual([]);
});

test('a text that a fault holds for a day does not fail, although the account was tried many times', async () => {
  const by = await organize();
  const id = await recorded(by);
  carrier.next(...Array.from({ length: 40 }, () => UNAUTHORIZED));
  await pass(20 * 3_600_000);
  expect((await texts(id))[0]).toMatchObject({ status: 'scheduled', held_for: 'carrier_account' });
  expect(await ownerEmails()).toHaveLength(1);
  carrier.clear();
  await pass(20 * 3_600_000);
  expect(carrier.accepted).toHaveLength(1);
  expect(await fixture.intro(id)).toMatchObject({ status: 'sent' });
});

test('an unregistered number, which is reported after the text was accepted, is not the fault of the recipients', async () => {
  const by = await organize();
  const first = await recorded(by);
  await fixture.tick();
  await report(carrier.accepted[0]?.sid, 'undelivered', 30034);
  await report(carrier.accepted[0]?.sid, 'undelivered', 30034);
  expect(await fixture.intro(first)).toMatchObject({ status: 'sent', delivery_error_code: 'carrier_account' });
  expect(await texts(first)).toMatchObject([
    { status: 'undelivered', error_code: 'carrier_account', error_message: expect.stringContaining('30034') },
    { status: 'scheduled', held_for: 'carrier_account' },
  ]);
  const second = await recorded(by);
  await fixture.tick();
  expect((await texts(second))[0]).toMatchObject({ status: 'scheduled', held_for: 'carrier_account' });
  expect(carrier.accepted).toHaveLength(1);
  expect((await ownerEmails())[0]?.body).toContain('not registered for business texts');
  // The probe: accepted, but that proves nothing.
  await pass(10 * MINUTE_MS);
  expect(carrier.accepted).toHaveLength(2);
  await report(carrier.accepted[1]?.sid, 'undelivered', 30034);
  await pass(30 * MINUTE_MS);
  expect(carrier.accepted).toHaveLength(2);
  await pass(40 * MINUTE_MS);
  expect(carrier.accepted).toHaveLength(3);
  await report(carrier.accepted[2]?.sid, 'delivered');
  await fixture.tick();
  expect(carrier.accepted).toHaveLength(4);
  for (const id of [first, second]) {
    expect(await fixture.intro(id)).toMatchObject({ status: 'sent', delivery_error_code: null });
  }
  expect(await ownerEmails()).toHaveLength(1);
  expect(await holds()).toEqual([]);
  expect(fixture.events.filter(({ type }) => type === 'intro.delivery_failed')).toHaveLength(1);
});

test('a held text is sent in the morning if the account works again at night, and never after the appointment', async () => {
  const by = await organize();
  const timezone = 'America/Chicago';
  const appointment = (startsAt: string) => ({ ...by, appointment: { startsAt, timezone } });
  const [soon = '', tomorrow = ''] = await recordAll(
    appointment('2026-06-10T18:30:00Z'),
    appointment('2026-06-12T15:00:00Z'),
  );
  carrier.next(...Array.from({ length: 16 }, () => UNAUTHORIZED));
  await fixture.advanceTo('2026-06-10T18:31:00Z');
  expect(await fixture.intro(soon)).toMatchObject({ status: 'ready', delivery_error_code: 'carrier_account' });
  await fixture.advanceTo('2026-06-11T03:00:00Z');
  carrier.clear();
  await fixture.advanceTo('2026-06-11T12:59:00Z');
  expect(carrier.accepted).toEqual([]);
  await fixture.advanceTo('2026-06-11T14:00:00Z');
  expect(carrier.accepted).toHaveLength(1);
  expect(await fixture.intro(tomorrow)).toMatchObject({ status: 'sent' });
});

test('a text that arrived after all, or whose page was opened, is not sent again', async () => {
  const by = await organize();
  const [arrived = '', opened = ''] = await recordAll(by, by);
  await fixture.tick();
  const sidOf = async (id: string) => (await texts(id))[0]?.carrier_id ?? undefined;
  for (const id of [arrived, opened]) await report(await sidOf(id), 'undelivered', 30032);
  await report(await sidOf(arrived), 'delivered');
  await fixture.database.query('update intros set opened_at = $2 where id = $1', [opened, fixture.now()]);
  await pass(24 * 3_600_000);
  expect(carrier.accepted).toHaveLength(2);
  for (const id of [arrived, opened]) {
    expect((await texts(id))[1]).toMatchObject({ status: 'dropped', error_code: 'has_link' });
  }
});

test('a filtered text fails alone: the owners get one email a day, and other texts are sent', async () => {
  const by = await organize();
  const ids = await recordAll(by, by);
  await fixture.tick();
  for (const { sid } of [...carrier.accepted]) await report(sid, 'undelivered', 30007);
  for (const id of ids) {
    expect(await fixture.intro(id)).toMatchObject({ status: 'sent', delivery_error_code: 'message_filtered' });
  }
  expect(await ownerEmails()).toHaveLength(1);
  expect(await holds()).toEqual([]);
  const next = await recorded(by);
  await fixture.tick();
  expect(await fixture.intro(next)).toMatchObject({ status: 'sent', delivery_error_code: null });
  await pass(25 * 3_600_000);
  await report(carrier.accepted.at(-1)?.sid, 'undelivered', 30007);
  expect(await ownerEmails()).toHaveLength(2);
});

test("a text that did not leave the carrier's queue is sent again, three times at most", async () => {
  const id = await recorded(await organize());
  await fixture.tick();
  for (let n = 1; n <= 4; n++) {
    expect(carrier.accepted).toHaveLength(n);
    await report(carrier.accepted.at(-1)?.sid, 'failed', 30001);
    expect(await fixture.intro(id)).toMatchObject({ delivery_error_code: 'undelivered' });
    await pass(12 * 3_600_000);
  }
  expect(carrier.accepted).toHaveLength(4);
});
