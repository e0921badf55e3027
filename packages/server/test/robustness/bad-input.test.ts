import { describe, expect, test } from 'vitest';
import { forFile, openService, type Reply } from '../harness/index.ts';
import { BAD_METADATA_KEYS, CLOSED_OBJECTS, FIELD_CASES } from './bad-input.table.ts';
import { UNKNOWN_IDS } from './bad-requests.table.ts';
import { CREATIONS, type Creation, completeBody, fieldOf, type Json, type JsonObject, withField } from './bodies.ts';
import { countStored, invalidField, type Outcome, outcomeOf } from './outcome.ts';

const SHOWN_LENGTH = 60;

const fixture = await forFile(openService());
const { database, organization: acme } = fixture;
const other = await fixture.newOrganization({ name: 'Summit Homes' });

/** A dry run of an event must be rejected with the same error. */
async function send(creation: Creation, body: JsonObject, key?: string): Promise<Reply> {
  const reply = await acme.api.post(`/v1/${creation}`, body, key === undefined ? {} : { key });
  if (creation === 'touchpoint-events' && reply.status === 422) {
    expect((await acme.api.post('/v1/dry_run', body)).body).toEqual(reply.body);
  }
  return reply;
}

const show = (value: Json | undefined): string => (JSON.stringify(value) ?? 'left out').slice(0, SHOWN_LENGTH);

/** Returns each outcome with the name of its case, so that a failed comparison shows the case. */
async function outcomesOf<T>(cases: readonly T[], name: (one: T) => string, request: (one: T) => Promise<Reply>) {
  const outcomes: [string, Outcome][] = [];
  for (const one of cases) outcomes.push([name(one), outcomeOf(await request(one))]);
  return outcomes;
}

/** Expects that all cases are rejected, and that nothing is stored. */
async function expectAllRejected<T>(
  cases: readonly T[],
  expected: Outcome | ((one: T) => Outcome),
  name: (one: T) => string,
  request: (one: T) => Promise<Reply>,
): Promise<void> {
  const before = await countStored(database);
  const wanted = cases.map((one) => [name(one), typeof expected === 'function' ? expected(one) : expected]);
  expect(await outcomesOf(cases, name, request)).toEqual(wanted);
  expect(await countStored(database)).toEqual(before);
}

const fields = CREATIONS.flatMap((creation) =>
  FIELD_CASES.filter((field) => field.in.includes(creation)).map((field) => ({ creation, ...field })),
);

describe('a wrong value', () => {
  test.each(fields)('of $path in /v1/$creation is rejected by its name, and nothing is stored', async (field) => {
    const whole = completeBody(field.creation);
    // Naming the member in a second way would be another error.
    const body = field.path.startsWith('member.') ? withField(whole, 'member', {}) : whole;
    const cases: (Json | undefined)[] = [...field.wrong, ...(field.required === true ? [undefined] : [])];
    await expectAllRejected(cases, invalidField(field.path), show, (value) =>
      send(field.creation, withField(body, field.path, value)),
    );
  });

  test.each(fields.filter(({ right }) => right.length > 0))(
    'is not one within the limits: $path in /v1/$creation is accepted, and returned as sent',
    async ({ creation, path, right }) => {
      const before = await countStored(database);
      for (const value of right) {
        const reply = await send(creation, withField(completeBody(creation), path, value));
        expect([show(value), reply.status]).toEqual([show(value), creation === 'intros' ? 201 : 202]);
        const isText = typeof value === 'string' && !path.endsWith('starts_at');
        if (creation === 'intros' && (isText || path.startsWith('metadata')))
          expect(fieldOf(reply.body, path)).toEqual(value);
      }
      const { events, intros, keys } = await countStored(database);
      expect(events + intros).toBe(before.events + before.intros + right.length);
      expect(keys).toBe(before.keys + right.length);
    },
  );

  test.each(CREATIONS)(
    'of a local time in /v1/%s is also one that leaves the years 1 to 9999 in UTC',
    async (creation) => {
      const appointments = [
        { starts_at: '9999-12-31T23:59:59', timezone: 'America/Chicago' },
        { starts_at: '0001-01-01T00:00:00', timezone: 'Asia/Tokyo' },
      ];
      await expectAllRejected(appointments, invalidField('context.appointment.starts_at'), show, (appointment) =>
        send(creation, withField(completeBody(creation), 'context.appointment', appointment)),
      );
    },
  );

  test('in metadata may also be its key, which is then reported', async () => {
    for (const creation of CREATIONS) {
      await expectAllRejected(
        BAD_METADATA_KEYS,
        (key) => invalidField(`metadata.${key}`),
        show,
        (key) => send(creation, { ...completeBody(creation), metadata: { [key]: 'x' } }),
      );
    }
  });
});

test('tabs in a script are spaces', async () => {
  const body = withField(completeBody('intros'), 'instructions.script', 'Hi\tDana,\n\tthis is Ana.');
  const { instructions } = (await send('intros', body)).body;
  expect(instructions.script).toBe('Hi Dana,\n this is Ana.');
});

describe('an unknown field', () => {
  const places = CREATIONS.flatMap((creation) =>
    CLOSED_OBJECTS.filter((place) => place.in.includes(creation)).map(({ path }) => ({ creation, path })),
  );
  const NAMES = ['extra', 'Member', 'first-name', 'constructor', '', 'ä', '👩', 'toString', 'environment', 'status'];

  test.each(places)(
    'in "$path" of /v1/$creation is rejected by its name, and nothing is stored',
    async ({ creation, path }) => {
      const prefix = path === '' ? '' : `${path}.`;
      await expectAllRejected(
        NAMES,
        (name) => invalidField(prefix + name),
        show,
        (name) => {
          const body = completeBody(creation);
          const at = path === '' ? body : (fieldOf(body, path) as JsonObject);
          at[name] = 'x';
          return send(creation, body);
        },
      );
    },
  );
});

describe('the choice of a member', () => {
  const TWO = [
    { id: 'mem_01kahzv8e1f0rtx5m2q6n9d3bw', external_id: 'rep_17' },
    { external_id: 'rep_17', email: 'ana@acme.example' },
    { id: 'x', external_id: 'rep_17', email: 'ana@acme.example' },
  ];

  test.each(CREATIONS)('in /v1/%s is rejected if it is none or several, and nothing is stored', async (creation) => {
    await expectAllRejected([{}, { id: '' }, { id: null, email: '' }, ...TWO], invalidField('member'), show, (member) =>
      send(creation, { ...completeBody(creation), member }),
    );
  });

  test.each(CREATIONS)('in /v1/%s that matches none is member_not_found, and nothing is stored', async (creation) => {
    const moreIds = ['\u0000', 'a\u0000b', '\ud800', '👩', other.memberId, acme.id];
    const ids = [...UNKNOWN_IDS.map(([, id]) => id), ...moreIds];
    const members = [
      ...ids.map((id) => ({ id })),
      ...['a'.repeat(255), '👩'.repeat(255), 'REP_17', 'rep_17 '].map((external_id) => ({ external_id })),
      ...[`${'a'.repeat(241)}@acme.example`, 'unknown@acme.example'].map((email) => ({ email })),
    ];
    const unknown = (member: object) => ({
      ...{ status: 422, code: 'member_not_found', field: `member.${Object.keys(member)[0]}` },
    });
    await expectAllRejected<JsonObject>(members, unknown, show, (member) =>
      send(creation, { ...completeBody(creation), member }),
    );
  });
});

describe('several errors', () => {
  const PHONE = '555';
  const BELL = '\u0007';
  const bad = (creation: Creation, changes: Record<string, Json | undefined>) =>
    Object.entries(changes).reduce<JsonObject>(
      (body, [path, value]) => withField(body, path, value),
      completeBody(creation),
    );

  const COMBINATIONS: [first: string, Creation, JsonObject][] = [
    ['touchpoint', 'touchpoint-events', {}],
    ['member', 'intros', {}],
    ['touchpoint', 'touchpoint-events', bad('touchpoint-events', { touchpoint: 5, occurred_at: 5, member: 5 })],
    ['occurred_at', 'touchpoint-events', bad('touchpoint-events', { member: {}, occurred_at: undefined, metadata: 5 })],
    ['member.external_id', 'intros', bad('intros', { 'recipient.phone': PHONE, 'member.external_id': BELL })],
    ['member.id', 'intros', bad('intros', { 'member.id': 5, 'member.email': 'x' })],
    ['recipient.first_name', 'intros', bad('intros', { recipient: { phone: PHONE, last_name: BELL } })],
    ['recipient.last_name', 'intros', bad('intros', { recipient: { extra: 1, last_name: BELL, first_name: 'D' } })],
    ['recipient.phone', 'intros', bad('intros', { 'recipient.phone': PHONE, 'recipient.extra': 1, extra: 1 })],
    ['recipient.extra', 'intros', bad('intros', { 'recipient.extra': 1, 'reference.id': 5, 'metadata.a': null })],
    [
      'reference.source',
      'intros',
      bad('intros', { 'reference.id': BELL, 'reference.source': BELL, 'context.title': BELL }),
    ],
    ['context.title', 'intros', bad('intros', { 'context.appointment.timezone': 'x', 'context.title': BELL })],
    [
      'context.appointment.starts_at',
      'touchpoint-events',
      bad('touchpoint-events', { 'context.lane': 'x', 'context.trade': 'x', 'context.appointment': {} }),
    ],
    ['context.trade', 'touchpoint-events', bad('touchpoint-events', { 'context.lane': 'x', 'context.trade': 'x' })],
    ['instructions.script', 'intros', bad('intros', { 'delivery.responsibility': 'x', 'instructions.script': BELL })],
    ['delivery.responsibility', 'intros', bad('intros', { metadata: [], 'delivery.responsibility': 'x' })],
    ['metadata', 'intros', bad('intros', { extra: 1, metadata: [] })],
    ['metadata.b', 'intros', bad('intros', { aaa: 1, 'metadata.b': null })],
  ];

  test.each(COMBINATIONS)('report %s, the first in the documented order', async (first, creation, body) => {
    const reversed = Object.fromEntries(Object.entries(body).reverse());
    await expectAllRejected([body, reversed], invalidField(first), show, (one) => send(creation, one));
  });

  test('are all named in the message, up to a limit', async () => {
    const body = bad('intros', {
      recipient: { first_name: '', phone: PHONE },
      'reference.source': BELL,
      'metadata.a': null,
      'metadata.b': 2 ** 60,
      'metadata.c': [],
      extra: 1,
      other: 2,
      titel: 3,
    });
    const { message, problems } = (await send('intros', body)).body.error;
    const [first, others = ''] = message.split(' Also: ');
    expect(first).toBe('recipient.first_name is required and must not be empty.');
    expect(others.split('; ').map((problem: string) => problem.split(' ')[0])).toEqual([
      ...['recipient.phone', 'reference.source', 'metadata.a', 'metadata.b', 'metadata.c', 'and'],
    ]);
    expect(message).toMatch(/and 3 more\.$/);
    expect(problems).toEqual([
      { field: 'recipient.first_name', message: 'recipient.first_name is required and must not be empty.' },
      ...[
        'recipient.phone',
        'reference.source',
        'metadata.a',
        'metadata.b',
        'metadata.c',
        'extra',
        'other',
        'titel',
      ].map((field) => ({ field, message: expect.stringMatching(new RegExp(`^${field} .*\\.$`)) })),
    ]);
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`field_${i}`, i]));
    const huge = (await send('intros', many)).body.error;
    expect(huge.message).toMatch(/^member is required\. Also: recipient is required; .*; and 2996 more\.$/);
    expect(huge.problems.length).toBeGreaterThan(20);
    expect(huge.problems.length).toBeLessThan(100);
  });

  test('are checked in this order: shape, idempotency key, touchpoint, member', async () => {
    const key = 'bound:once:on_my_way';
    const event = completeBody('touchpoint-events');
    expect((await send('touchpoint-events', event, key)).status).toBe(202);
    const stranger = { external_id: 'rep_99' };
    const keyed: [JsonObject, Outcome][] = [
      [{ ...event, touchpoint: 5 }, invalidField('touchpoint')],
      [
        { ...event, touchpoint: 'nowhere', member: stranger },
        { status: 409, code: 'idempotency_conflict', field: undefined },
      ],
    ];
    const before = await countStored(database);
    for (const [body, expected] of keyed)
      expect(outcomeOf(await send('touchpoint-events', body, key))).toEqual(expected);
    const unbound: [JsonObject, Outcome][] = [
      [
        { ...event, touchpoint: 'nowhere', member: stranger },
        { status: 422, code: 'touchpoint_not_found', field: 'touchpoint' },
      ],
      [{ ...event, touchpoint: 'new_appointment', context: {}, member: stranger }, invalidField('context.appointment')],
      [
        { ...event, member: stranger },
        { status: 422, code: 'member_not_found', field: 'member.external_id' },
      ],
    ];
    for (const [body, expected] of unbound) expect(outcomeOf(await send('touchpoint-events', body))).toEqual(expected);
    expect(await countStored(database)).toEqual(before);
  });
});

test('events at the limits of what is accepted are all processed', async () => {
  const body = completeBody('touchpoint-events');
  const long = withField(
    withField(body, 'recipient.first_name', '👩'.repeat(100)),
    'recipient.last_name',
    'a'.repeat(100),
  );
  const { data } = (await acme.api.get('/v1/touchpoints')).body;
  for (const { slug } of data)
    expect((await send('touchpoint-events', { ...long, touchpoint: slug })).status).toBe(202);
  const unsettled = () =>
    database.sql`select error_code, request::text from touchpoint_events where organization_id = ${acme.id}
      and status <> 'processed'`;
  await expect.poll(unsettled).toEqual([]);
});
