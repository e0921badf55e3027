import { OPERATIONS, type Operation } from '@foreword/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { forFile, nextKey, openService, type Reply } from '../harness/index.ts';
import { EMPTY, FIELD_CASES } from './bad-input.table.ts';
import { CREATIONS, type Creation, completeBody, fieldOf, type Json, type JsonObject, withField } from './bodies.ts';
import { countStored, invalidField, outcomeOf } from './outcome.ts';

const fixture = await forFile(openService());
const acme = fixture.organization;
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
