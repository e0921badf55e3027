import { expect, test } from 'vitest';
import { forFile, openService, type Reply } from '../harness/index.ts';
import type { Json, JsonObject } from './bodies.ts';
import { invalidField, outcomeOf } from './outcome.ts';

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

test('a wrong choice for open intros is rejected, and the member stays active', async () => {
  const wrong: Json[] = [5, true, [], {}, 'leave', 'KEEP', { reassign_to: 5 }, { reassign_to: null }, { to: 'x' }];
  await expectRefused(
    wrong.map((open_intros) => [
      'open_intros',
      async () => {
        const reply = await acme.api.post(`/v1/members/${acme.memberId}/deactivate`, { open_intros });
        // The problem may be inside of the choice.
        expect(reply.body.error.field).toMatch(/^open_intros/);
        const message = 'open_intros is wrong';
        const problems = [{ field: 'open_intros', message }];
        return { ...reply, body: { error: { ...reply.body.error, field: 'open_intros', message, problems } } };
      },
    ]),
  );
});

test('null and empty text in optional fields of a new member count as not sent', async () => {
  const { body } = await acme.api.post('/v1/members', { ...REP, external_id: '', phone: '', title: null, lanes: null });
  expect(body).toMatchObject({ external_id: null, phone: null, title: null, lanes: [] });
});
