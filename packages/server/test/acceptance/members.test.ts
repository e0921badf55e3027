import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { createIntro, expectError } from './support/actions.ts';
import { openService } from './support/service.ts';

/** In creation order. The first was created with the organization. */
const ids: string[] = [];

const fixture = await forFile(openService());
const api = fixture.api;
ids.push(fixture.organization.memberId);
const create = async (...more: string[]) => {
  const names = ['--first-name', 'Ana', '--last-name', 'Reyes'];
  const { id } = await fixture.run('member', 'create', '--org', fixture.organization.id, ...names, ...more);
  ids.push(id);
};
await create('--email', 'Team@acme.example', '--external-id', 'rep_18', '--phone', '+14155550118', '--lane', 'retail');
await create('--email', 'team@acme.example', '--lane', 'retail', '--lane', 'insurance');
await create('--email', 'gone@acme.example', '--external-id', 'Rep_18');
await fixture.run('member', 'deactivate', ids[3] ?? '');

async function list(query = ''): Promise<string[]> {
  const { status, body } = await api.get(`/v1/members${query}`);
  expect(status).toBe(200);
  return body.data.map(({ id }: { id: string }) => id);
}

const members = (...numbers: number[]) => numbers.map((n) => ids[n]);

test('a member has exactly the documented fields, with null for omitted ones', async () => {
  const { body } = await api.get('/v1/members');
  expect(body).toMatchObject({ object: 'list', has_more: false });
  expect(body.data[0]).toMatchObject({ external_id: 'Rep_18', phone: null, lanes: [], active: false });
  expect(body.data[1]).toMatchObject({ external_id: null, lanes: ['retail', 'insurance'] });
  expect(body.data[2]).toEqual({
    id: ids[1],
    object: 'member',
    external_id: 'rep_18',
    first_name: 'Ana',
    last_name: 'Reyes',
    email: 'Team@acme.example',
    phone: '+14155550118',
    title: null,
    title_es: null,
    lanes: ['retail'],
    active: true,
    likeness_withdrawn_at: null,
    environment: 'test',
    created_at: expect.any(String),
  });
});

test('an ID from the list works as member.id', async () => {
  for (const id of members(0, 1, 2)) expect((await createIntro(api, { member: { id } })).member.id).toBe(id);
});

test('the list is newest first and includes deactivated members', async () => {
  expect(await list()).toEqual(members(3, 2, 1, 0));
});

test('email filters case-insensitively, external_id exactly, and active by true and false', async () => {
  expect(await list('?email=TEAM@acme.example')).toEqual(members(2, 1));
  expect(await list('?email=unknown@acme.example')).toEqual([]);
  expect(await list('?external_id=rep_18')).toEqual(members(1));
  expect(await list('?external_id=REP_18')).toEqual([]);
  expect(await list('?active=true')).toEqual(members(2, 1, 0));
  expect(await list('?active=false')).toEqual(members(3));
});

test('filters of members combine with AND and with pagination', async () => {
  expect(await list('?email=team@acme.example&external_id=rep_18')).toEqual(members(1));
  expect(await list('?external_id=rep_18&active=false')).toEqual([]);
  expect(await list(`?active=true&starting_after=${ids[2]}`)).toEqual(members(1, 0));
});

test('limit and starting_after return the list exactly once', async () => {
  const first = (await api.get('/v1/members?limit=3')).body;
  expect(first).toMatchObject({ has_more: true });
  expect(await list('?limit=3')).toEqual(members(3, 2, 1));
  const rest = (await api.get(`/v1/members?limit=3&starting_after=${ids[1]}`)).body;
  expect(rest).toMatchObject({ has_more: false });
  expect(rest.data).toHaveLength(1);
});

test('an invalid parameter is rejected by name', async () => {
  const invalid = {
    limit: '0',
    starting_after: 'int_1',
    active: 'yes',
    email: 'no address',
    external_id: '\u0007',
    role: 'x',
  };
  for (const [name, value] of Object.entries(invalid)) {
    const reply = await api.get(`/v1/members?${name}=${encodeURIComponent(value)}`);
    expectError(reply, 422, 'validation_failed', name);
  }
});
