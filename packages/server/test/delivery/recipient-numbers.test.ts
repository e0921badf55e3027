import type { Transaction } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import type { Tables, Tenant } from '../../src/db/tenancy.ts';
import { resendManually } from '../../src/delivery/index.ts';
import { forFile } from '../harness/index.ts';
import type { Behavior } from './carrier-services.ts';
import type { NewIntro } from './delivery-fixture.ts';
import { openWithProviders } from './with-providers.ts';

const STOP = 'Reply STOP to opt out.';
const BUSY: Behavior = { kind: 'respond', status: 503, body: '' };
const ERROR: Behavior = { kind: 'respond', status: 500, body: '' };
const refusal = (code: number): Behavior => ({
  ...{ kind: 'respond', status: 400 },
  body: JSON.stringify({ code, message: 'No' }),
});
const REFUSAL = refusal(30007);
const LANDLINE = refusal(21635);

let tenant: Tenant;
let memberId: string;
let phone: string;
let phones = 0;
const fixture = await forFile(openWithProviders('2026-06-10T15:00:00Z', 'twilio'));
const { carrier: service, textOf } = fixture;
beforeEach(async () => {
  phones += 1;
  phone = `+1415556${String(phones).padStart(4, '0')}`;
  service.accepted.length = 0;
  ({ tenant, memberId } = await fixture.createOrganization({ member: { notify_by: 'email' } }));
});

const later = (seconds: number) => fixture.pass(seconds * 1000);
const cancel = (id: string) => fixture.database.query("update intros set status = 'cancelled' where id = $1", [id]);

/** Creates an intro and attempts to send its text. */
const texted = (intro: NewIntro = {}, ...behaviors: Behavior[]) =>
  fixture.deliver({ tenant, member: memberId, phone, ...intro }, ...behaviors);
const soon = () => ({
  startsAt: new Date(fixture.now().getTime() + 4 * 3_600_000).toISOString(),
  timezone: 'America/Chicago',
});

describe('the opt-out notice', () => {
  test('is in every text to a new number until one is accepted', async () => {
    service.next(BUSY, BUSY);
    const ids = [await texted({ touchpoint: 'new_appointment' }), await texted({ touchpoint: 'on_my_way' })];
    for (const id of ids) expect(await textOf(id)).toMatchObject({ status: 'scheduled', attempts: 1 });
    await later(5);
    expect(service.accepted.map(({ to, body }) => [to, body.includes(STOP)])).toEqual([
      [phone, true],
      [phone, true],
    ]);
    await texted();
    expect(service.accepted.at(-1)?.body).not.toContain(STOP);
  });

  test('is in the next text after one that was refused or not delivered', async () => {
    await texted({}, REFUSAL);
    await report(await texted(), 'undelivered');
    await texted();
    expect(service.accepted.map(({ body }) => body.includes(STOP))).toEqual([true, true]);
  });

  test('is not repeated when a text to a known number is retried', async () => {
    await texted();
    const id = await texted({}, BUSY);
    await later(5);
    expect(await textOf(id)).toMatchObject({ status: 'accepted', attempts: 2 });
    expect(service.accepted.map(({ body }) => body.includes(STOP))).toEqual([true, false]);
  });

  test("is independent of other organizations' texts", async () => {
    await texted();
    const other = await fixture.createOrganization({ member: { notify_by: 'email' } });
    await texted({ tenant: other.tenant, member: other.memberId });
    expect(service.accepted.map(({ body }) => body.includes(STOP))).toEqual([true, true]);
  });
});

describe('one text of a touchpoint to a number in 24 hours', () => {
  const touchpoint = 'new_appointment';

  test('a cancelled text that was never sent does not delay another', async () => {
    const first = await texted({ touchpoint }, BUSY);
    await cancel(first);
    const second = await texted({ touchpoint, appointment: soon() });
    expect(await textOf(second)).toMatchObject({ status: 'accepted', body: expect.stringContaining(STOP) });
    await later(60);
    expect(await textOf(first)).toMatchObject({ status: 'dropped', error_code: 'intro_cancelled' });
    expect(await fixture.intro(first)).toMatchObject({ delivery_error_code: null });
    expect(fixture.events.filter(({ subject }) => subject === first)).toEqual([]);
    expect(service.accepted).toHaveLength(1);
  });

  test('only one of two is sent if a second comes due during a retry', async () => {
    const first = await texted({ touchpoint }, BUSY);
    const second = await texted({ touchpoint });
    await later(3_600);
    expect(await textOf(second)).toMatchObject({ status: 'accepted' });
    expect(await textOf(first)).toMatchObject({ status: 'scheduled', held_for: 'recent_text' });
    expect(service.accepted).toHaveLength(1);
  });

  test('a text waits while the outcome of another is unknown, and is sent if that one was not', async () => {
    const first = await texted({ touchpoint }, ERROR);
    await cancel(first);
    const second = await texted({ touchpoint, appointment: soon() });
    expect(await textOf(second)).toMatchObject({ status: 'scheduled', held_for: 'recent_text' });
    await later(10);
    expect(await textOf(first)).toMatchObject({ status: 'dropped' });
    expect(await textOf(second)).toMatchObject({ status: 'accepted' });
    expect(service.accepted).toHaveLength(1);
  });

  test('a text waits while the outcome of another is unknown, and fails if that one was sent', async () => {
    const first = await texted({ touchpoint }, { kind: 'accept_then', status: 500, body: '' });
    const second = await texted({ touchpoint, appointment: soon() });
    expect(await fixture.intro(second)).toMatchObject({ delivery_error_code: null });
    await later(10);
    expect(await textOf(first)).toMatchObject({ status: 'accepted' });
    expect(await fixture.intro(second)).toMatchObject({ status: 'ready', delivery_error_code: 'recently_texted' });
    expect(service.accepted).toHaveLength(1);
  });
});

describe('a STOP', () => {
  const receive = (body: string) =>
    fixture.delivery.routes.replies.receive({ from: phone, body, organizationId: null });

  test('counts after an accepted text, even if a later one was refused', async () => {
    const { tenant: own, memberId: member } = await fixture.createOrganization({
      name: 'Ames Roofing',
      member: { phone },
    });
    await fixture.createIntro({ tenant: own, member, phone: '+14155557001' });
    await fixture.tick();
    service.next(REFUSAL);
    await fixture.createIntro({ tenant: own, member, phone: '+14155557002' });
    await fixture.tick();
    expect(service.accepted).toHaveLength(1);
    expect(await fixture.database.query('select 1 from texted_numbers where phone = $1', [phone])).toEqual([]);
    expect(await receive('STOP')).toEqual({
      keyword: 'stop',
      language: 'en',
      organization: 'Ames Roofing',
      isKnown: true,
    });
    const optOuts = await fixture.database.query('select organization_id as of from opt_outs where phone = $1', [
      phone,
    ]);
    expect(optOuts).toEqual([{ of: own.organizationId }]);
  });

  test('from a number without any sent text concerns no organization', async () => {
    const { tenant: own, memberId: member } = await fixture.createOrganization({ member: { phone } });
    service.next(REFUSAL);
    await fixture.createIntro({ tenant: own, member, phone: '+14155557003' });
    await fixture.tick();
    expect(await receive('STOP')).toMatchObject({ isKnown: false });
  });
});

test.each([
  "select 1 from all_messages where address = '+1' and channel = 'text' and accepted_at is not null and not by_own_account",
  `select 1 from all_messages where organization_id = 'org_1' and environment = 'test' and address = '+1'
    and channel = 'text' and accepted_at is not null and status in ('accepted', 'delivered') limit 1`,
])('the lookup of accepted texts uses an index: %#', async (statement) => {
  // In a table with few rows, these other indexes cost as much.
  await fixture.database.query(
    'begin; set local enable_seqscan = off; drop index messages_intro; alter table messages drop constraint messages_pkey cascade',
  );
  const plan = await fixture.database.query(`explain ${statement}`);
  await fixture.database.query('rollback');
  expect(JSON.stringify(plan)).toContain('messages_texted');
});

const days = (count: number) => fixture.pass(count * 86_400_000);
const flags = () =>
  fixture.database.query('select organization_id as of, failure from flagged_numbers where phone = $1', [phone]);

async function report(id: string, status: 'delivered' | 'undelivered', code: 'unreachable_number' | null = null) {
  const text = await textOf(id);
  const call = { carrier: 'twilio', carrierId: text?.carrier_id ?? '', report: { status, code, message: null } };
  await fixture.delivery.routes.receiveStatus(tenant, text?.id ?? '', call);
}

async function resend(id: string): Promise<void> {
  const run = (tx: Transaction<Tables>) => resendManually(fixture, tx, tenant, id, fixture.now());
  await fixture.db.kysely.transaction().execute(run);
  await fixture.tick();
}

describe('a number that the carrier reports as a landline', () => {
  test('gets no more texts of the organization, and each intro says why; others may text it', async () => {
    await texted({}, LANDLINE);
    expect(await flags()).toEqual([{ of: tenant.organizationId, failure: 'unreachable_number' }]);
    const next = await texted();
    expect(service.accepted).toEqual([]);
    expect(await fixture.intro(next)).toMatchObject({ status: 'ready', delivery_error_code: 'unreachable_number' });
    expect(await textOf(next)).toMatchObject({ status: 'dropped', attempts: 0, error_code: 'unreachable_number' });
    const other = await fixture.createOrganization({ member: { notify_by: 'email' } });
    await texted({ tenant: other.tenant, member: other.memberId });
    expect(service.accepted.map(({ to }) => to)).toEqual([phone]);
  });

  test('is flagged by a delivery report, too, and a repeated report changes nothing', async () => {
    const id = await texted();
    for (let n = 0; n < 2; n++) await report(id, 'undelivered', 'unreachable_number');
    expect(await flags()).toHaveLength(1);
    expect(await fixture.intro(await texted())).toMatchObject({ delivery_error_code: 'unreachable_number' });
    expect(service.accepted).toHaveLength(1);
  });

  test('gets a text that someone sends by hand, and others again once it arrived', async () => {
    const first = await texted({}, LANDLINE);
    await resend(first);
    expect(service.accepted.map(({ to }) => to)).toEqual([phone]);
    expect(await flags()).toHaveLength(1);
    await report(first, 'delivered');
    expect(await flags()).toEqual([]);
    await days(2);
    await texted();
    expect(service.accepted.filter(({ to }) => to === phone)).toHaveLength(2);
  });

  test.each([
    ['words', 'My new phone'],
    ['a keyword', 'START'],
  ])('gets texts again once it texts us %s', async (_what, body) => {
    await texted({}, LANDLINE);
    await fixture.delivery.routes.replies.receive({ from: phone, body, organizationId: tenant.organizationId });
    expect(await flags()).toEqual([]);
  });

  test('is tried again after 90 days', async () => {
    await texted({}, LANDLINE);
    await days(89);
    expect(await fixture.intro(await texted())).toMatchObject({ delivery_error_code: 'unreachable_number' });
    await days(1);
    expect(await fixture.intro(await texted())).toMatchObject({ status: 'sent', delivery_error_code: null });
  });
});

test.each([
  [21211, 'invalid_number'],
  [30007, null],
])('the code %s flags the number as %s', async (code, failure) => {
  await texted({}, refusal(code));
  expect(await flags()).toEqual(failure === null ? [] : [{ of: tenant.organizationId, failure }]);
});

test('a test number that is asked to fail is not flagged', async () => {
  phone = '+15005550001';
  const id = await texted();
  expect(await fixture.intro(id)).toMatchObject({ delivery_error_code: 'invalid_number' });
  expect(await flags()).toEqual([]);
});

test("a member's number is not flagged: the member gets an email instead", async () => {
  await fixture.database.query("update members set notify_by = 'text', phone = $2 where id = $1", [memberId, phone]);
  const id = await fixture.createIntro({ tenant, member: memberId });
  service.next(LANDLINE);
  await fixture.tick();
  expect((await fixture.messages(id)).map(({ channel }) => channel)).toEqual(expect.arrayContaining(['text', 'email']));
  expect(await flags()).toEqual([]);
});
