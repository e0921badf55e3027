import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { APPOINTMENT, anIntro, createIntro, expectError, REFERENCE } from './support/actions.ts';
import { openService } from './support/service.ts';

const PATH = '/v1/intros';

const fixture = await forFile(openService());
const api = fixture.api;

describe('POST /v1/intros', () => {
  test('returns 201 with the complete intro, requested and without a touchpoint', async () => {
    const context = { title: 'Ana has a message for you', appointment: APPOINTMENT };
    const { status, body } = await api.post(
      PATH,
      anIntro({
        reference: REFERENCE,
        context,
        instructions: { script: 'Hi Dana,\nsee you soon.' },
        delivery: { responsibility: 'service' },
        metadata: { crm_owner: 'west' },
      }),
    );
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^int_/),
      object: 'intro',
      status: 'requested',
      touchpoint: null,
      member: { id: fixture.organization.memberId, external_id: 'rep_17', first_name: 'Ana', last_name: 'Ng' },
      recipient: { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123', language: 'en' },
      reference: REFERENCE,
      context: {
        title: context.title,
        appointment: { starts_at: '2031-03-12T19:30:00.000Z', timezone: 'America/Chicago' },
        trade: null,
        lane: null,
      },
      instructions: { script: 'Hi Dana,\nsee you soon.', script_language: 'en' },
      recipient_opted_out: false,
      delivery: { responsibility: 'service', recipient_url: null, scheduled_for: null, reason: null, error: null },
      media: null,
      metadata: { crm_owner: 'west' },
      environment: 'test',
      version: 1,
      declined: null,
      created_at: expect.any(String),
      expires_at: '2031-03-12T19:30:00.000Z',
      recorded_at: null,
      sent_at: null,
      opened_at: null,
      watched_at: null,
      cancelled_at: null,
      reply: null,
      taken_down_at: null,
      likeness_withdrawn_at: null,
      erased_at: null,
    });
  });

  test('omitted fields are null, metadata is {}, and delivery defaults to the integration', async () => {
    const recipient = { first_name: 'Dana', phone: '+14155550123' };
    expect(await createIntro(api, { recipient })).toMatchObject({
      recipient: { ...recipient, last_name: null },
      reference: null,
      context: null,
      instructions: null,
      delivery: { responsibility: 'integration', recipient_url: null },
      metadata: {},
    });
  });

  test('empty objects are kept, unlike omitted ones', async () => {
    const empty = { reference: {}, context: {}, instructions: {}, delivery: {} };
    expect(await createIntro(api, empty)).toMatchObject({
      reference: { source: null, type: null, id: null },
      context: { title: null, appointment: null, trade: null, lane: null },
      instructions: { script: null, script_language: 'en' },
      delivery: { responsibility: 'integration', recipient_url: null },
    });
  });

  test.each(['member', 'recipient'])('%s is required', async (field) => {
    const rest = Object.fromEntries(Object.entries(anIntro()).filter(([name]) => name !== field));
    expectError(await api.post(PATH, rest), 422, 'validation_failed', field);
  });

  test('Idempotency-Key and Content-Type are required', async () => {
    const body = JSON.stringify(anIntro());
    const noKey = await api.raw('POST', PATH, { headers: { 'content-type': 'application/json' }, body });
    expectError(noKey, 422, 'validation_failed', 'Idempotency-Key');
    const headers = { 'idempotency-key': 'media', 'content-type': 'application/x-www-form-urlencoded' };
    expectError(await api.raw('POST', PATH, { headers, body }), 415, 'unsupported_media_type');
  });

  test('responsibility is integration or service', async () => {
    const reply = await api.post(PATH, anIntro({ delivery: { responsibility: 'pigeon' } }));
    expectError(reply, 422, 'validation_failed', 'delivery.responsibility');
  });

  test('a title has at most 120 characters and a script at most 1,000, and an emoji counts as one', async () => {
    await createIntro(api, { context: { title: '🏠'.repeat(120) }, instructions: { script: '🏠'.repeat(1000) } });
    const longTitle = await api.post(PATH, anIntro({ context: { title: 'x'.repeat(121) } }));
    expectError(longTitle, 422, 'validation_failed', 'context.title');
    const longScript = await api.post(PATH, anIntro({ instructions: { script: 'x'.repeat(1001) } }));
    expectError(longScript, 422, 'validation_failed', 'instructions.script');
  });

  test('rejects touchpoint, trade and lane, which belong to events', async () => {
    expectError(await api.post(PATH, anIntro({ touchpoint: 'on_my_way' })), 422, 'validation_failed', 'touchpoint');
    for (const field of ['trade', 'lane']) {
      const reply = await api.post(PATH, anIntro({ context: { [field]: 'retail' } }));
      expectError(reply, 422, 'validation_failed', `context.${field}`);
    }
  });

  test('the member is resolved by id, external_id or email', async () => {
    const { memberId } = fixture.organization;
    for (const member of [{ id: memberId }, { external_id: 'rep_17' }, { email: 'ANA@ACME.EXAMPLE' }]) {
      expect((await createIntro(api, { member })).member.id).toBe(memberId);
    }
  });

  test('an unknown or inactive member is member_not_found, and nothing is created', async () => {
    const reference = { id: 'unknown_member' };
    for (const member of [{ id: 'me' }, { external_id: 'unknown' }, { email: 'unknown@acme.example' }]) {
      expectError(await api.post(PATH, anIntro({ member, reference })), 422, 'member_not_found');
    }
    const newcomer = ['--first-name', 'Ana', '--last-name', 'Reyes', '--email', 'short@acme.example'];
    const { id } = await fixture.run('member', 'create', '--org', fixture.organization.id, ...newcomer);
    await fixture.run('member', 'deactivate', id);
    expectError(await api.post(PATH, anIntro({ member: { id }, reference })), 422, 'member_not_found');
    expect((await api.get(`${PATH}?reference_id=unknown_member`)).body.data).toEqual([]);
  });

  test('an email that several members have is member_ambiguous', async () => {
    for (const email of ['twin@acme.example', 'TWIN@acme.example']) {
      const twin = ['--first-name', 'Ana', '--last-name', 'Reyes', '--email', email];
      await fixture.run('member', 'create', '--org', fixture.organization.id, ...twin);
    }
    const reply = await api.post(PATH, anIntro({ member: { email: 'twin@acme.example' } }));
    expectError(reply, 422, 'member_ambiguous');
  });
});

describe('GET /v1/intros/{id}', () => {
  test('returns the same intro as its creation', async () => {
    const intro = await createIntro(api, { reference: REFERENCE, metadata: { a: 1 } });
    const { status, body } = await api.get(`${PATH}/${intro.id}`);
    expect(status).toBe(200);
    expect(body).toEqual(intro);
  });

  test('an unknown ID of any form is 404 not_found', async () => {
    const unknown = ['int_01kahzv8e1f0rtx5m2q6n9d3bw', 'x', '%00', '%F0%9F%8F%A0', 'evt_1', "'", 'a'.repeat(190)];
    for (const id of unknown) {
      expectError(await api.get(`${PATH}/${id}`), 404, 'not_found');
      expectError(await api.get(`/v1/events/${id}`), 404, 'not_found');
    }
  });

  test('an event is not found as an intro, nor an intro as an event', async () => {
    const { id } = await createIntro(api);
    expectError(await api.get(`/v1/events/${id}`), 404, 'not_found');
  });

  test("an intro shows its member's current name", async () => {
    const newcomer = ['--first-name', 'Reyes', '--last-name', 'Reyes', '--email', 'new@acme.example'];
    const { id: memberId } = await fixture.run('member', 'create', '--org', fixture.organization.id, ...newcomer);
    const { id } = await createIntro(api, { member: { id: memberId } });
    // Arrange: only the console can rename members.
    await fixture.database.query("update members set first_name = 'Ana' where id = $1", [memberId]);
    expect((await api.get(`${PATH}/${id}`)).body.member.first_name).toBe('Ana');
  });
});
