import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { APPOINTMENT, anIntro, createIntro, expectError, REFERENCE, sendEvent, settled } from './support/actions.ts';
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
