import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import {
  APPOINTMENT,
  anEvent,
  createIntro,
  expectError,
  introOfEvent,
  REFERENCE,
  sendEvent,
  sendTogether,
  settled,
} from './support/actions.ts';
import { openService } from './support/service.ts';

const fixture = await forFile(openService());
const api = fixture.api;

const setTouchpoint = (slug: string, ...change: string[]) =>
  fixture.run('touchpoint', 'set', '--org', fixture.organization.id, slug, ...change);

describe('after a 202, without further requests', () => {
  test('the event becomes processed, with its intro, touchpoint, member and reference', async () => {
    const receipt = await sendEvent(api, { reference: REFERENCE });
    const event = await settled(api, receipt.id);
    expect(event).toEqual({
      ...receipt,
      status: 'processed',
      resolved: {
        touchpoint: { slug: 'project_kickoff', name: 'Project kickoff' },
        member: { id: fixture.organization.memberId, external_id: 'rep_17' },
      },
      intro: expect.stringMatching(/^int_/),
    });
    expect((await api.get(`/v1/intros/${event.intro}`)).body).toMatchObject({
      status: 'requested',
      touchpoint: 'project_kickoff',
      reference: REFERENCE,
    });
  });

  test('each of many events gets exactly one intro', async () => {
    const event = anEvent({ reference: { id: 'many' } });
    const receipts = await sendTogether(60, (_, options) => api.post('/v1/touchpoint-events', event, options));
    const events = await Promise.all(receipts.map(({ body }) => settled(api, body.id)));
    const listed = (await api.get('/v1/intros?reference_id=many&limit=100')).body.data;
    expect(new Set(events.map(({ intro }) => intro)).size).toBe(60);
    expect(listed.map(({ id }: { id: string }) => id).sort()).toEqual(events.map(({ intro }) => intro).sort());
  });
});

describe('the intro of an event', () => {
  test('has the member, recipient, reference, metadata and context of the event', async () => {
    const metadata = { crm_owner: 'west' };
    const context = { appointment: APPOINTMENT, trade: 'roofing', lane: 'insurance' };
    const intro = await introOfEvent(api, { touchpoint: 'new_inspection', reference: REFERENCE, context, metadata });
    expect(intro).toMatchObject({
      touchpoint: 'new_inspection',
      member: { id: fixture.organization.memberId, external_id: 'rep_17', first_name: 'Ana', last_name: 'Ng' },
      recipient: { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123' },
      reference: REFERENCE,
      metadata,
    });
    expect(intro.context).toEqual({
      title: expect.any(String),
      appointment: { starts_at: '2031-03-12T19:30:00.000Z', timezone: 'America/Chicago' },
      trade: 'roofing',
      lane: 'insurance',
    });
    expect(intro.delivery.recipient_url).toBeNull();
  });

  test("has the touchpoint's script and title, rendered for this recipient, member and appointment", async () => {
    const context = { appointment: APPOINTMENT, trade: 'roofing' };
    const { instructions, context: shown } = await introOfEvent(api, { touchpoint: 'new_inspection', context });
    for (const part of ['Dana', 'Ana', 'Acme Roofing', 'roof', 'Wednesday', '2:30']) {
      expect(instructions.script).toContain(part);
    }
    expect(shown.title).toContain('Dana');
    expect(instructions.script + shown.title).not.toMatch(/\{\{|\{%|undefined|null/);
  });

  test('does not evaluate template syntax in a name', async () => {
    const recipient = { first_name: '{{ organization.name }}', phone: '+14155550123' };
    const { instructions } = await introOfEvent(api, { recipient });
    expect(instructions.script).toContain('{{ organization.name }}');
  });

  test.each(['integration', 'service'])("has the touchpoint's delivery responsibility: %s", async (responsibility) => {
    await setTouchpoint('project_complete', '--delivery', responsibility);
    const { delivery } = await introOfEvent(api, { touchpoint: 'project_complete' });
    expect(delivery).toEqual({
      responsibility,
      status: null,
      recipient_url: null,
      scheduled_for: null,
      reason: null,
      error: null,
    });
  });

  test('keeps the name that its touchpoint had when the event was matched', async () => {
    const { id } = await sendEvent(api, { touchpoint: 'project_update' });
    const before = (await settled(api, id)).resolved;
    await setTouchpoint('project_update', '--name', 'How it is going');
    const { id: laterId } = await sendEvent(api, { touchpoint: 'project_update' });
    const renamed = { slug: 'project_update', name: 'How it is going' };
    expect((await settled(api, laterId)).resolved.touchpoint).toEqual(renamed);
    expect((await api.get(`/v1/events/${id}`)).body.resolved).toEqual(before);
  });
});

describe('POST /v1/events/{id}/retry', () => {
  const retry = (id: string, key?: string) =>
    api.post(`/v1/events/${id}/retry`, undefined, key === undefined ? {} : { key });

  test('processes a failed event again once its cause is gone: the same event and key, one intro, however often it is sent', async () => {
    const recipient = { first_name: 'Dana', phone: '+15005550131' };
    await setTouchpoint('on_my_way', '--delivery', 'service');
    const { id: optedOut } = await createIntro(api, { recipient });
    await api.post(`/v1/test_helpers/intros/${optedOut}/opt_out`);
    const event = anEvent({ touchpoint: 'on_my_way', recipient });
    const { body: receipt } = await api.post('/v1/touchpoint-events', event, { key: 'acme_crm:job_9:on_my_way' });
    expect(await settled(api, receipt.id)).toMatchObject({ status: 'failed', error: { code: 'recipient_opted_out' } });

    const failsAgain = await retry(receipt.id, 'retry:1');
    expect([failsAgain.status, failsAgain.body.status, failsAgain.body.id]).toEqual([202, 'accepted', receipt.id]);
    expect(failsAgain.body.error).toBeUndefined();
    expect((await settled(api, receipt.id)).status).toBe('failed');
    const replay = await retry(receipt.id, 'retry:1');
    expect([replay.status, replay.body, replay.headers.get('idempotent-replayed')]).toEqual([
      202,
      failsAgain.body,
      'true',
    ]);
    expect((await api.get(`/v1/events/${receipt.id}`)).body.status).toBe('failed');

    await api.post(`/v1/test_helpers/intros/${optedOut}/opt_in`);
    const tries = await Promise.all([retry(receipt.id), retry(receipt.id), retry(receipt.id)]);
    expect(tries.map(({ status }) => status).sort()).toEqual([202, 409, 409]);
    for (const reply of tries.filter(({ status }) => status === 409)) expectError(reply, 409, 'event_not_failed');
    const processed = await settled(api, receipt.id);
    expect(processed).toMatchObject({ status: 'processed', intro: expect.stringMatching(/^int_/) });
    expectError(await retry(receipt.id), 409, 'event_not_failed');

    const repeated = await api.post('/v1/touchpoint-events', event, { key: 'acme_crm:job_9:on_my_way' });
    expect(repeated.body).toMatchObject({ id: receipt.id, status: 'duplicate' });
  });

  test('is 404 for an event of another organization', async () => {
    expectError(await retry('evt_01kahzv8e1f0rtx5m2q6n9d3bw'), 404, 'not_found');
  });
});
