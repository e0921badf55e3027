import { describe, expect, test } from 'vitest';
import { type Api, forFile } from '../harness/index.ts';
import { createIntro, introOfEvent, listAll } from './support/actions.ts';
import { openService } from './support/service.ts';

const OWNERS = ['west', 'east', ''] as const;
const DIRECT = 41;

/** 41 direct intros and 4 from touchpoints, in creation order. */
const created: { id: string; created_at: string }[] = [];

const fixture = await forFile(openService());
const api = fixture.api;
const newcomer = ['--first-name', 'Ana', '--last-name', 'Reyes', '--email', 'second@acme.example'];
const second = (await fixture.run('member', 'create', '--org', fixture.organization.id, ...newcomer)).id;
for (let n = 0; n < DIRECT; n++) {
  const metadata = { crm_owner: OWNERS[n % 3] ?? '', deal: n, vip: n % 2 === 0, code: String(n % 5) };
  const intro = await createIntro(api, {
    member: { id: n % 3 === 0 ? second : fixture.organization.memberId },
    recipient: { first_name: 'Dana', phone: `+1415555012${n % 4}` },
    reference: { id: `job ${n % 5}&` },
    metadata,
  });
  created.push(intro);
}
for (const touchpoint of ['project_kickoff', 'project_update', 'project_kickoff', 'on_my_way']) {
  created.push(await introOfEvent(api, { touchpoint }));
}
const STATUSES = ['cancelled', 'ready', 'sent', 'expired'];
/** Each status has three intros, the others are requested. */
const statusOf = (n: number) => STATUSES[Math.floor(n / 3)] ?? 'requested';
for (const [n, { id }] of created.entries()) {
  // Arrange: most statuses take a recording, a delivery or time.
  if (statusOf(n) !== 'requested')
    await fixture.database.sql`update intros set status = ${statusOf(n)} where id = ${id}`;
}

type Query = Record<string, string>;
const read = async (query: Query, from: Api = api) =>
  (await from.get(`/v1/intros?${new URLSearchParams(query)}`)).body as { data: { id: string }[]; has_more: boolean };
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
const list = async (query: Query, from: Api = api) => idsOf(await read({ limit: '100', ...query }, from));

const walk = (query: Query, limit: number) =>
  listAll(api, `/v1/intros?${new URLSearchParams({ limit: String(limit), ...query })}`);

/** By id, because two nodes may create intros in the same millisecond, which have no other order. */
const newestFirst = (keep: (n: number, createdAt: string) => boolean = () => true) =>
  created
    .filter(({ created_at }, n) => keep(n, created_at))
    .map(({ id }) => id)
    .toSorted()
    .reverse();
const direct = (keep: (n: number) => boolean) => newestFirst((n) => n < DIRECT && keep(n));

describe('the list of intros', () => {
  test('is {object: "list", data, has_more}, newest first, with 20 complete intros by default', async () => {
    const { body } = await api.get('/v1/intros');
    expect(Object.keys(body)).toEqual(['object', 'data', 'has_more']);
    expect(body).toMatchObject({ object: 'list', has_more: true });
    expect(idsOf(body)).toEqual(newestFirst().slice(0, 20));
    expect(body.data[0]).toEqual((await api.get(`/v1/intros/${newestFirst()[0]}`)).body);
  });

  test.each([1, 7, 44, 45, 46, 100])('in pages of %i returns everything exactly once', async (limit) => {
    expect(await walk({}, limit)).toEqual(newestFirst());
  });

  test('is empty without a next page if nothing matches, or after the last intro', async () => {
    for (const query of [{ reference_id: 'nothing' }, { starting_after: newestFirst().at(-1) ?? '' }]) {
      expect(await read(query)).toEqual({ object: 'list', data: [], has_more: false });
    }
  });

  test('skips and repeats nothing if intros are created between requests', async () => {
    const before = newestFirst();
    const firstPage = await list({ limit: '10' });
    created.push(await createIntro(api, { reference: { id: 'newer' } }));
    const secondPage = await list({ starting_after: firstPage.at(-1) ?? '' });
    expect([...firstPage, ...secondPage]).toEqual(before);
  });
});

describe('intros can be listed', () => {
  test('by one or several statuses, in any order and without duplicates', async () => {
    for (const status of ['requested', ...STATUSES]) {
      expect(await list({ status })).toEqual(newestFirst((n) => statusOf(n) === status));
    }
    const closed = newestFirst((n) => ['cancelled', 'expired'].includes(statusOf(n)));
    expect(await list({ status: 'expired,cancelled,expired' })).toEqual(closed);
    expect(await walk({ status: 'cancelled,expired' }, 2)).toEqual(closed);
  });

  test('by member, reference, touchpoint and the number of the recipient, which must match exactly', async () => {
    expect(await list({ member: second })).toEqual(direct((n) => n % 3 === 0));
    expect(await list({ reference_id: 'job 2&' })).toEqual(direct((n) => n % 5 === 2));
    expect(await list({ touchpoint: 'project_kickoff' })).toEqual(newestFirst((n) => n === DIRECT || n === DIRECT + 2));
    for (const recipient_phone of ['+14155550121', '+114155550121'])
      expect(await list({ recipient_phone })).toEqual(direct((n) => n % 4 === 1));
    const { error } = (await api.get('/v1/intros?recipient_phone=+14155550121')).body;
    expect(error.message).toContain('such as +14155550123 (write a plus sign as %2B)');
    for (const none of [
      ...[{ member: 'mem_01kahzv8e1f0rtx5m2q6n9d3bw' }, { member: 'rep_17' }, { reference_id: 'job' }],
      ...[{ reference_id: 'JOB 2&' }, { touchpoint: 'no_such' }, { recipient_phone: '+1415555012' }],
    ])
      expect(await list(none)).toEqual([]);
  });

  test('by a period, from created_after and until just before created_before', async () => {
    const [from, until] = [created[5]?.created_at ?? '', created[9]?.created_at ?? ''];
    const within = newestFirst((_, at) => at >= from && at < until);
    expect(await list({ created_after: from, created_before: until })).toEqual(within);
    expect(await list({ created_after: until })).toEqual(newestFirst((_, at) => at >= until));
    expect(await list({ created_before: '2020-01-01T00:00:00+02:00' })).toEqual([]);
    expect(await list({ created_after: until, created_before: from })).toEqual([]);
  });

  test('by metadata that contains every given pair; numbers and booleans match as their JSON text', async () => {
    expect(await list({ 'metadata[crm_owner]': 'west' })).toEqual(direct((n) => n % 3 === 0));
    expect(await list({ 'metadata[deal]': '7' })).toEqual(direct((n) => n === 7));
    expect(await list({ 'metadata[deal]': '7.0' })).toEqual([]);
    expect(await list({ 'metadata[vip]': 'true' })).toEqual(direct((n) => n % 2 === 0));
    expect(await list({ 'metadata[code]': '4' })).toEqual(direct((n) => n % 5 === 4));
    const both = { 'metadata[crm_owner]': 'east', 'metadata[vip]': 'true' };
    expect(await list(both)).toEqual(direct((n) => n % 3 === 1 && n % 2 === 0));
    expect(await list({ ...both, 'metadata[deal]': '5' })).toEqual([]);
  });

  test('by metadata never matches another key, another case or a part of a value', async () => {
    for (const [key, value] of [
      ['owner', 'west'],
      ['crm_owner', 'West'],
      ['crm_owner', 'wes'],
      ['crm_owner', '%'],
      ['crm_owner', 'west"}'],
      ['__proto__', 'west'],
      ['constructor', 'x'],
    ]) {
      expect(await list({ [`metadata[${key}]`]: value ?? '' })).toEqual([]);
    }
  });

  test('by all filters together, on every page', async () => {
    const filters = {
      status: 'requested,cancelled',
      member: fixture.organization.memberId,
      recipient_phone: '+14155550122',
      'metadata[vip]': 'true',
      created_before: created[35]?.created_at ?? '',
    };
    const matches = newestFirst(
      (n, at) =>
        n < DIRECT &&
        n % 3 !== 0 &&
        n % 4 === 2 &&
        ['requested', 'cancelled'].includes(statusOf(n)) &&
        at < filters.created_before,
    );
    expect(matches.length).toBeGreaterThan(2);
    expect(await list(filters)).toEqual(matches);
    expect(await walk(filters, 2)).toEqual(matches);
    expect(await list({ ...filters, touchpoint: 'on_my_way' })).toEqual([]);
    expect(await list({ ...filters, reference_id: 'appt_1' })).toEqual([]);
  });

  test('only from the own organization', async () => {
    const other = await fixture.newOrganization({ name: 'Second' });
    for (const query of [{ touchpoint: 'project_kickoff' }, { 'metadata[deal]': '7' }]) {
      expect(await list(query, other.api)).toEqual([]);
    }
    const { id } = await createIntro(other.api, { metadata: { deal: 7 } });
    expect(await list({ 'metadata[deal]': '7' }, other.api)).toEqual([id]);
    expect(await list({ 'metadata[deal]': '7' })).toEqual(direct((n) => n === 7));
  });
});
