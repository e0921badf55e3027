import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import {
  APPOINTMENT,
  anIntro,
  createIntro,
  eventually,
  expectError,
  introOfEvent,
  REFERENCE,
  sendEvent,
  sendTogether,
  settled,
} from './support/actions.ts';
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
      delivery: {
        responsibility: 'service',
        status: null,
        recipient_url: null,
        scheduled_for: null,
        reason: null,
        error: null,
      },
      media: null,
      metadata: { crm_owner: 'west' },
      environment: 'test',
      version: 1,
      declined: null,
      member_notified_at: null,
      notification_error: null,
      created_at: expect.any(String),
      expires_at: '2031-03-12T19:30:00.000Z',
      recorded_at: null,
      sent_at: null,
      opened_at: null,
      watched_at: null,
      watched_percent: 0,
      cancelled_at: null,
      clicks: [],
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

  test('rejects touchpoint, trade and lane, which belong to events', async () => {
    expectError(await api.post(PATH, anIntro({ touchpoint: 'on_my_way' })), 422, 'validation_failed', 'touchpoint');
    for (const field of ['trade', 'lane']) {
      const reply = await api.post(PATH, anIntro({ context: { [field]: 'retail' } }));
      expectError(reply, 422, 'validation_failed', `context.${field}`);
    }
  });
});

describe('GET /v1/intros/{id}', () => {
  test('returns the same intro as its creation', async () => {
    const intro = await createIntro(api, { reference: REFERENCE, metadata: { a: 1 } });
    const { status, body } = await api.get(`${PATH}/${intro.id}`);
    expect(status).toBe(200);
    expect(body).toEqual(intro);
  });

  test("an intro shows its member's current name", async () => {
    const newcomer = ['--first-name', 'Reyes', '--last-name', 'Reyes', '--email', 'new@acme.example'];
    const { id: memberId } = await fixture.run('member', 'create', '--org', fixture.organization.id, ...newcomer);
    const { id } = await createIntro(api, { member: { id: memberId } });
    // Arrange: only the console can rename members.
    await fixture.database.sql`update members set first_name = 'Ana' where id = ${memberId}`;
    expect((await api.get(`${PATH}/${id}`)).body.member.first_name).toBe('Ana');
  });
});

// As text, because an object literal would already change some of these.
test.each([
  ['the order of its keys', '{"zebra":"1","apple":"2","Mango":"3","_":"4","-":"5",".":"6"}'],
  ['numbers', '{"a":0,"b":-1.5,"c":0.1,"d":9007199254740991,"e":5e-324,"f":123456789.123456}'],
  ['booleans', '{"yes":true,"no":false}'],
  [
    'strings that look like something else',
    '{"a":"true","b":"1","c":"null","d":"","e":" x ","f":"{{ recipient.first_name }}"}',
  ],
  ['strings in any language', '{"a":"\u00e9\u0301 \u05d0 \u65e5\u672c \ud83c\udfe0","b":"<b>&amp;\\\\ \\" \'"}'],
  ['names with a meaning in JavaScript', '{"__proto__":"x","constructor":"y","toString":"z","hasOwnProperty":true}'],
])('metadata is returned exactly as sent: %s', async (_, text) => {
  const metadata = JSON.parse(text);
  const intro = await createIntro(api, { metadata });
  expect(JSON.stringify(intro.metadata)).toBe(JSON.stringify(metadata));
  expect(JSON.stringify((await api.get(`/v1/intros/${intro.id}`)).body.metadata)).toBe(JSON.stringify(metadata));
  const event = await settled(api, (await sendEvent(api, { metadata })).id);
  expect(JSON.stringify(event.metadata)).toBe(JSON.stringify(metadata));
  const ofEvent = (await api.get(`/v1/intros/${event.intro}`)).body;
  expect(JSON.stringify(ofEvent.metadata)).toBe(JSON.stringify(metadata));
});

test('strings are stored as sent: nothing is trimmed, changed or normalized', async () => {
  const recipient = { first_name: ' Jose\u0301 ', last_name: "O'Brien-\u738b", phone: '+14155550123' };
  const reference = { source: ' acme ', type: 'deal', id: '\u00c5/1?&' };
  const script = ' Hi,\r\n\nDana. ';
  const intro = await createIntro(api, { recipient, reference, instructions: { script }, context: { title: ' T ' } });
  expect((await api.get(`/v1/intros/${intro.id}`)).body).toMatchObject({
    recipient,
    reference,
    instructions: { script },
    context: { title: ' T ' },
  });
  const found = await api.get(`/v1/intros?reference_id=${encodeURIComponent(reference.id)}`);
  expect(found.body.data.map(({ id }: { id: string }) => id)).toEqual([intro.id]);
});

const UNKNOWN = '/v1/intros/int_01kahzv8e1f0rtx5m2q6n9d3bw';

/** Arrange: moves the row directly, because `ready` and `sent` would take a recording and a delivery. */
async function introIn(status: string, responsibility = 'integration'): Promise<string> {
  const { id } = await createIntro(api, { delivery: { responsibility } });
  await fixture.database.sql`update intros set status = ${status},
       recorded_at = case when ${status} in ('ready', 'sent') then now() end,
       sent_at = case when ${status} = 'sent' then now() end,
       cancelled_at = case when ${status} = 'cancelled' then now() end,
       expires_at = case when ${status} in ('requested', 'ready') then expires_at end
     where id = ${id}`;
  return id;
}

const retrieve = async (id: string) => (await api.get(`/v1/intros/${id}`)).body;

describe('POST /v1/intros/{id}/cancel', () => {
  test.each(['requested', 'ready'])('%s becomes cancelled', async (status) => {
    const id = await introIn(status);
    const before = await retrieve(id);
    expect(before.status).toBe(status);
    const reply = await api.post(`/v1/intros/${id}/cancel`);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      ...before,
      status: 'cancelled',
      version: before.version + 1,
      expires_at: null,
      cancelled_at: expect.any(String),
    });
    expect(await retrieve(id)).toEqual(reply.body);
  });
});

describe('POST /v1/intros/{id}/mark_sent', () => {
  test('ready becomes sent if the integration delivers', async () => {
    const id = await introIn('ready');
    const before = await retrieve(id);
    const reply = await api.post(`/v1/intros/${id}/mark_sent`);
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      ...before,
      status: 'sent',
      delivery: { ...before.delivery, status: 'sent' },
      version: before.version + 1,
      expires_at: null,
      sent_at: expect.any(String),
    });
    expect(await retrieve(id)).toEqual(reply.body);
  });
  test('an error does not bind the key: the same key works once the intro is ready', async () => {
    const { id } = await createIntro(api);
    const key = `acme_crm:${id}:sent`;
    expectError(await api.post(`/v1/intros/${id}/mark_sent`, undefined, { key }), 409, 'intro_not_ready');
    await fixture.database.sql`update intros set status = 'ready', recorded_at = now() where id = ${id}`;
    expect((await api.post(`/v1/intros/${id}/mark_sent`, undefined, { key })).body.status).toBe('sent');
  });
});

test.each([
  ['cancel', 'sent'],
  ['cancel', 'cancelled'],
  ['cancel', 'expired'],
  ['mark_sent', 'sent'],
  ['take_down', 'cancelled'],
  ['take_down', 'expired'],
])('%s does not change an intro that is %s, and responds with 200', async (action, status) => {
  const id = await introIn(status);
  const before = await retrieve(id);
  expect(await api.post(`/v1/intros/${id}/${action}`)).toMatchObject({ status: 200, body: before });
  expect(await retrieve(id)).toEqual(before);
});

test.each([
  ['mark_sent', 'requested', 'integration', 'intro_not_ready'],
  ['mark_sent', 'requested', 'service', 'intro_not_ready'],
  ['mark_sent', 'ready', 'service', 'intro_not_ready'],
  ['mark_sent', 'cancelled', 'integration', 'intro_closed'],
  ['mark_sent', 'expired', 'integration', 'intro_closed'],
  ['take_down', 'requested', 'integration', 'intro_not_sent'],
  ['take_down', 'ready', 'integration', 'intro_not_sent'],
])('%s of an intro that is %s, delivered by the %s, is 409 %s', async (action, status, responsibility, code) => {
  const id = await introIn(status, responsibility);
  const before = await retrieve(id);
  expectError(await api.post(`/v1/intros/${id}/${action}`), 409, code);
  expect(await retrieve(id)).toEqual(before);
});

test.each([
  ['cancel', 'requested'],
  ['take_down', 'sent'],
])('ten concurrent requests to %s with different keys change the intro once', async (action, status) => {
  const id = await introIn(status);
  const replies = await sendTogether(10, (_, options) => api.post(`/v1/intros/${id}/${action}`, undefined, options));
  const first = replies[0]?.body;
  expect(first.version).toBe(2);
  for (const { status, body } of replies) expect({ status, body }).toEqual({ status: 200, body: first });
});

describe.each(['cancel', 'mark_sent'])('%s', (action) => {
  test('requires no body: it may be empty or {}, with any or no Content-Type', async () => {
    const forms = [
      {},
      { body: '{}' },
      { headers: { 'content-type': 'text/plain' }, body: ' {} ' },
      { headers: { 'content-type': 'application/json' }, body: '' },
    ];
    for (const [n, { headers, body }] of forms.entries()) {
      const id = await introIn('ready');
      const reply = await api.raw('POST', `/v1/intros/${id}/${action}`, {
        headers: { 'idempotency-key': `${action}:${id}:${n}`, ...headers },
        ...(body !== undefined && { body }),
      });
      expect(reply.status).toBe(200);
    }
  });
});

test('of a concurrent cancel and mark_sent, exactly one takes effect', async () => {
  for (let n = 0; n < 10; n++) {
    const id = await introIn('ready');
    const [cancelled, sent] = await Promise.all([
      api.post(`/v1/intros/${id}/cancel`),
      api.post(`/v1/intros/${id}/mark_sent`),
    ]);
    const intro = await retrieve(id);
    expect(cancelled).toMatchObject({ status: 200, body: intro });
    if (intro.status === 'cancelled') {
      expectError(sent, 409, 'intro_closed');
      expect(intro.sent_at).toBeNull();
    } else {
      expect(intro).toMatchObject({ status: 'sent', cancelled_at: null });
      expect(sent).toMatchObject({ status: 200, body: intro });
    }
  }
});

test('the order of checks on an existing object is the schema, then idempotency, then 404, then the status', async () => {
  const id = await introIn('cancelled');
  const { id: other } = await createIntro(api);
  const key = `acme_crm:${other}:cancel`;
  expect((await api.post(`/v1/intros/${other}/cancel`, undefined, { key })).status).toBe(200);
  const conflicting = { key };
  const malformed = await api.post(`${UNKNOWN}/mark_sent`, { reason: 'x' }, conflicting);
  expectError(malformed, 422, 'validation_failed', 'reason');
  expectError(await api.post(`${UNKNOWN}/mark_sent`, undefined, conflicting), 409, 'idempotency_conflict');
  expectError(await api.post(`/v1/intros/${id}/mark_sent`, undefined, conflicting), 409, 'idempotency_conflict');
  expectError(await api.post(`${UNKNOWN}/mark_sent`), 404, 'not_found');
  expectError(await api.post(`/v1/intros/${id}/mark_sent`), 409, 'intro_closed');
});

describe('POST /v1/intros/{id}/take_down', () => {
  test('takes the page of a sent intro down once: for the API, the timeline and the test helpers', async () => {
    const id = await introIn('sent');
    const before = await retrieve(id);
    const reply = await api.post(`/v1/intros/${id}/take_down`, undefined, { key: 'take_down:1' });
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({ ...before, version: before.version + 1, taken_down_at: expect.any(String) });
    expect((await api.post(`/v1/intros/${id}/take_down`)).body).toEqual(reply.body);
    const replay = await api.post(`/v1/intros/${id}/take_down`, undefined, { key: 'take_down:1' });
    expect([replay.headers.get('idempotent-replayed'), replay.body]).toEqual(['true', reply.body]);
    const { data } = (await api.get(`/v1/intros/${id}/timeline`)).body;
    expect(data.filter(({ type }: { type: string }) => type === 'taken_down')).toEqual([
      {
        at: reply.body.taken_down_at,
        type: 'taken_down',
        cause: 'integration',
        detail: { key: expect.stringMatching(/^key_/) },
      },
    ]);
    expectError(await api.post(`/v1/test_helpers/intros/${id}/open`), 409, 'intro_closed');
    expect(await retrieve(id)).toEqual(reply.body);
  });
});

const DAY_MS = 86_400_000;

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

  test('waits for a take that is processed, for up to a day', async () => {
    const { id } = await createIntro(api);
    await fixture.database
      .sql`insert into recordings (organization_id, environment, id, intro_id, member_id, status, media_type, created_at, touched_at, received_at, retry_at)
      select organization_id, environment, 'rec_pending', id, member_id, 'uploaded', 'video/mp4', now(), now(), now(), now() + interval '1 hour'
      from intros where id = ${id}`;
    await arrange(id, 'requested');
    const { id: witness } = await createIntro(api);
    await arrange(witness, 'requested');
    await untilExpired(witness);
    expect((await retrieve(id)).status).toBe('requested');
    await fixture.database.sql`update recordings set received_at = now() - interval '1 day' where intro_id = ${id}`;
    await untilExpired(id);
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
});
