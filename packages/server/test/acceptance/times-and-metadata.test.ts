import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { anIntro, createIntro, expectError, introOfEvent, sendEvent, settled } from './support/actions.ts';
import { openService } from './support/service.ts';

const fixture = await forFile(openService());
const api = fixture.api;

describe('context.appointment.starts_at', () => {
  test.each([
    ['with an offset', '2031-03-12T14:30:00-05:00', 'America/Chicago', '2031-03-12T19:30:00.000Z'],
    [
      'with an offset that differs from the zone',
      '2031-03-12T14:30:00+09:00',
      'America/Chicago',
      '2031-03-12T05:30:00.000Z',
    ],
    ['in UTC', '2031-03-12T14:30:00Z', 'America/Chicago', '2031-03-12T14:30:00.000Z'],
    ['in lowercase', '2031-03-12t14:30:00z', 'America/Chicago', '2031-03-12T14:30:00.000Z'],
    ['with fractional seconds', '2031-03-12T14:30:00.25Z', 'UTC', '2031-03-12T14:30:00.250Z'],
    ['local, in winter', '2031-01-15T09:00:00', 'America/Chicago', '2031-01-15T15:00:00.000Z'],
    ['local, in summer', '2031-07-15T09:00:00', 'America/Chicago', '2031-07-15T14:00:00.000Z'],
    ['local, before the clocks go forward', '2031-03-09T01:59:59', 'America/Chicago', '2031-03-09T07:59:59.000Z'],
    ['local, after the clocks go forward', '2031-03-09T03:00:00', 'America/Chicago', '2031-03-09T08:00:00.000Z'],
    ['local, skipped when the clocks go forward', '2031-03-09T02:30:00', 'America/Chicago', '2031-03-09T08:30:00.000Z'],
    ['local, after the clocks go back', '2031-11-02T02:00:00', 'America/Chicago', '2031-11-02T08:00:00.000Z'],
    ['local, in a zone with a 45-minute offset', '2031-01-15T09:00:00', 'Asia/Kathmandu', '2031-01-15T03:15:00.000Z'],
    ['local, with an alias of a zone', '2031-01-15T09:00:00', 'US/Central', '2031-01-15T15:00:00.000Z'],
  ])('%s is returned in UTC with milliseconds, with the zone as sent', async (_, startsAt, timezone, expected) => {
    const { context } = await createIntro(api, { context: { appointment: { starts_at: startsAt, timezone } } });
    expect(context.appointment).toEqual({ starts_at: expected, timezone });
  });

  test('of an event is parsed in the same way', async () => {
    const appointment = { starts_at: '2031-07-15T09:00:00', timezone: 'America/Chicago' };
    const { context } = await introOfEvent(api, { touchpoint: 'new_inspection', context: { appointment } });
    expect(context.appointment).toEqual({ starts_at: '2031-07-15T14:00:00.000Z', timezone: 'America/Chicago' });
  });

  test.each([
    '2031-02-29T10:00:00',
    '2031-13-01T10:00:00Z',
    '2031-03-12',
    '2031-03-12 14:30:00',
    'tomorrow',
    1_900_000_000,
  ])('%j is rejected', async (startsAt) => {
    const context = { appointment: { starts_at: startsAt, timezone: 'UTC' } };
    const reply = await api.post('/v1/intros', anIntro({ context }));
    expectError(reply, 422, 'validation_failed', 'context.appointment.starts_at');
  });

  test.each(['America/Springfield', 'CST6', '+05:00', 'america/chicago', ''])(
    'in the zone %j is rejected',
    async (timezone) => {
      const context = { appointment: { starts_at: '2031-01-15T09:00:00', timezone } };
      const reply = await api.post('/v1/intros', anIntro({ context }));
      expectError(reply, 422, 'validation_failed', 'context.appointment.timezone');
    },
  );
});

describe('metadata', () => {
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
  ])('is returned exactly as sent: %s', async (_, text) => {
    const metadata = JSON.parse(text);
    const intro = await createIntro(api, { metadata });
    expect(JSON.stringify(intro.metadata)).toBe(JSON.stringify(metadata));
    expect(JSON.stringify((await api.get(`/v1/intros/${intro.id}`)).body.metadata)).toBe(JSON.stringify(metadata));
    const event = await settled(api, (await sendEvent(api, { metadata })).id);
    expect(JSON.stringify(event.metadata)).toBe(JSON.stringify(metadata));
    const ofEvent = (await api.get(`/v1/intros/${event.intro}`)).body;
    expect(JSON.stringify(ofEvent.metadata)).toBe(JSON.stringify(metadata));
  });

  test('has up to 20 pairs, keys of up to 40 and strings of up to 500 characters', async () => {
    const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`key_${n}`, n]));
    await createIntro(api, { metadata: pairs(20) });
    await createIntro(api, { metadata: { ['k'.repeat(40)]: '🏠'.repeat(500) } });
    expectError(await api.post('/v1/intros', anIntro({ metadata: pairs(21) })), 422, 'validation_failed', 'metadata');
    const longText = await api.post('/v1/intros', anIntro({ metadata: { a: 'x'.repeat(501) } }));
    expectError(longText, 422, 'validation_failed', 'metadata.a');
    for (const key of ['k'.repeat(41), '', 'a b', 'é']) {
      const reply = await api.post('/v1/intros', anIntro({ metadata: { [key]: 1 } }));
      expectError(reply, 422, 'validation_failed', `metadata.${key}`);
    }
    for (const value of [null, [], {}]) {
      const reply = await api.post('/v1/intros', anIntro({ metadata: { a: value } }));
      expectError(reply, 422, 'validation_failed', 'metadata.a');
    }
  });
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
