import { beforeEach, describe, expect, test } from 'vitest';
import type { Tenant } from '../../src/db/tenancy.ts';
import { resumeTexts } from '../../src/delivery/index.ts';
import { forFile } from '../harness/index.ts';
import type { NewIntro, SentMessage } from './delivery-fixture.ts';
import { openWithProviders } from './with-providers.ts';

const HOUR_MS = 3_600_000;

let tenant: Tenant;
let memberId: string;
/** Noon in Chicago, of another day for each test. */
let noon = new Date('2026-06-10T17:00:00Z');
const fixture = await forFile(openWithProviders(noon.toISOString()));
beforeEach(async () => {
  noon = new Date(noon.getTime() + 72 * HOUR_MS);
  await fixture.advanceTo(noon.toISOString());
  ({ tenant, memberId } = await fixture.createOrganization({ member: { notify_by: 'email' } }));
  await fixture.addMember(tenant, { first_name: 'Olga', email: 'olga@acme.example' });
  fixture.carrier.accepted.length = 0;
  fixture.events.length = 0;
});

const inHours = (hours: number) => new Date(noon.getTime() + hours * HOUR_MS);
const later = (hours: number) => fixture.advanceTo(inHours(hours).toISOString());
/** 8:00 on the next day, when recipients may be texted again. */
const nextMorning = () => inHours(20);
const own = async <Row extends object>(what: string): Promise<Row[]> =>
  fixture.database.query<Row & Record<string, unknown>>(`${what} where organization_id = $1`, [tenant.organizationId]);
const deliveries = async () =>
  (await own<SentMessage>('select * from all_messages')).filter(({ purpose }) => purpose === 'deliver');
const create = (intro: NewIntro = {}) => fixture.createIntro({ tenant, member: memberId, ...intro });
const set = (changes: Record<string, unknown>) => fixture.configure(tenant, changes);
const { textOf } = fixture;
const ownerEmails = () => own('select purpose, address from owner_emails');
const asks = (id: string) => fixture.messagesFor(id, 'ask');
const texted = () => fixture.carrier.accepted.map(({ to }) => to);
const phoneAt = (at: number) => `+1312444${String(at).padStart(4, '0')}`;

/** Creates an intro that is recorded, by the test helper if `simulated`. */
async function recorded(intro: NewIntro = {}, { simulated = false } = {}): Promise<string> {
  const id = await create(intro);
  await fixture.record(id);
  await fixture.database.query(
    `insert into recordings (organization_id, environment, id, intro_id, member_id, status, media_type, created_at,
       touched_at, simulated)
     select organization_id, environment, recording_id, id, member_id, 'ready', 'video/mp4', now(), now(), $2 from intros where id = $1`,
    [id, simulated],
  );
  return id;
}

async function recordMany(amount: number): Promise<void> {
  for (let at = 0; at < amount; at += 1) await recorded({ phone: phoneAt(at) });
}

describe('a test recording', () => {
  test('is not texted to a real number; the intro says why', async () => {
    const id = await recorded({}, { simulated: true });
    await fixture.tick();
    expect(texted()).toEqual([]);
    expect(await textOf(id)).toMatchObject({ status: 'dropped', error_code: 'test_recording' });
    expect(await fixture.intro(id)).toMatchObject({ status: 'ready', delivery_error_code: 'test_recording' });
    expect(fixture.events).toEqual([{ type: 'intro.delivery_failed', subject: id }]);
    const { values } = await fixture.metrics.textsLimited.get();
    expect(values.find(({ labels }) => labels.reason === 'test_recording')?.value).toBe(1);
  });

  test('is texted to test numbers, and to real ones once the organization allows it', async () => {
    const simulated = await recorded({ phone: '+15005550006' }, { simulated: true });
    await fixture.tick();
    expect(await fixture.intro(simulated)).toMatchObject({ status: 'sent' });
    await set({ texts_test_recordings: true });
    const real = await recorded({ phone: phoneAt(1) }, { simulated: true });
    await fixture.tick();
    expect(await fixture.intro(real)).toMatchObject({ status: 'sent' });
    expect(texted()).toEqual([phoneAt(1)]);
  });

  test('does not keep the video that its member records later from being texted', async () => {
    const id = await recorded({}, { simulated: true });
    await fixture.tick();
    await fixture.record(id);
    expect(await fixture.intro(id)).toMatchObject({ delivery_error_code: null });
    await fixture.tick();
    expect(await fixture.intro(id)).toMatchObject({ status: 'sent' });
    expect(texted()).toHaveLength(1);
  });
});

describe('countries', () => {
  test('that the owner allows are texted, and no others', async () => {
    await set({ countries: ['GB'] });
    const ids = [await recorded({ phone: '+447400123456' }), await recorded({ phone: '+882161234567' })];
    await fixture.tick();
    expect(texted()).toEqual(['+447400123456']);
    const refused = { status: 'ready', delivery_error_code: 'country_not_allowed' };
    expect(await fixture.intro(ids[1] ?? '')).toMatchObject(refused);
  });

  test('a member with a number in another country gets an email instead', async () => {
    await fixture.database.query("update members set notify_by = 'text', phone = '+882161234567' where id = $1", [
      memberId,
    ]);
    const id = await create();
    await fixture.tick();
    expect(await asks(id)).toMatchObject([{ channel: 'email', status: 'accepted' }]);
    expect(texted()).toEqual([]);
  });
});

describe('the daily limit', () => {
  test.each([
    ['of the organization', { daily_texts: 3 }],
    ['of a member', { daily_texts_per_member: 3 }],
  ])('%s holds further texts until the next morning, and notifies the owner once', async (_name, limits) => {
    await set(limits);
    await recordMany(5);
    await fixture.tick();
    expect(texted()).toHaveLength(3);
    const held = (await deliveries()).filter(({ status }) => status === 'scheduled');
    expect(held).toMatchObject(Array(2).fill({ held_for: 'daily_limit', due_at: nextMorning(), attempts: 0 }));
    expect(await ownerEmails()).toEqual([{ purpose: 'daily_limit', address: 'olga@acme.example' }]);
    await later(25);
    expect(new Set(texted()).size).toBe(5);
    expect(await ownerEmails()).toHaveLength(1);
  });

  test('of a recipient holds only their texts', async () => {
    await set({ daily_texts_per_recipient: 2 });
    for (let at = 0; at < 4; at += 1) await recorded({ phone: phoneAt(1) });
    await recorded({ phone: phoneAt(2) });
    await fixture.tick();
    expect(texted().sort()).toEqual([phoneAt(1), phoneAt(1), phoneAt(2)]);
    expect(await ownerEmails()).toEqual([]);
  });

  test('lets an appointment know early that its text would come too late', async () => {
    await set({ daily_texts: 1 });
    await recorded({ phone: phoneAt(1) });
    await fixture.tick();
    const appointment = { startsAt: inHours(3).toISOString(), timezone: 'America/Chicago' };
    const id = await recorded({ phone: phoneAt(2), appointment });
    await fixture.tick();
    expect(await fixture.intro(id)).toMatchObject({ status: 'ready', delivery_error_code: 'appointment_over' });
  });

  test('notifies members by email instead', async () => {
    await set({ daily_texts: 0 });
    await fixture.database.query("update members set notify_by = 'text' where id = $1", [memberId]);
    const id = await create();
    await fixture.tick();
    expect(await asks(id)).toMatchObject([
      { channel: null, status: 'dropped', error_code: 'daily_limit' },
      { channel: 'email', status: 'accepted' },
    ]);
    expect(await fixture.messagesFor(id, 'remind')).toMatchObject([{ status: 'scheduled' }]);
  });

  test('counts a text once, no matter how often it is retried', async () => {
    await set({ daily_texts: 2 });
    fixture.carrier.next(...Array(3).fill({ kind: 'respond', status: 503, body: '' }));
    await recorded({ phone: phoneAt(1) });
    await later(0.5);
    await recorded({ phone: phoneAt(2) });
    await fixture.tick();
    expect(texted()).toEqual([phoneAt(1), phoneAt(2)]);
  });

  test('holds for several nodes together that send at the same time', async () => {
    await set({ daily_texts: 10 });
    await recordMany(40);
    const others = [fixture.deliveryWith(), fixture.deliveryWith(), fixture.deliveryWith()];
    await Promise.all([fixture.tick(), ...others.map(({ engine }) => engine.tick())]);
    expect(texted()).toHaveLength(10);
    expect(await ownerEmails()).toHaveLength(1);
  });
});

describe('an unusual day', () => {
  const pausedFor = async () =>
    (await own<{ paused: string | null }>('select texts_paused_for as paused from delivery_settings'))[0]?.paused ??
    null;
  const sentBefore = (sent: number) =>
    fixture.database.query(
      "insert into text_counts (organization_id, environment, subject, day, sent) values ($1, 'test', '', $2, $3)",
      [tenant.organizationId, noon.toISOString().slice(0, 10), sent],
    );
  const resume = () => fixture.db.kysely.transaction().execute((tx) => resumeTexts(tx, tenant, fixture.now()));

  test('pauses texts at far more than usual; the owner is notified, and resumes them without loss', async () => {
    await sentBefore(299);
    await recordMany(4);
    await fixture.tick();
    expect(texted()).toHaveLength(1);
    expect(await pausedFor()).toBe('burst');
    expect(await ownerEmails()).toEqual([{ purpose: 'texts_paused', address: 'olga@acme.example' }]);
    const held = (await deliveries()).filter(({ status }) => status === 'scheduled');
    expect(held.map(({ held_for }) => held_for)).toEqual(['texts_paused', 'texts_paused', 'texts_paused']);
    await later(3.5);
    expect(texted()).toHaveLength(1);
    expect(await ownerEmails()).toHaveLength(1);

    await resume();
    expect(await pausedFor()).toBeNull();
    await fixture.tick();
    expect(new Set(texted()).size).toBe(4);
  });

  test('pauses texts when most of them fail', async () => {
    await sentBefore(30);
    await own('update text_counts set failed = 29');
    fixture.carrier.next(...Array(2).fill({ kind: 'respond', status: 422, body: '{"code":"invalid_number"}' }));
    await recordMany(2);
    await fixture.tick();
    expect(await pausedFor()).toBe('failures');
    expect(await ownerEmails()).toHaveLength(1);
    const id = await recorded({ phone: phoneAt(9) });
    await fixture.tick();
    expect(await textOf(id)).toMatchObject({ held_for: 'texts_paused' });
    expect(texted()).toEqual([]);
  });
});
