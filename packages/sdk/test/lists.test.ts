import { expect, test, vi } from 'vitest';
import { Foreword } from '../src/index.ts';

const ALL = Array.from({ length: 250 }, (_, at) => ({ id: `int_${at}` }));

/** Serves ALL in pages, as the API does. */
function createClient() {
  const queries: Record<string, string>[] = [];
  const fetch = async (url: string) => {
    const query = Object.fromEntries(new URL(url).searchParams);
    queries.push(query);
    const limit = Number(query.limit ?? 20);
    const from = ALL.findIndex(({ id }) => id === query.starting_after) + 1;
    return Response.json({ object: 'list', data: ALL.slice(from, from + limit), has_more: from + limit < ALL.length });
  };
  return { queries, foreword: new Foreword({ apiKey: 'fw_test_1', baseUrl: 'https://foreword.example', fetch }) };
}

const collect = async <T>(list: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const one of list) all.push(one);
  return all;
};

test('await gives one page, and requests it once', async () => {
  const { queries, foreword } = createClient();
  const list = foreword.intros.list({ status: 'ready' });
  expect(queries).toEqual([]);
  const page = await list;
  expect([page.data.length, page.has_more, (await list) === page]).toEqual([20, true, true]);
  expect(queries).toEqual([{ status: 'ready' }]);
});

test('for await gives every object once, in order, with the filters on each page and as few pages as possible', async () => {
  const { queries, foreword } = createClient();
  expect(await collect(foreword.intros.list({ status: 'ready' }))).toEqual(ALL);
  expect(queries).toEqual([
    { status: 'ready', limit: '100' },
    { status: 'ready', limit: '100', starting_after: 'int_99' },
    { status: 'ready', limit: '100', starting_after: 'int_199' },
  ]);
});

test('a limit is the page size of an iteration, which can start anywhere and end early', async () => {
  const { queries, foreword } = createClient();
  expect(await collect(foreword.intros.list({ limit: 50, starting_after: 'int_9' }))).toEqual(ALL.slice(10));
  expect(queries.map(({ limit }) => limit)).toEqual(['50', '50', '50', '50', '50']);
  queries.length = 0;
  for await (const _ of foreword.intros.list()) break;
  expect(queries).toHaveLength(1);
});

test('an iteration after an await continues from that page', async () => {
  const { queries, foreword } = createClient();
  const list = foreword.intros.list();
  await list;
  expect(await collect(list)).toEqual(ALL);
  expect(queries.slice(0, 2)).toEqual([{}, { limit: '100', starting_after: 'int_19' }]);
});

test('lists without pages send no limit', async () => {
  const { queries, foreword } = createClient();
  for await (const _ of foreword.touchpoints.list()) break;
  expect(queries).toEqual([{}]);
});

test('an error reaches await, for await, catch and finally', async () => {
  const fetch = async () => Response.json({ error: { code: 'unauthorized', message: 'No.' } }, { status: 401 });
  const { members } = new Foreword({ apiKey: 'fw_test_1', baseUrl: 'https://foreword.example', fetch });
  await expect(members.list()).rejects.toMatchObject({ code: 'unauthorized' });
  await expect(collect(members.list())).rejects.toMatchObject({ code: 'unauthorized' });
  expect(await members.list().catch((error) => (error as Error).name)).toBe('ForewordAuthenticationError');
  const end = vi.fn();
  await expect(members.list().finally(end)).rejects.toThrow('No.');
  expect(end).toHaveBeenCalledOnce();
});
