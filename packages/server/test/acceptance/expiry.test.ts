import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, sleep } from '../harness/index.ts';
import { anIntro, createIntro, eventually, expectError, introOfEvent } from './support/actions.ts';
import { openService, type ServiceFixture } from './support/service.ts';

let fixture: ServiceFixture;
let api: Api;
const DAY_MS = 86_400_000;

beforeAll(async () => {
  fixture = await openService();
  api = fixture.api;
});
afterAll(() => fixture.close());

const retrieve = async (id: string) => (await api.get(`/v1/intros/${id}`)).body;
const untilExpired = (id: string) =>
  eventually(
    () => retrieve(id),
    ({ status }) => status === 'expired',
    4_000,
  );
const daysGiven = (intro: { created_at: string; expires_at: string }) =>
  (Date.parse(intro.expires_at) - Date.parse(intro.created_at)) / DAY_MS;
const at = (fromNowMs: number) => ({
  appointment: { starts_at: new Date(Date.now() + fromNowMs).toISOString(), timezone: 'America/Chicago' },
});

/** Arrange: time passes, and recording or delivery had happened before. */
const arrange = (id: string, status: string) =>
  fixture.database.query("update intros set status = $2, expires_at = now() - interval '1 second' where id = $1", [
    id,
    status,
  ]);

describe('when an intro expires', () => {
  test('with an appointment ahead: when it starts, to the millisecond', async () => {
    const context = at(2 * DAY_MS);
    expect((await createIntro(api, { context })).expires_at).toBe(context.appointment.starts_at);
    const ofEvent = await introOfEvent(api, { touchpoint: 'new_inspection', context });
    expect(ofEvent.expires_at).toBe(context.appointment.starts_at);
  });

  test('created directly, without an appointment or with one that is past: after 7 days', async () => {
    expect(daysGiven(await createIntro(api))).toBe(7);
    expect(daysGiven(await createIntro(api, { context: at(-DAY_MS) }))).toBe(7);
  });

  test("created by an event, without an appointment or with one that is past: after the touchpoint's days", async () => {
    // Arrange: the days are set in the console.
    await fixture.database.query(
      "update touchpoints set days_to_record = 5 where slug in ('on_my_way', 'adjuster_meeting')",
    );
    expect(daysGiven(await introOfEvent(api, { touchpoint: 'on_my_way' }))).toBe(5);
    expect(daysGiven(await introOfEvent(api, { touchpoint: 'adjuster_meeting', context: at(-1000) }))).toBe(5);
  });
});

describe('what happens then', () => {
  test('a requested one whose appointment starts becomes expired within seconds', async () => {
    const { id } = await createIntro(api, { context: at(1_000) });
    expect((await retrieve(id)).status).toBe('requested');
    const expired = await untilExpired(id);
    expect(expired).toMatchObject({ status: 'expired', version: 2, cancelled_at: null, sent_at: null });
  });

  test.each(['requested', 'ready'])('one that is %s and past its time becomes expired', async (status) => {
    const { id } = await createIntro(api);
    await arrange(id, status);
    expect((await untilExpired(id)).version).toBe(2);
  });

  test('one that is cancelled or sent never expires', async () => {
    const kept = [];
    for (const status of ['cancelled', 'sent']) {
      const { id } = await createIntro(api);
      await arrange(id, status);
      kept.push({ id, before: await retrieve(id) });
    }
    const { id: witness } = await createIntro(api);
    await arrange(witness, 'requested');
    await untilExpired(witness);
    await sleep(1_200);
    for (const { id, before } of kept) expect(await retrieve(id)).toEqual(before);
  });

  test('it can be neither cancelled nor marked as sent, and stays listed as expired', async () => {
    const key = 'acme_crm:appt_1:expiry';
    const { body } = await api.post('/v1/intros', anIntro({ reference: { id: 'expired' } }), { key });
    await arrange(body.id, 'ready');
    const expired = await untilExpired(body.id);
    expect((await api.post(`/v1/intros/${body.id}/cancel`)).body).toEqual(expired);
    expectError(await api.post(`/v1/intros/${body.id}/mark_sent`), 409, 'intro_closed');
    expect((await api.get('/v1/intros?status=expired&reference_id=expired')).body.data).toEqual([expired]);
    const repeat = await api.post('/v1/intros', anIntro({ reference: { id: 'expired' } }), { key });
    expect(repeat.body).toEqual(body);
  });
});
