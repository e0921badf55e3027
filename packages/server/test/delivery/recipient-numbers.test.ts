import { beforeEach, describe, expect, test } from 'vitest';
import type { Tenant } from '../../src/tables.ts';
import { forFile } from '../harness/index.ts';
import { type Behavior, startTwilioService, TWILIO } from './carrier-services.ts';
import { LOG_ONLY, type NewIntro, openDelivery } from './delivery-fixture.ts';

const STOP = 'Reply STOP to opt out.';
const BUSY: Behavior = { kind: 'respond', status: 503, body: '' };
const ERROR: Behavior = { kind: 'respond', status: 500, body: '' };
const REFUSAL: Behavior = { kind: 'respond', status: 400, body: JSON.stringify({ code: 30007, message: 'Filtered' }) };

let tenant: Tenant;
let memberId: string;
let phone: string;
let phones = 0;
const service = await forFile(startTwilioService());
const text = { carrier: 'twilio', account: TWILIO } as const;
const fixture = await forFile(openDelivery('2026-06-10T15:00:00Z', { ...LOG_ONLY, text, twilioApiUrl: service.url }));
beforeEach(async () => {
  phones += 1;
  phone = `+1415556${String(phones).padStart(4, '0')}`;
  service.accepted.length = 0;
  ({ tenant, memberId } = await fixture.createOrganization({ member: { notify_by: 'email' } }));
});

const later = (seconds: number) => fixture.advanceTo(new Date(fixture.now().getTime() + seconds * 1000).toISOString());
const textOf = async (id: string) => (await fixture.messages(id)).find(({ purpose }) => purpose === 'deliver');
const cancel = (id: string) => fixture.database.query("update intros set status = 'cancelled' where id = $1", [id]);

/** Creates an intro and attempts to send its text. */
async function texted(intro: NewIntro = {}, ...behaviors: Behavior[]): Promise<string> {
  const id = await fixture.createIntro({ tenant, member: memberId, phone, ...intro });
  await fixture.tick();
  await fixture.record(id);
  service.next(...behaviors);
  await fixture.tick();
  return id;
}
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
    const lost = await textOf(await texted());
    const report = { status: 'undelivered', code: null, message: null } as const;
    const call = { carrier: 'twilio', carrierId: lost?.carrier_id ?? '', report };
    await fixture.delivery.routes.receiveStatus(tenant, lost?.id ?? '', call);
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
  "select 1 from messages where address = '+1' and channel = 'text' and accepted_at is not null and not by_own_account",
  `select 1 from messages where organization_id = 'org_1' and environment = 'test' and address = '+1'
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
