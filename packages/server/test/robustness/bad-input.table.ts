import type { Creation, Json } from './bodies.ts';

export interface FieldCase {
  readonly path: string;
  readonly in: readonly Creation[];
  readonly required?: boolean;
  /** Null or empty text is a value, so it does not mean "not sent". */
  readonly keepsEmpty?: boolean;
  readonly wrong: readonly Json[];
  /** At the limits of what the documentation allows. */
  readonly right: readonly Json[];
}

const BOTH = ['touchpoint-events', 'intros'] as const;
const EVENTS = ['touchpoint-events'] as const;
const INTROS = ['intros'] as const;

const NOT_TEXT: Json[] = [5, true, [], {}, ['Dana']];
const NOT_AN_OBJECT: Json[] = [5, true, 'text', [], [{}]];
/** In an optional field these mean that it was not sent. A required field rejects them. */
export const EMPTY: readonly Json[] = [null, ''];
const CONTROLS: Json[] = ['\u0000', 'a\u0000b', 'a\u0007', 'a\tb', 'a\u001fb', '\u007f', '\u0085', '\u009f'];
const HALF_CHARACTERS: Json[] = ['\ud800', 'a\udc00', '\ude00\ud83d', 'a\ud83d'];
const EMOJI = '👩';

/** Lengths are counted in code points: an emoji is one, though it takes two UTF-16 units and four bytes. */
function text(max: number): Pick<FieldCase, 'wrong' | 'right'> {
  return {
    wrong: [
      ...[...NOT_TEXT, ...CONTROLS, ...HALF_CHARACTERS, 'line\nbreak'],
      ...['a'.repeat(max + 1), EMOJI.repeat(max + 1), 'a'.repeat(60_000)],
    ],
    right: [
      ...['a', ' ', ' not trimmed ', 'a'.repeat(max), EMOJI.repeat(max)],
      ...['e\u0301', '<b>{{ x }}', "'; --", '\u200f', '\\u0000', '\uffff'],
    ],
  };
}

/** Characters that show nothing: spaces, and those that Unicode calls ignorable. */
const INVISIBLE = [
  ...[' ', '\u00a0', '\u2003', '\u3000', '\u200b', '\u200d\ufeff', '\u200f', '\u2060', '\u00ad', '\u034f'],
  ...['\u115f', '\u3164', '\uffa0', '\u2800', '\ufe0f', '\u{e0041}', '\u202e', ' \u200b\u00a0\u3164 '],
];

/** A name is text of which something can be seen. */
function name(): Pick<FieldCase, 'wrong' | 'right'> {
  const { wrong, right } = text(100);
  return {
    wrong: [...wrong, ...INVISIBLE],
    right: [
      ...right.filter((value) => !INVISIBLE.includes(String(value))),
      ...['李', 'ᄒ', '.', '-', 'O\u2019Brien', '\u200bD', '\u0639\u0644\u06cc\u200c\u0632'],
    ],
  };
}

const oneOf = (right: string[]): Pick<FieldCase, 'wrong' | 'right'> => ({
  wrong: [...NOT_TEXT, 'other', ...right.flatMap((value) => [value.toUpperCase(), ` ${value}`, `${value}\u0000`])],
  right,
});

const SLUG = 'on_my_way';
const EMAIL_HOST = '@acme.example';
const longEmail = (length: number) => 'a'.repeat(length - EMAIL_HOST.length) + EMAIL_HOST;

const WRONG_TIMES: Json[] = [
  ...[' ', 'now', '2026', '2026-03-10', '09:15:00Z', '20260310T091500Z', '1773134100', '2026-03-10T09Z'],
  ...['2026-02-30T10:00:00Z', '2026-02-29T10:00:00Z', '2026-04-31T10:00:00Z', '2026-13-01T10:00:00Z'],
  ...['2026-00-10T10:00:00Z', '2026-03-00T10:00:00Z', '2026-03-32T10:00:00Z', '2026-03-10T24:00:00Z'],
  ...['2026-03-10T10:60:00Z', '2026-03-10T10:00:61Z', '2026-03-10T10:00:00+99:00', '2026-03-10T10:00:00+24:00'],
  ...['2026-03-10T10:00:00+05:60', '2026-03-10T10:00:00+5:00', '2026-03-10T10:00:00 Z', ' 2026-03-10T10:00:00Z'],
  ...['2026-03-10T10:00:00Z\n', '2026-03-10T10:00:00Z\u0000', '2026-03-10T10:00:00.Z', '2026-03-10T10:00:00,5Z'],
  ...['+02026-03-10T10:00:00Z', '-0001-03-10T10:00:00Z', '0000-03-10T10:00:00Z', '12026-03-10T10:00:00Z'],
  ...['0001-01-01T00:00:00+14:00', '9999-12-31T23:59:59-12:00', '２０２６-03-10T10:00:00Z'],
];
const RIGHT_TIMES: Json[] = [
  ...['2026-03-10T09:15Z', '2026-03-10T09:15+00', '2026-03-10T09:15:00+0530', '2026-03-10T09:15:00.1234567890123-0500'],
  ...['2026-03-10T09:15:00Z', '2026-03-10t09:15:00z', '2026-03-10T09:15:00+05:30', '2026-03-10T09:15:00-00:00'],
  ...['2026-03-10T09:15:00.123456789Z', '2026-03-10T09:15:00.1Z', '2028-02-29T00:00:00Z', '2016-12-31T23:59:60Z'],
  ...['0001-01-01T00:00:00Z', '9999-12-31T23:59:59Z', '1969-07-20T20:17:40Z', '2026-03-10T23:59:59+14:00'],
];

const manyPairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`key_${i}`, i]));

export const FIELD_CASES: readonly FieldCase[] = [
  {
    path: 'touchpoint',
    in: EVENTS,
    required: true,
    wrong: [...NOT_TEXT, ...CONTROLS, ...HALF_CHARACTERS, 'On_my_way', 'ON_MY_WAY', 'on-my-way', ' on_my_way'].concat([
      'on_my_way ',
      'on_my_way\n',
      'a'.repeat(65),
      'ön_my_way',
      'on.my.way',
    ]),
    right: [SLUG, 'project_update'],
  },
  {
    path: 'occurred_at',
    in: EVENTS,
    required: true,
    wrong: [...NOT_TEXT, ...WRONG_TIMES, '2026-03-10T09:15:00', '2026-03-10T09:15', '2026-03-10T09:15:00.5'],
    right: RIGHT_TIMES,
  },
  { path: 'member', in: BOTH, required: true, wrong: [...NOT_AN_OBJECT, {}], right: [{ external_id: 'rep_17' }] },
  { path: 'member.id', in: BOTH, wrong: NOT_TEXT, right: [] },
  { path: 'member.external_id', in: BOTH, ...text(255), right: [] },
  {
    path: 'member.email',
    in: BOTH,
    wrong: [...NOT_TEXT, ...HALF_CHARACTERS, '@', 'a@', '@b', 'ana', 'a b@acme.example', 'ana@acme.example\n'].concat([
      'ana@@acme.example',
      'ana@acme.example\u0000',
      '\u0007ana@acme.example',
      longEmail(255),
    ]),
    right: [],
  },
  {
    path: 'recipient',
    in: BOTH,
    required: true,
    wrong: NOT_AN_OBJECT,
    right: [{ first_name: 'D', phone: '+14155550123' }],
  },
  { path: 'recipient.first_name', in: BOTH, required: true, ...name() },
  { path: 'recipient.last_name', in: BOTH, ...name() },
  {
    path: 'recipient.phone',
    in: BOTH,
    required: true,
    wrong: [
      ...[...NOT_TEXT, '+', '14155550123', '0014155550123', '+04155550123', '+1415555', '+1234567890123456'],
      ...['+1 415 555 0123', '+1-415-555-0123', '(415) 555-0123', '+1415555012a', '+14155550123 ', ' +14155550123'],
      ...['+14155550123\n', '+14155550123\u0000', '＋14155550123', '+１４１５５５５０１２３', 'tel:+14155550123'],
      '+14155550123;ext=5',
    ],
    right: ['+12345678', '+123456789012345'],
  },
  { path: 'recipient.language', in: BOTH, ...oneOf(['en', 'es']) },
  { path: 'reference', in: BOTH, wrong: NOT_AN_OBJECT, right: [{}, { id: 'appt_1' }] },
  { path: 'reference.source', in: BOTH, ...text(255) },
  { path: 'reference.type', in: BOTH, ...text(255) },
  { path: 'reference.id', in: BOTH, ...text(255) },
  { path: 'context', in: BOTH, wrong: NOT_AN_OBJECT, right: [{}] },
  { path: 'context.title', in: INTROS, ...text(120) },
  { path: 'context.appointment', in: BOTH, wrong: NOT_AN_OBJECT, right: [] },
  {
    path: 'context.appointment.starts_at',
    in: BOTH,
    required: true,
    wrong: [...NOT_TEXT, ...WRONG_TIMES],
    right: [
      ...[...RIGHT_TIMES, '2026-03-12T14:30', '2026-03-12T14:30:00', '2026-03-08T02:30:00', '2026-11-01T01:30:00'],
      '2000-01-01T00:00:00',
    ],
  },
  {
    path: 'context.appointment.timezone',
    in: BOTH,
    required: true,
    wrong: [
      ...[...NOT_TEXT, 'america/chicago', 'AMERICA/CHICAGO', 'America/chicago', 'America/Nowhere', 'Chicago', 'pst'],
      ...['CST6', 'utc', 'local', 'UTC+3', '+02:00', ' America/Chicago', 'America/Chicago\u0000'],
      ...['../America/Chicago', 'constructor', '__proto__', 'a'.repeat(60_000)],
    ],
    right: [
      ...['America/Chicago', 'UTC', 'Asia/Kolkata', 'Asia/Calcutta', 'America/Argentina/Buenos_Aires'],
      'Pacific/Apia',
    ],
  },
  { path: 'context.trade', in: EVENTS, ...oneOf(['roofing', 'siding', 'windows', 'doors', 'gutters']) },
  { path: 'context.lane', in: EVENTS, ...oneOf(['retail', 'insurance']) },
  { path: 'instructions', in: INTROS, wrong: NOT_AN_OBJECT, right: [{}] },
  {
    path: 'instructions.script',
    in: INTROS,
    // A tab is a space, which another test shows.
    wrong: [
      ...[...NOT_TEXT, ...CONTROLS.filter((value) => value !== 'a\tb'), ...HALF_CHARACTERS],
      ...['a'.repeat(1001), EMOJI.repeat(1001)],
    ],
    right: [
      ...['a', '\n', 'one\ntwo\r\nthree', 'a'.repeat(1000), EMOJI.repeat(1000), 'word '.repeat(200)],
      '{{ recipient }}',
    ],
  },
  { path: 'delivery', in: INTROS, wrong: NOT_AN_OBJECT, right: [{}] },
  { path: 'delivery.responsibility', in: INTROS, ...oneOf(['integration', 'service']) },
  {
    path: 'metadata',
    in: BOTH,
    wrong: [...NOT_AN_OBJECT, manyPairs(21), manyPairs(3_000)],
    right: [{}, manyPairs(20), { 'a.b-c_D9': '' }, { constructor: 'x', toString: 1, hasOwnProperty: false }],
  },
  {
    path: 'metadata.crm_owner',
    in: BOTH,
    keepsEmpty: true,
    wrong: [
      ...[null, [], {}, ['west'], { a: 1 }, 2 ** 53, -(2 ** 53), 1e300, 'a'.repeat(501), EMOJI.repeat(501)],
      ...['line\nbreak', ...CONTROLS, ...HALF_CHARACTERS],
    ],
    right: ['', 'a'.repeat(500), EMOJI.repeat(500), 2 ** 53 - 1, -(2 ** 53 - 1), 0.1, 5e-324, 0, true, false],
  },
];

export const BAD_METADATA_KEYS = [
  ...['', 'a'.repeat(41), 'a b', 'a/b', 'a~b', 'a:b', 'ä', '👩', 'a\u0000', 'a\n', '$where', 'a[0]'],
];

/** Objects that reject fields beyond the documented ones. */
export const CLOSED_OBJECTS: readonly { path: string; in: readonly Creation[] }[] = [
  { path: '', in: BOTH },
  { path: 'member', in: BOTH },
  { path: 'recipient', in: BOTH },
  { path: 'reference', in: BOTH },
  { path: 'context', in: BOTH },
  { path: 'context.appointment', in: BOTH },
  { path: 'instructions', in: INTROS },
  { path: 'delivery', in: INTROS },
];
