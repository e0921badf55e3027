import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Tenant } from '../../src/tables.ts';
import { type Behaviour, type CarrierService, startTwilioService, TWILIO } from './carrier-services.ts';
import { type NewIntro, NOTHING_LEAVES, openStage, type Stage } from './delivery-fixture.ts';

const STOP = 'Reply STOP to opt out.';
const BUSY: Behaviour = { kind: 'answer', status: 503, body: '' };
const ERROR: Behaviour = { kind: 'answer', status: 500, body: '' };
const REFUSAL: Behaviour = { kind: 'answer', status: 400, body: JSON.stringify({ code: 30007, message: 'Filtered' }) };

let stage: Stage;
let service: CarrierService;
let tenant: Tenant;
let memberId: string;
let phone: string;
let phones = 0;
beforeAll(async () => {
  service = await startTwilioService();
  const text = { carrier: 'twilio', account: TWILIO } as const;
  stage = await openStage('2026-06-10T15:00:00Z', { ...NOTHING_LEAVES, text, twilioApiUrl: service.url });
});
beforeEach(async () => {
  phones += 1;
  phone = `+1415556${String(phones).padStart(4, '0')}`;
  service.taken.length = 0;
  ({ tenant, memberId } = await stage.organize({ member: { notify_by: 'email' } }));
});
afterAll(async () => {
  await stage.close();
  await service.close();
});

const later = (seconds: number) => stage.until(new Date(stage.now().getTime() + seconds * 1000).toISOString());
const textOf = async (id: string) => (await stage.messages(id)).find(({ purpose }) => purpose === 'deliver');
const cancel = (id: string) => stage.database.query("update intros set status = 'cancelled' where id = $1", [id]);

/** An intro to that number whose text was tried. */
async function texted(intro: NewIntro = {}, ...behaviours: Behaviour[]): Promise<string> {
  const id = await stage.ask({ tenant, member: memberId, phone, ...intro });
  await stage.tick();
  await stage.record(id);
  service.next(...behaviours);
  await stage.tick();
  return id;
}
const soon = () => ({
  startsAt: new Date(stage.now().getTime() + 4 * 3_600_000).toISOString(),
  timezone: 'America/Chicago',
});

describe('the words on how to opt out', () => {
  it('stand in the texts to a new number until one of them has arrived, though others failed before', async () => {
    service.next(BUSY, BUSY);
    const ids = [await texted({ touchpoint: 'new_appointment' }), await texted({ touchpoint: 'on_my_way' })];
    for (const id of ids) expect(await textOf(id)).toMatchObject({ status: 'scheduled', attempts: 1 });
    await later(5);
    expect(service.taken.map(({ to, body }) => [to, body.includes(STOP)])).toEqual([
      [phone, true],
      [phone, true],
    ]);
    await texted();
    expect(service.taken.at(-1)?.body).not.toContain(STOP);
  });

  it('stand in the next text after one that was refused, or accepted and not delivered', async () => {
    await texted({}, REFUSAL);
    const lost = await textOf(await texted());
    const report = { status: 'undelivered', code: null, message: null } as const;
    const told = { carrier: 'twilio', carrierId: lost?.carrier_id ?? '', report };
    await stage.delivery.routes.report(tenant, lost?.id ?? '', told);
    await texted();
    expect(service.taken.map(({ body }) => body.includes(STOP))).toEqual([true, true]);
  });

  it('are not repeated to a number that has them when a text is tried again', async () => {
    await texted();
    const id = await texted({}, BUSY);
    await later(5);
    expect(await textOf(id)).toMatchObject({ status: 'accepted', attempts: 2 });
    expect(service.taken.map(({ body }) => body.includes(STOP))).toEqual([true, false]);
  });

  it('are read from the texts of this organization alone', async () => {
    await texted();
    const other = await stage.organize({ member: { notify_by: 'email' } });
    await texted({ tenant: other.tenant, member: other.memberId });
    expect(service.taken.map(({ body }) => body.includes(STOP))).toEqual([true, true]);
  });
});

describe('one text of a touchpoint to a number in 24 hours', () => {
  const touchpoint = 'new_appointment';

  it('one that never left, and was cancelled, holds back no other', async () => {
    const first = await texted({ touchpoint }, BUSY);
    await cancel(first);
    const second = await texted({ touchpoint, appointment: soon() });
    expect(await textOf(second)).toMatchObject({ status: 'accepted', body: expect.stringContaining(STOP) });
    await later(60);
    expect(await textOf(first)).toMatchObject({ status: 'dropped', error_code: 'intro_cancelled' });
    expect(service.taken).toHaveLength(1);
  });

  it('of two, one that is tried again and one that comes in between, one goes', async () => {
    const first = await texted({ touchpoint }, BUSY);
    const second = await texted({ touchpoint });
    await later(3_600);
    expect(await textOf(second)).toMatchObject({ status: 'accepted' });
    expect(await textOf(first)).toMatchObject({ status: 'scheduled', held_for: 'recent_text' });
    expect(service.taken).toHaveLength(1);
  });

  it('while it is open whether one went, another waits for the answer, and goes when there was none', async () => {
    const first = await texted({ touchpoint }, ERROR);
    await cancel(first);
    const second = await texted({ touchpoint, appointment: soon() });
    expect(await textOf(second)).toMatchObject({ status: 'scheduled', held_for: 'recent_text' });
    await later(10);
    expect(await textOf(first)).toMatchObject({ status: 'dropped' });
    expect(await textOf(second)).toMatchObject({ status: 'accepted' });
    expect(service.taken).toHaveLength(1);
  });

  it('while it is open whether one went, another waits for the answer, and fails when it did', async () => {
    const first = await texted({ touchpoint }, { kind: 'accept_then', status: 500, body: '' });
    const second = await texted({ touchpoint, appointment: soon() });
    expect(await stage.intro(second)).toMatchObject({ delivery_error_code: null });
    await later(10);
    expect(await textOf(first)).toMatchObject({ status: 'accepted' });
    expect(await stage.intro(second)).toMatchObject({ status: 'ready', delivery_error_code: 'recently_texted' });
    expect(service.taken).toHaveLength(1);
  });
});

describe('a STOP', () => {
  const hear = (body: string) => stage.delivery.routes.replies.hear({ from: phone, body, organizationId: null });

  it('counts after a text that arrived, though a later one was refused', async () => {
    const { tenant: own, memberId: member } = await stage.organize({ name: 'Ames Roofing', member: { phone } });
    await stage.ask({ tenant: own, member, phone: '+14155557001' });
    await stage.tick();
    service.next(REFUSAL);
    await stage.ask({ tenant: own, member, phone: '+14155557002' });
    await stage.tick();
    expect(service.taken).toHaveLength(1);
    expect(await stage.database.query('select 1 from texted_numbers where phone = $1', [phone])).toEqual([]);
    expect(await hear('STOP')).toEqual({ keyword: 'stop', organization: 'Ames Roofing', isKnown: true });
    const kept = await stage.database.query('select organization_id as of from opt_outs where phone = $1', [phone]);
    expect(kept).toEqual([{ of: own.organizationId }]);
  });

  it('of a number to which no text ever left is said to concern nobody', async () => {
    const { tenant: own, memberId: member } = await stage.organize({ member: { phone } });
    service.next(REFUSAL);
    await stage.ask({ tenant: own, member, phone: '+14155557003' });
    await stage.tick();
    expect(await hear('STOP')).toMatchObject({ isKnown: false });
  });
});

it.each([
  "select 1 from messages where address = '+1' and channel = 'text' and accepted_at is not null and not by_own_account",
  `select 1 from messages where organization_id = 'org_1' and environment = 'test' and address = '+1'
    and channel = 'text' and accepted_at is not null and status in ('accepted', 'delivered') limit 1`,
])('texts that arrived are looked up by an index, however many there are: %#', async (statement) => {
  await stage.database.query('set enable_seqscan = off');
  expect(JSON.stringify(await stage.database.query(`explain ${statement}`))).toContain('messages_texted');
});
