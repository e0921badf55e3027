import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { createIntro, expectError } from './support/actions.ts';
import { openService } from './support/service.ts';

/** The IDs of 45 intros, in creation order. */
const created: string[] = [];

const fixture = await forFile(openService());
const api = fixture.api;
const newcomer = ['--first-name', 'Ana', '--last-name', 'Reyes', '--email', 'second@acme.example'];
const second = (await fixture.run('member', 'create', '--org', fixture.organization.id, ...newcomer)).id;
for (let n = 0; n < 45; n++) {
  const member = n % 3 === 0 ? { id: second } : { id: fixture.organization.memberId };
  const { id } = await createIntro(api, { member, reference: { id: `job ${n % 5}&` } });
  created.push(id);
}
for (const id of created.slice(0, 10)) await api.post(`/v1/intros/${id}/cancel`);
// Arrange: the other statuses take a recording, a delivery or time.
await fixture.database.query("update intros set status = 'ready', recorded_at = now() where id = $1", [created[10]]);
await fixture.database.query("update intros set status = 'sent', sent_at = now() where id = $1", [created[11]]);
await fixture.database.query("update intros set status = 'expired' where id = $1", [created[12]]);

async function list(query = ''): Promise<string[]> {
  const { status, body } = await api.get(`/v1/intros${query}`);
  expect(status).toBe(200);
  return body.data.map(({ id }: { id: string }) => id);
}

/** Reads all pages. */
async function walk(query: string): Promise<string[]> {
  const found: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await api.get(`/v1/intros?${query}${cursor}`);
    found.push(...body.data.map(({ id }: { id: string }) => id));
    if (!body.has_more) return found;
    expect(body.data.length).toBeGreaterThan(0);
    cursor = `&starting_after=${found.at(-1)}`;
  }
}

/** By id, because two nodes may create intros in the same millisecond, which have no other order. */
const newestFirst = (keep: (n: number) => boolean) =>
  created
    .filter((_, n) => keep(n))
    .sort()
    .reverse();

describe('the list wrapper', () => {
  test('is {object: "list", data, has_more}, with complete intros in data', async () => {
    const { body } = await api.get('/v1/intros?limit=1');
    expect(Object.keys(body)).toEqual(['object', 'data', 'has_more']);
    expect(body).toMatchObject({ object: 'list', has_more: true });
    expect(body.data).toEqual([(await api.get(`/v1/intros/${newestFirst(() => true)[0]}`)).body]);
  });

  test('is empty without a next page if nothing matches', async () => {
    const { body } = await api.get('/v1/intros?reference_id=nothing');
    expect(body).toEqual({ object: 'list', data: [], has_more: false });
  });
});

describe('pages', () => {
  test('are newest first, with 20 items by default', async () => {
    expect(await list()).toEqual(newestFirst(() => true).slice(0, 20));
  });

  test('have the size given by limit, from 1 to 100', async () => {
    expect(await list('?limit=1')).toHaveLength(1);
    expect(await list('?limit=44')).toHaveLength(44);
    expect(await list('?limit=100')).toEqual(newestFirst(() => true));
    for (const limit of ['0', '101', '-1', '1.5', 'ten', '1e1', '%201', '99999999999999999999']) {
      expectError(await api.get(`/v1/intros?limit=${limit}`), 422, 'validation_failed', 'limit');
    }
  });

  test('set has_more exactly if more items follow', async () => {
    for (const [limit, more] of [
      [44, true],
      [45, false],
      [46, false],
    ]) {
      expect((await api.get(`/v1/intros?limit=${limit}`)).body.has_more).toBe(more);
    }
    const last = await api.get(`/v1/intros?starting_after=${newestFirst(() => true).at(-1)}`);
    expect(last.body).toEqual({ object: 'list', data: [], has_more: false });
  });

  test.each([1, 7, 20, 44, 45])('of size %i return everything exactly once', async (limit) => {
    expect(await walk(`limit=${limit}`)).toEqual(newestFirst(() => true));
  });

  test('skip and repeat nothing if intros are created between requests', async () => {
    const before = newestFirst(() => true);
    const firstPage = await list('?limit=10');
    created.push((await createIntro(api, { reference: { id: 'newer' } })).id);
    const secondPage = await list(`?limit=100&starting_after=${firstPage.at(-1)}`);
    expect([...firstPage, ...secondPage]).toEqual(before);
  });

  test('cannot start after an ID of another organization', async () => {
    const other = await fixture.newOrganization({ name: 'Second' });
    const foreign = await createIntro(other.api);
    const cursors = [foreign.id, 'int_01kahzv8e1f0rtx5m2q6n9d3bw', fixture.organization.memberId, 'x', '%00'];
    for (const cursor of cursors) {
      const reply = await api.get(`/v1/intros?starting_after=${cursor}`);
      expectError(reply, 422, 'validation_failed', 'starting_after');
    }
  });
});

describe('filters', () => {
  test('by status return the intros in that status', async () => {
    expect(await list('?status=cancelled')).toEqual(newestFirst((n) => n < 10));
    expect(await list('?status=ready')).toEqual([created[10]]);
    expect(await list('?status=sent')).toEqual([created[11]]);
    expect(await list('?status=expired')).toEqual([created[12]]);
    expect(await list('?status=requested&limit=100')).toEqual(newestFirst((n) => n > 12));
    expectError(await api.get('/v1/intros?status=recorded'), 422, 'validation_failed', 'status');
    expect(await list('?status=&limit=100')).toEqual(newestFirst(() => true));
  });

  test('by member return the intros of that member, and none for an unknown ID', async () => {
    expect(await list(`?member=${second}`)).toEqual(newestFirst((n) => n < 45 && n % 3 === 0));
    expect(await list('?member=mem_01kahzv8e1f0rtx5m2q6n9d3bw')).toEqual([]);
    expect(await list('?member=rep_17')).toEqual([]);
  });

  test('by reference_id require an exact match of reference.id', async () => {
    expect(await list(`?reference_id=${encodeURIComponent('job 2&')}`)).toEqual(
      newestFirst((n) => n < 45 && n % 5 === 2),
    );
    expect(await list('?reference_id=job')).toEqual([]);
    expect(await list('?reference_id=JOB%202%26')).toEqual([]);
  });

  test('combine with AND and with pagination', async () => {
    const reference = `reference_id=${encodeURIComponent('job 0&')}`;
    const matches = newestFirst((n) => n < 10 && n % 3 === 0 && n % 5 === 0);
    expect(await list(`?status=cancelled&member=${second}&${reference}`)).toEqual(matches);
    const ofSecond = newestFirst((n) => n < 45 && n % 3 === 0 && n > 12);
    expect(await walk(`member=${second}&status=requested&limit=4`)).toEqual(ofSecond);
  });

  test('with an unknown name are rejected, so that a typo does not go unnoticed', async () => {
    expectError(await api.get('/v1/intros?state=ready'), 422, 'validation_failed', 'state');
  });

  test('given twice are rejected', async () => {
    expectError(await api.get('/v1/intros?status=ready&status=sent'), 422, 'validation_failed', 'status');
  });
});
