import { OPERATIONS, type Operation } from '@foreword/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { forFile, nextKey, openService, type Reply } from '../harness/index.ts';
import { EMPTY, FIELD_CASES } from './bad-input.table.ts';
import { CREATIONS, type Creation, completeBody, fieldOf, type Json, type JsonObject, withField } from './bodies.ts';
import { countStored, invalidField, outcomeOf } from './outcome.ts';

const fixture = await forFile(openService());
const acme = fixture.organization;

const REP: JsonObject = {
  external_id: 'rep_31',
  first_name: 'Rosa',
  last_name: 'Diaz',
  email: 'rosa@acme.example',
  phone: '+15005550131',
  title: 'estimator',
  lanes: ['retail'],
};
const LONG = 'a'.repeat(256);
const TEXT: Json[] = [5, true, [], {}, 'a\u0000', 'line\nbreak', '\ud800', LONG];
/** Values that no operation accepts, by the field that the error names. */
const WRONG: Record<string, Json[]> = {
  external_id: TEXT,
  first_name: TEXT,
  last_name: TEXT,
  email: [5, [], 'ana', '@', 'a b@acme.example', 'ana@acme.example\u0000', `${LONG}@acme.example`],
  phone: [5, [], '14155550123', '+0', '+1 415 555 0123', 'tel:+14155550123'],
  title: TEXT,
  lanes: [5, 'retail', {}, ['retail', 'retail'], ['retail', 'insurance', 'roofing']],
  'lanes.0': [['Retail'], [null]],
};
const REQUIRED = ['first_name', 'last_name', 'email'];
const UNKNOWN = ['role', 'active', 'id', 'extra', 'constructor', 'notify_by'];

const readTeam = async () => (await acme.api.get('/v1/members?limit=100')).body.data;
const countKeys = () =>
  fixture.database.sql`select count(*)::int as n from idempotency_keys where organization_id = ${acme.id}`;

/** Expects that every request is refused, and that no member and no key is stored. */
async function expectRefused(cases: readonly [field: string, request: () => Promise<Reply>][]): Promise<void> {
  const before = [await readTeam(), await countKeys()];
  const outcomes = [];
  for (const [field, request] of cases) outcomes.push([field, outcomeOf(await request())]);
  expect(outcomes).toEqual(cases.map(([field]) => [field, invalidField(field)]));
  expect([await readTeam(), await countKeys()]).toEqual(before);
}

test.each([
  ['/v1/members', REP, [null, '', undefined]],
  ['/v1/members/{id}', {}, []],
] as const)(
  'a wrong value of any field of %s is rejected by its name, and changes nothing',
  async (path, body, missing) => {
    const target = path.replace('{id}', acme.memberId);
    const wrong = Object.entries(WRONG).flatMap(([field, values]) => values.map((value) => [field, value] as const));
    const cases = [...wrong, ...REQUIRED.flatMap((field) => missing.map((value) => [field, value] as const))];
    await expectRefused([
      ...cases.map(([field, value]): [string, () => Promise<Reply>] => [
        field,
        () => acme.api.post(target, { ...body, [field.split('.')[0] ?? '']: value }),
      ]),
      ...UNKNOWN.map((field): [string, () => Promise<Reply>] => [
        field,
        () => acme.api.post(target, { ...body, [field]: 'x' }),
      ]),
    ]);
  },
);

test('null and empty text in optional fields of a new member count as not sent', async () => {
  const { body } = await acme.api.post('/v1/members', { ...REP, external_id: '', phone: '', title: null, lanes: null });
  expect(body).toMatchObject({ external_id: null, phone: null, title: null, lanes: [] });
});

const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true, uri: true } });
ajv.addSchema((await acme.api.get('/openapi.json')).body, 'openapi.json');
/** Whether a validating proxy in front of the service would accept this body. */
const isPublished = (creation: Creation, body: JsonObject): boolean => {
  const name = creation === 'intros' ? 'CreateIntro' : 'CreateTouchpointEvent';
  return ajv.validate({ $ref: `openapi.json#/components/schemas/${name}` }, body) === true;
};

const send = (creation: Creation, body: JsonObject, key = nextKey()): Promise<Reply> =>
  acme.api.post(`/v1/${creation}`, body, { key });

const fields = CREATIONS.flatMap((creation) =>
  FIELD_CASES.filter((field) => field.in.includes(creation) && field.keepsEmpty !== true).map((field) => ({
    creation,
    ...field,
  })),
);

const PROBLEMS: [value: Json, problem: string][] = [
  [null, 'is required and must not be null.'],
  ['', 'is required and must not be empty.'],
];

describe('null and empty text', () => {
  test.each(fields.filter(({ required }) => required === true))(
    'in the required $path of /v1/$creation are rejected as missing, and nothing is stored',
    async ({ creation, path }) => {
      const before = await countStored(fixture.database);
      for (const [value, problem] of PROBLEMS) {
        const body = withField(completeBody(creation), path, value);
        const reply = await send(creation, body);
        expect(outcomeOf(reply)).toEqual(invalidField(path));
        expect(reply.body.error.message).toBe(`${path} ${problem}`);
        expect([value, isPublished(creation, body)]).toEqual([value, false]);
      }
      expect(await countStored(fixture.database)).toEqual(before);
    },
  );

  test.each(fields.filter(({ required }) => required !== true))(
    'in the optional $path of /v1/$creation make the same request as leaving it out',
    async ({ creation, path }) => {
      const whole = completeBody(creation);
      // Another field has to name the member.
      const body = /^member\.[^i]/.test(path) ? withField(whole, 'member', { id: acme.memberId }) : whole;
      const key = nextKey();
      const { id } = (await send(creation, withField(body, path, undefined), key)).body;
      for (const value of EMPTY) {
        const empty = withField(body, path, value);
        const isPublishable = value === null || typeof fieldOf(whole, path) === 'string';
        expect([value, isPublishable && !isPublished(creation, empty)]).toEqual([value, false]);
        expect([value, (await send(creation, empty, key)).body.id]).toEqual([value, id]);
      }
    },
  );

  const parameters = (Object.values(OPERATIONS) as Operation[]).flatMap(({ method, path, query }) =>
    Object.entries(query.properties).map(([name, schema]) => ({
      method,
      path,
      name: (schema as { type?: string }).type === 'object' ? `${name}[key]` : name,
    })),
  );

  test.each(parameters)('in $name of $method $path are rejected by its name', async ({ path, name }) => {
    for (const query of [`${name}=`, name]) {
      const reply = await acme.api.get(`${path.replace('{id}', 'x')}?${query}`);
      expect(outcomeOf(reply)).toEqual(invalidField(name));
      expect(reply.body.error.message).toBe(`${name} must not be empty: send a value, or leave the parameter out.`);
    }
  });
});
