import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { anIntro, createIntro, eventually, expectError, introOfEvent } from './support/actions.ts';
import { openService } from './support/service.ts';

const DAY_MS = 86_400_000;

const fixture = await forFile(openService());
const api = fixture.api;

const retrieve = async (id: string) => (await api.get(`/v1/intros/${id}`)).body;
const untilExpired = (id: string) => eventually(() => retrieve(id), { status: 'expired' });
const at = (fromNowMs: number) => ({
  appointment: { starts_at: new Date(Date.now() + fromNowMs).toISOString(), timezone: 'America/Chicago' },
});

/** Arrange: the intro reached this status earlier, and its expiry time has passed. */
const arrange = (id: string, status: string) =>
  fixture.database.sql`update intros set status = ${status}, expires_at = now() - interval '1 second' where id = ${id}`;

describe('the expiry time', () => {
  test('is the start of a future appointment, to the millisecond', async () => {
    const context = at(2 * DAY_MS);
    expect((await createIntro(api, { context })).expires_at).toBe(context.appointment.starts_at);
    const ofEvent = await introOfEvent(api, { touchpoint: 'new_inspection', context });
    expect(ofEvent.expires_at).toBe(context.appointment.starts_at);
  });

  test('is after 7 days without a touchpoint, otherwise after its time', async () => {
    const minutesGiven = (intro: { created_at: string; expires_at: string }) =>
      (Date.parse(intro.expires_at) - Date.parse(intro.created_at)) / 60_000;
    expect(minutesGiven(await createIntro(api))).toBe(7 * 1440);
    await fixture.database.sql`update touchpoints set minutes_to_record = 90
      where slug = 'on_my_way' and organization_id = ${fixture.organization.id}`;
    expect(minutesGiven(await introOfEvent(api, { touchpoint: 'on_my_way' }))).toBe(90);
  });
});

describe('expiry', () => {
  test.each(['requested', 'ready'])('applies to an intro that is %s', async (status) => {
    const { id } = await createIntro(api);
    await arrange(id, status);
    expect(await untilExpired(id)).toMatchObject({ version: 2, cancelled_at: null, sent_at: null });
  });

  test('does not apply to intros that are cancelled or sent', async () => {
    const unchanged = [];
    for (const status of ['cancelled', 'sent']) {
      const { id } = await createIntro(api);
      await arrange(id, status);
      unchanged.push({ id, before: await retrieve(id) });
    }
    const { id: witness } = await createIntro(api);
    await arrange(witness, 'requested');
    await untilExpired(witness);
    for (const { id, before } of unchanged) expect(await retrieve(id)).toEqual(before);
  });

  test('prevents cancelling and marking as sent, and the intro stays listed as expired', async () => {
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
