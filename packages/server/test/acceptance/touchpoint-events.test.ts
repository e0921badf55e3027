import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { APPOINTMENT, anEvent, expectError, introOfEvent, REFERENCE, sendEvent } from './support/actions.ts';
import { openService } from './support/service.ts';

const PATH = '/v1/touchpoint-events';
const ANA = ['--first-name', 'Ana', '--last-name', 'Reyes', '--email'];

const fixture = await forFile(openService());
const api = fixture.api;

const newMember = (email: string, ...more: string[]) =>
  fixture.run('member', 'create', '--org', fixture.organization.id, ...ANA, email, ...more);

async function expectNoIntroOf(referenceId: string) {
  expect((await api.get(`/v1/intros?reference_id=${referenceId}`)).body.data).toEqual([]);
}

describe('the response', () => {
  test('to a valid event is 202 with the event object and status accepted', async () => {
    const metadata = { crm_owner: 'west', priority: 2 };
    const sent = anEvent({ reference: REFERENCE, metadata, occurred_at: '2026-03-10T11:15:00.5+02:00' });
    const { status, body } = await api.post(PATH, sent);
    expect(status).toBe(202);
    expect(body).toEqual({
      id: expect.stringMatching(/^evt_/),
      object: 'touchpoint_event',
      status: 'accepted',
      touchpoint: 'project_kickoff',
      reference: REFERENCE,
      metadata,
      occurred_at: '2026-03-10T09:15:00.500Z',
      environment: 'test',
      created_at: expect.any(String),
    });
    expect(Math.abs(Date.parse(body.created_at) - Date.now())).toBeLessThan(10_000);
  });

  test('has null for an omitted reference and for omitted fields of it, and {} for omitted metadata', async () => {
    expect(await sendEvent(api)).toMatchObject({ reference: null, metadata: {} });
    expect((await sendEvent(api, { reference: { id: 'job_1' } })).reference).toEqual({
      source: null,
      type: null,
      id: 'job_1',
    });
    expect((await sendEvent(api, { reference: {} })).reference).toEqual({ source: null, type: null, id: null });
  });
});

describe('required fields', () => {
  const without = (field: string) => Object.fromEntries(Object.entries(anEvent()).filter(([name]) => name !== field));

  test.each(['touchpoint', 'occurred_at', 'member', 'recipient'])('include %s', async (field) => {
    expectError(await api.post(PATH, without(field)), 422, 'validation_failed', field);
  });

  test('include recipient.first_name and recipient.phone, but not recipient.last_name', async () => {
    const phone = '+14155550123';
    expectError(
      await api.post(PATH, anEvent({ recipient: { phone } })),
      422,
      'validation_failed',
      'recipient.first_name',
    );
    const noPhone = anEvent({ recipient: { first_name: 'Dana' } });
    expectError(await api.post(PATH, noPhone), 422, 'validation_failed', 'recipient.phone');
    const intro = await introOfEvent(api, { recipient: { first_name: 'Dana', phone } });
    expect(intro.recipient).toEqual({ first_name: 'Dana', last_name: null, phone, language: 'en' });
  });

  test('require a phone number in E.164 format', async () => {
    for (const phone of ['4155550123', '+04155550123', '+1 415 555 0123', '+1415555', '+1234567890123456']) {
      const reply = await api.post(PATH, anEvent({ recipient: { first_name: 'Dana', phone } }));
      expectError(reply, 422, 'validation_failed', 'recipient.phone');
    }
    for (const phone of ['+14155550', '+141555501234567']) {
      await sendEvent(api, { recipient: { first_name: 'Dana', phone } });
    }
  });

  test('include the Idempotency-Key header', async () => {
    const reply = await api.raw('POST', PATH, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(anEvent()),
    });
    expectError(reply, 422, 'validation_failed', 'Idempotency-Key');
  });

  test('include the header Content-Type: application/json', async () => {
    const headers = { 'idempotency-key': 'media', 'content-type': 'text/plain' };
    expectError(
      await api.raw('POST', PATH, { headers, body: JSON.stringify(anEvent()) }),
      415,
      'unsupported_media_type',
    );
  });

  test('require occurred_at in ISO 8601, in the past or in the future', async () => {
    await sendEvent(api, { occurred_at: '1999-12-31T23:59:59.5+05:30' });
    await sendEvent(api, { occurred_at: '2199-01-01T00:00:00Z' });
    const reply = await api.post(PATH, anEvent({ occurred_at: 'yesterday' }));
    expectError(reply, 422, 'validation_failed', 'occurred_at');
  });
});

describe('the member', () => {
  test('is resolved by id, external_id or case-insensitive email', async () => {
    const { memberId } = fixture.organization;
    for (const member of [{ id: memberId }, { external_id: 'rep_17' }, { email: 'ANA@Acme.Example' }]) {
      expect((await introOfEvent(api, { member })).member).toEqual({
        id: memberId,
        external_id: 'rep_17',
        first_name: 'Ana',
        last_name: 'Ng',
      });
    }
  });

  test('must be named by exactly one of the three', async () => {
    for (const member of [{}, { id: '' }, { external_id: 'rep_17', email: 'ana@acme.example' }]) {
      expectError(await api.post(PATH, anEvent({ member })), 422, 'validation_failed', 'member');
    }
  });

  test('that does not exist is member_not_found for an ID of any form, and nothing is stored', async () => {
    const strangers = [{ id: 'mem_0' }, { id: 'x\u0000' }, { external_id: 'rep' }, { email: 'no@acme.example' }];
    for (const member of strangers) {
      expectError(await api.post(PATH, anEvent({ member, reference: { id: 'lost' } })), 422, 'member_not_found');
    }
    await expectNoIntroOf('lost');
  });

  test('that was deactivated is member_not_found by each of the three', async () => {
    const { id } = await newMember('gone@acme.example', '--external-id', 'gone');
    await sendEvent(api, { member: { id } });
    await fixture.run('member', 'deactivate', id);
    for (const member of [{ id }, { external_id: 'gone' }, { email: 'gone@acme.example' }]) {
      expectError(await api.post(PATH, anEvent({ member })), 422, 'member_not_found');
    }
  });

  test('is member_ambiguous if several have the email, but still found by id and external_id', async () => {
    const first = await newMember('team@acme.example', '--external-id', 'team_1');
    const second = await newMember('Team@acme.example');
    const byEmail = { email: 'team@acme.example' };
    expectError(await api.post(PATH, anEvent({ member: byEmail })), 422, 'member_ambiguous');
    expect((await introOfEvent(api, { member: { external_id: 'team_1' } })).member.id).toBe(first.id);
    expect((await introOfEvent(api, { member: { id: second.id } })).member.external_id).toBeNull();
    await fixture.run('member', 'deactivate', first.id);
    expect((await introOfEvent(api, { member: byEmail })).member.id).toBe(second.id);
  });
});

describe('the touchpoint', () => {
  test('that the organization does not have is touchpoint_not_found, and nothing is stored', async () => {
    const reply = await api.post(PATH, anEvent({ touchpoint: 'appointment_set', reference: { id: 'unknown' } }));
    expectError(reply, 422, 'touchpoint_not_found');
    await expectNoIntroOf('unknown');
  });

  test('of another industry is touchpoint_not_found', async () => {
    expectError(await api.post(PATH, anEvent({ touchpoint: 'thank_you' })), 422, 'touchpoint_not_found');
  });

  test('that is turned off is touchpoint_not_found until it is turned on again', async () => {
    const set = (active: string) =>
      fixture.run('touchpoint', 'set', '--org', fixture.organization.id, 'project_complete', '--active', active);
    const event = anEvent({ touchpoint: 'project_complete' });
    await set('false');
    expectError(await api.post(PATH, event, { key: 'crm:job_9:complete' }), 422, 'touchpoint_not_found');
    await set('true');
    expect((await api.post(PATH, event, { key: 'crm:job_9:complete' })).status).toBe(202);
  });

  test('whose context is appointment requires context.appointment', async () => {
    const touchpoint = 'new_inspection';
    for (const context of [undefined, {}, { trade: 'roofing' }]) {
      const reply = await api.post(PATH, anEvent({ touchpoint, ...(context && { context }) }));
      expectError(reply, 422, 'validation_failed', 'context.appointment');
    }
    await sendEvent(api, { touchpoint, context: { appointment: APPOINTMENT } });
  });

  test('is checked before the member, including its appointment', async () => {
    const member = { external_id: 'unknown' };
    const unknown = await api.post(PATH, anEvent({ touchpoint: 'no_such', member }));
    expectError(unknown, 422, 'touchpoint_not_found');
    const bare = await api.post(PATH, anEvent({ touchpoint: 'new_inspection', member }));
    expectError(bare, 422, 'validation_failed', 'context.appointment');
  });

  test('with another context accepts an appointment as well', async () => {
    const intro = await introOfEvent(api, { touchpoint: 'on_my_way', context: { appointment: APPOINTMENT } });
    expect(intro.context.appointment).toEqual({ starts_at: '2031-03-12T19:30:00.000Z', timezone: 'America/Chicago' });
  });
});

describe('the context', () => {
  test('requires both fields of an appointment', async () => {
    for (const field of ['starts_at', 'timezone'] as const) {
      const { [field]: _, ...rest } = APPOINTMENT;
      const reply = await api.post(PATH, anEvent({ context: { appointment: rest } }));
      expectError(reply, 422, 'validation_failed', `context.appointment.${field}`);
    }
  });

  test('accepts an appointment in the past', async () => {
    const appointment = { starts_at: '2020-01-01T09:00:00', timezone: 'America/Chicago' };
    await sendEvent(api, { touchpoint: 'new_inspection', context: { appointment } });
  });

  test('accepts the trades roofing, siding, windows, doors and gutters', async () => {
    for (const trade of ['roofing', 'siding', 'windows', 'doors', 'gutters']) {
      await sendEvent(api, { touchpoint: 'project_update', context: { trade } });
    }
    const reply = await api.post(PATH, anEvent({ context: { trade: 'plumbing' } }));
    expectError(reply, 422, 'validation_failed', 'context.trade');
  });

  test('accepts the lanes retail and insurance, even if the member has another lane', async () => {
    const insurer = await newMember('lane@acme.example', '--external-id', 'insurer', '--lane', 'insurance');
    for (const lane of ['retail', 'insurance']) {
      await sendEvent(api, { touchpoint: 'claim_update', member: { id: insurer.id }, context: { lane } });
      await sendEvent(api, { touchpoint: 'estimate_follow_up', member: { id: insurer.id }, context: { lane } });
    }
    const reply = await api.post(PATH, anEvent({ context: { lane: 'commercial' } }));
    expectError(reply, 422, 'validation_failed', 'context.lane');
  });
});
