import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { listAll, listEvents, sendEvent, settled } from './support/actions.ts';
import { openService } from './support/service.ts';

/** The IDs of 30 events, in creation order. */
const created: string[] = [];
const createdAt: string[] = [];

const touchpointOf = (n: number) => (n % 3 === 0 ? 'project_complete' : 'project_kickoff');

const fixture = await forFile(openService());
const api = fixture.api;
for (let n = 0; n < 30; n++) {
  const event = await sendEvent(api, { touchpoint: touchpointOf(n), reference: { id: `job ${n % 5}&` } });
  created.push(event.id);
  createdAt.push(event.created_at);
}
for (const id of created) await settled(api, id);
// Arrange: events fail when something changes before they are processed, and are processed within milliseconds.
const set = (status: string, ids: string[]) =>
  fixture.database.query(`update touchpoint_events set intro_id = null, status = ${status} where id = any($1)`, [ids]);
await set("'failed', error_code = 'processing_failed', error_message = 'Arranged.'", created.slice(0, 6));

const list = (query?: string) => listEvents(api, query);

const walk = (query: string) => listAll(api, `/v1/events?${query}`);

/** Events of the same millisecond are in the order of their ids; on two nodes, their times may differ by a millisecond. */
const newestFirst = (keep: (n: number) => boolean = () => true) =>
  created
    .filter((_, n) => keep(n))
    .toSorted()
    .reverse();
const job = (n: number) => `reference_id=${encodeURIComponent(`job ${n}&`)}`;

describe('the list of events', () => {
  test('has complete events in data, newest first, with 20 items by default', async () => {
    const { body } = await api.get('/v1/events');
    expect(Object.keys(body)).toEqual(['object', 'data', 'has_more']);
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual(newestFirst().slice(0, 20));
    expect(body.has_more).toBe(true);
    expect(body.data[0]).toEqual((await api.get(`/v1/events/${newestFirst()[0]}`)).body);
  });

  test.each([
    ['', () => true],
    ['status=failed', (n: number) => n < 6],
    ['status=processed', (n: number) => n >= 6],
    [job(0), (n: number) => n % 5 === 0],
    ['touchpoint=project_kickoff', (n: number) => n % 3 !== 0],
  ])('of "%s" returns everything exactly once, whatever the page size', async (query, keep) => {
    for (const limit of [1, 7, 100]) expect(await walk(`${query}&limit=${limit}`)).toEqual(newestFirst(keep));
  });
});

describe('filters of the list of events', () => {
  test('by several statuses, separated by commas or repeated, return the events that have one of them', async () => {
    expect(await list('?status=processed,failed&limit=100')).toEqual(newestFirst());
    expect(await list('?status=processed&status=failed&limit=100')).toEqual(newestFirst());
    expect(await list('?status=accepted&status=failed,failed&status=failed')).toEqual(newestFirst((n) => n < 6));
    expect(await list('?status=accepted,failed')).toEqual(newestFirst((n) => n < 6));
    expect(await list('?status=failed,failed')).toEqual(newestFirst((n) => n < 6));
    expect(await list('?status=accepted')).toEqual([]);
  });

  test('by period include the start and exclude the end', async () => {
    const [from, until] = [createdAt[10], createdAt[20]] as [string, string];
    const within = newestFirst((n) => (createdAt[n] as string) >= from && (createdAt[n] as string) < until);
    expect(await list(`?created_after=${from}&created_before=${until}&limit=100`)).toEqual(within);
    const withOffset = encodeURIComponent(new Date(Date.parse(from) + 7_200_000).toISOString().replace('Z', '+02:00'));
    expect(await list(`?created_after=${withOffset}&created_before=${until}&limit=100`)).toEqual(within);
    expect(await list(`?created_after=${until}&created_before=${from}`)).toEqual([]);
  });

  test('by touchpoint and reference_id match nothing else', async () => {
    for (const query of ['touchpoint=unknown', 'touchpoint=on_my_way', 'reference_id=job', 'reference_id=JOB%202%26'])
      expect(await list(`?${query}`)).toEqual([]);
  });

  test('combine with AND', async () => {
    const both = (n: number) => n % 3 === 0 && n % 5 === 0;
    expect(await list(`?touchpoint=project_complete&${job(0)}`)).toEqual(newestFirst(both));
    expect(await list(`?touchpoint=project_complete&${job(0)}&status=failed`)).toEqual(
      newestFirst((n) => both(n) && n < 6),
    );
    expect(await list(`?${job(0)}&status=processed&created_after=${createdAt[15]}`)).toEqual(
      newestFirst((n) => n % 5 === 0 && n >= 6 && (createdAt[n] as string) >= (createdAt[15] as string)),
    );
    expect(await walk('touchpoint=project_kickoff&status=processed,accepted&limit=2')).toEqual(
      newestFirst((n) => n % 3 !== 0 && n >= 6),
    );
  });
});
