import { describe, expect, test } from 'vitest';
import type { Api } from '../harness/index.ts';
import { forFile } from '../harness/index.ts';
import { createIntro, introOfEvent } from './support/actions.ts';
import { openService } from './support/service.ts';

const OWNERS = ['west', 'east', ''] as const;

/** 24 direct intros and 4 from touchpoints, in creation order. */
const created: { id: string; created_at: string }[] = [];

const recipient = (n: number) => ({ first_name: 'Dana', phone: `+1415555012${n % 4}` });
const metadata = (n: number) => ({ crm_owner: OWNERS[n % 3] ?? '', deal: n, vip: n % 2 === 0, code: String(n % 5) });

const fixture = await forFile(openService());
const api = fixture.api;
for (let n = 0; n < 24; n++) {
  created.push(await createIntro(api, { recipient: recipient(n), metadata: metadata(n) }));
}
for (const touchpoint of ['project_kickoff', 'project_update', 'project_kickoff', 'on_my_way']) {
  created.push(await introOfEvent(api, { touchpoint }));
}
for (const n of [0, 1, 2, 3, 24]) await api.post(`/v1/intros/${created[n]?.id}/cancel`);
const [, , , , expired] = created;
await fixture.database.query("update intros set status = 'expired' where id = $1", [expired?.id]);

const listFrom = async (from: Api, query: Record<string, string>): Promise<string[]> => {
  const { status, body } = await from.get(`/v1/intros?${new URLSearchParams({ limit: '100', ...query })}`);
  expect([status, body.has_more]).toEqual([200, false]);
  return body.data.map(({ id }: { id: string }) => id);
};
const list = (query: Record<string, string>) => listFrom(api, query);

/** Reads all pages. */
async function walk(query: Record<string, string>): Promise<string[]> {
  const found: string[] = [];
  for (let cursor = {}; ; cursor = { starting_after: found.at(-1) ?? '' }) {
    const { body } = await api.get(`/v1/intros?${new URLSearchParams({ limit: '2', ...query, ...cursor })}`);
    found.push(...body.data.map(({ id }: { id: string }) => id));
    if (!body.has_more) return found;
    expect(body.data.length).toBeGreaterThan(0);
  }
}

/** Intros of the same millisecond are in the order of their ids; on two nodes, their times may differ by a millisecond. */
const newestFirst = (keep: (n: number, createdAt: string) => boolean) =>
  created
    .filter(({ created_at }, n) => keep(n, created_at))
    .map(({ id }) => id)
    .toSorted()
    .reverse();
const isDirect = (n: number) => n < 24;

describe('intros', () => {
  test('can be listed by several statuses, in any order and without duplicates', async () => {
    const closed = newestFirst((n) => n <= 4 || n === 24);
    expect(await list({ status: 'cancelled,expired' })).toEqual(closed);
    expect(await list({ status: 'expired,cancelled,expired' })).toEqual(closed);
    expect(await walk({ status: 'expired,cancelled' })).toEqual(closed);
    expect(await list({ status: 'ready,sent' })).toEqual([]);
  });

  test('can be listed by touchpoint, and none match an unknown one', async () => {
    expect(await list({ touchpoint: 'project_kickoff' })).toEqual(newestFirst((n) => n === 24 || n === 26));
    expect(await list({ touchpoint: 'project_kickoff', status: 'requested' })).toEqual(newestFirst((n) => n === 26));
    expect(await list({ touchpoint: 'project_kickoff', status: 'ready' })).toEqual([]);
    expect(await list({ touchpoint: 'no_such' })).toEqual([]);
  });

  test("can be listed by the recipient's number, which must match exactly", async () => {
    expect(await list({ recipient_phone: '+14155550121' })).toEqual(newestFirst((n) => isDirect(n) && n % 4 === 1));
    expect(await walk({ recipient_phone: '+14155550121' })).toEqual(newestFirst((n) => isDirect(n) && n % 4 === 1));
    expect(await list({ recipient_phone: '+1415555012' })).toEqual([]);
  });

  test('can be listed by a period, from created_after and until just before created_before', async () => {
    const [from, until] = [created[5]?.created_at ?? '', created[9]?.created_at ?? ''];
    const within = newestFirst((_, at) => at >= from && at < until);
    expect(within.length).toBeGreaterThan(0);
    expect(await list({ created_after: from, created_before: until })).toEqual(within);
    expect(await list({ created_after: until })).toEqual(newestFirst((_, at) => at >= until));
    expect(await list({ created_before: '2020-01-01T00:00:00+02:00' })).toEqual([]);
    expect(await list({ created_after: until, created_before: from })).toEqual([]);
  });

  describe('by metadata', () => {
    test('must contain the pair; numbers and booleans match as their JSON text', async () => {
      expect(await list({ 'metadata[crm_owner]': 'west' })).toEqual(newestFirst((n) => isDirect(n) && n % 3 === 0));
      expect(await walk({ 'metadata[crm_owner]': 'west' })).toEqual(newestFirst((n) => isDirect(n) && n % 3 === 0));
      expect(await list({ 'metadata[deal]': '7' })).toEqual(newestFirst((n) => n === 7));
      expect(await list({ 'metadata[deal]': '7.0' })).toEqual([]);
      expect(await list({ 'metadata[vip]': 'true' })).toEqual(newestFirst((n) => isDirect(n) && n % 2 === 0));
      expect(await list({ 'metadata[code]': '4' })).toEqual(newestFirst((n) => isDirect(n) && n % 5 === 4));
      expect(await list({ 'metadata[crm_owner]': '' })).toEqual(newestFirst((n) => isDirect(n) && n % 3 === 2));
    });

    test('never match another key, another case or a part of a value', async () => {
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

    test('must contain every pair that is given', async () => {
      const both = { 'metadata[crm_owner]': 'east', 'metadata[vip]': 'true' };
      expect(await list(both)).toEqual(newestFirst((n) => isDirect(n) && n % 3 === 1 && n % 2 === 0));
      expect(await list({ ...both, 'metadata[deal]': '5' })).toEqual([]);
    });
  });

  test('must match all filters together, on every page', async () => {
    const filters = {
      status: 'requested,cancelled',
      member: fixture.organization.memberId,
      recipient_phone: '+14155550122',
      'metadata[vip]': 'true',
      created_before: created[20]?.created_at ?? '',
    };
    const matches = newestFirst((n) => n < 20 && n % 4 === 2);
    expect(await list(filters)).toEqual(matches);
    expect(await walk(filters)).toEqual(matches);
    expect(await list({ ...filters, touchpoint: 'on_my_way' })).toEqual([]);
    expect(await list({ ...filters, reference_id: 'appt_1' })).toEqual([]);
  });

  test('of another organization never match', async () => {
    const other = await fixture.newOrganization({ name: 'Second' });
    const ofOther = { touchpoint: 'project_kickoff' };
    expect(await listFrom(other.api, ofOther)).toEqual([]);
    expect(await listFrom(other.api, { 'metadata[deal]': '7' })).toEqual([]);
    expect(await listFrom(other.api, { recipient_phone: '+14155550121' })).toEqual([]);
    const { id } = await createIntro(other.api, { metadata: { deal: 7 } });
    expect(await listFrom(other.api, { 'metadata[deal]': '7' })).toEqual([id]);
    expect(await list({ 'metadata[deal]': '7' })).toEqual(newestFirst((n) => n === 7));
  });
});
