import { describe, expect, test } from 'vitest';
import { type Api, createApi, forFile, nextKey, type Reply, sleep } from '../harness/index.ts';
import { anEvent, anIntro, eventually, expectError } from './support/actions.ts';
import { openService } from './support/service.ts';

/** Low, so that a busy machine sends faster than tokens come. */
const PER_SECOND = 1;
const BURST = 10;
const READS_PER_WRITE = 5;
/** In tokens, because the clocks of several processes differ. A slow machine only raises the limit. */
const TOLERANCE = 2;

const fixture = await forFile(openService({ RATE_LIMIT: `${PER_SECOND}/${BURST}` }));

/** A new organization for each test, so that its buckets are full. Reads and writes have separate buckets. */
async function freshApi(): Promise<{ api: Api; key: string; id: string; organization: string }> {
  const { api, key, keyId: id, id: organization } = await fixture.newOrganization();
  return { api, key, id, organization };
}

async function anotherKey(organization: string): Promise<Api> {
  const { key } = await fixture.run('key', 'create', '--org', organization, '--name', 'Another');
  return fixture.published.checked(createApi(fixture.service.url, key));
}

const together = (count: number, send: (n: number) => Promise<Reply>) =>
  Promise.all(Array.from({ length: count }, (_, n) => send(n)));
/** An overloaded machine may also refuse some, with 503. */
const admitted = (replies: Reply[]) => replies.filter(({ status }) => status !== 429 && status !== 503);
const post = (api: Api) => () => api.post('/v1/touchpoint-events', anEvent());

/**
 * A node loses tokens that it leased if it stalls for a second before it uses them, so a busy machine may need another attempt with
 * full buckets. No attempt may admit more. `factor`: how many requests the burst admits, relative to creations.
 */
async function expectBurst(
  send: () => Promise<Reply[]>,
  { factor = 1, status: expected = 202 } = {},
): Promise<Reply[]> {
  for (;;) {
    const start = performance.now();
    const replies = await send();
    const seconds = (performance.now() - start) / 1000;
    const passed = admitted(replies);
    expect(passed.length).toBeLessThanOrEqual((BURST + PER_SECOND * seconds + TOLERANCE) * factor);
    for (const { status } of passed) expect(status).toBe(expected);
    if (passed.length >= BURST * factor) return replies;
  }
}

async function exhaust(api: Api): Promise<Reply> {
  for (;;) {
    const refused = (await together(BURST, post(api))).find(({ status }) => status === 429);
    if (refused !== undefined) return refused;
  }
}

describe('creations', () => {
  test('above the limit are 429 rate_limited with Retry-After in whole seconds', async () => {
    const { api } = await freshApi();
    const refused = await exhaust(api);
    expectError(refused, 429, 'rate_limited');
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    expect(Number(refused.headers.get('ratelimit-limit'))).toBe(BURST);
    expect(Number(refused.headers.get('ratelimit-reset'))).toBeGreaterThanOrEqual(1);
    expect(Number(refused.headers.get('ratelimit-reset'))).toBeLessThanOrEqual(BURST / PER_SECOND);
    expect(refused.body.error.message).toMatch(/^Too many requests with this key\. Wait \d+ seconds?, then retry/);
  });

  test('that got a 429 store nothing: after Retry-After, the same key works once', async () => {
    const { api } = await freshApi();
    const refusedKeys: string[] = [];
    let waitS = 0;
    while (refusedKeys.length === 0) {
      await together(BURST, async () => {
        const key = nextKey();
        const reply = await api.post('/v1/intros', anIntro({ reference: { id: 'refused' } }), { key });
        if (reply.status === 429) {
          refusedKeys.push(key);
          waitS = Number(reply.headers.get('retry-after'));
        }
        return reply;
      });
    }
    const listed = async () => (await api.get('/v1/intros?reference_id=refused&limit=100')).body.data.length;
    const before = await listed();
    await sleep(waitS * 1000);
    const again = await api.post('/v1/intros', anIntro({ reference: { id: 'refused' } }), {
      key: refusedKeys[0] ?? '',
    });
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBeNull();
    expect(await listed()).toBe(before + 1);
  });

  test('share their bucket with cancel and mark_sent', async () => {
    const { api } = await freshApi();
    await exhaust(api);
    for (const action of ['cancel', 'mark_sent']) {
      const replies = await together(BURST * 3, () => api.post(`/v1/intros/x/${action}`));
      expect(replies.some(({ status }) => status === 429)).toBe(true);
    }
  });
});

test('reads have a separate bucket that is five times larger', async () => {
  const read = async () => {
    const { api } = await freshApi();
    await exhaust(api);
    return together(BURST * READS_PER_WRITE * 4, () => api.get('/v1/touchpoints'));
  };
  const replies = await expectBurst(read, { factor: READS_PER_WRITE, status: 200 });
  // Some name the organization's bucket, if a stalled node lost tokens of it.
  const limits = replies.map(({ headers }) => Number(headers.get('ratelimit-limit')));
  expect(limits).toContain(BURST * READS_PER_WRITE);
});

test('a list takes a token for each 10 objects of its limit; above the budget, it says when it can be read', async () => {
  let list = (): Promise<Reply> => Promise.reject(new Error('no organization'));
  const burst = async () => {
    const { api } = await freshApi();
    list = () => api.get('/v1/intros?limit=100');
    return together(BURST * READS_PER_WRITE, list);
  };
  const replies = await expectBurst(burst, { factor: READS_PER_WRITE / 10, status: 200 });
  let reply = replies.find(({ status }) => status === 429) as Reply;
  // Another node may have leased tokens meanwhile.
  while (reply.status === 429) {
    expectError(reply, 429, 'rate_limited');
    const waitS = Number(reply.headers.get('retry-after'));
    expect(waitS).toBeLessThanOrEqual(100 / 10 / (PER_SECOND * READS_PER_WRITE));
    await sleep(waitS * 1_000);
    reply = await list();
  }
  expect(reply.status).toBe(200);
});

describe('the budget', () => {
  test('of a key that used its own up leaves as much for the other keys of the organization, and no more', async () => {
    let isShared = false;
    // As in `expectBurst`, a busy machine may need another attempt. In none of them do the keys get more together.
    while (!isShared) {
      const { api, organization } = await freshApi();
      const others = [await anotherKey(organization), await anotherKey(organization)] as const;
      const start = performance.now();
      const own = admitted(await together(40, post(api))).length;
      const left = admitted(await together(BURST, post(others[0]))).length;
      const replies = await together(40, post(others[1]));
      const seconds = (performance.now() - start) / 1_000;
      const total = own + left + admitted(replies).length;
      expect(total).toBeLessThanOrEqual(2 * (BURST + PER_SECOND * seconds) + TOLERANCE);
      isShared = own >= BURST && left === BURST;
      if (!isShared) continue;
      // The other refusals are by the key, whose tokens another node may have leased.
      const isTogether = ({ body }: Reply) => body.error?.message.includes("with your organization's keys together");
      const refused = replies.find(isTogether) as Reply;
      expectError(refused, 429, 'rate_limited');
      expect(refused.headers.get('ratelimit-limit')).toBe(String(2 * BURST));
      expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    }
  });

  test('is separate for each organization', async () => {
    const { api, organization } = await freshApi();
    await exhaust(api);
    await exhaust(await anotherKey(organization));
    await expectBurst(async () => together(BURST, post((await freshApi()).api)));
  });

  test('is shared by all nodes: two nodes together admit no more than one would', async () => {
    const node = await fixture.newNode({ RATE_LIMIT: `${PER_SECOND}/${BURST}`, FOREWORD_ROLE: 'api' });
    await expectBurst(async () => {
      const { api, key } = await freshApi();
      const atOther = fixture.published.checked(createApi(node.url, key));
      return together(60, (n) => post(n % 2 === 0 ? api : atOther)());
    });
  });

  test('is in the headers of every authenticated response, including errors', async () => {
    const { api } = await freshApi();
    const replies = [
      await api.post('/v1/touchpoint-events', anEvent()),
      await api.post('/v1/intros', {}),
      await api.post('/v1/intros/x/cancel'),
      await api.post('/v1/intros/x/recording_link'),
      await api.get('/v1/intros/x'),
      await api.get('/v1/intros?limit=0'),
    ];
    expect(replies.map(({ status }) => status)).toEqual([202, 422, 404, 403, 404, 422]);
    for (const { headers } of replies) {
      expect(headers.get('ratelimit-limit')).toMatch(/^(10|50)$/);
      expect(headers.get('ratelimit-remaining')).toMatch(/^\d+$/);
      expect(headers.get('ratelimit-reset')).toMatch(/^\d+$/);
    }
  });

  test('is in the headers of a compressed list, and of one that has not changed', async () => {
    const { key } = await freshApi();
    const list = (headers: Record<string, string> = {}) =>
      fetch(`${fixture.service.url}/v1/touchpoints`, { headers: { authorization: `Bearer ${key}`, ...headers } });
    const compressed = await list({ 'accept-encoding': 'gzip' });
    expect(compressed.headers.get('content-encoding')).toBe('gzip');
    const unchanged = await list({ 'if-none-match': compressed.headers.get('etag') ?? '' });
    expect(unchanged.status).toBe(304);
    for (const { headers } of [compressed, unchanged]) expect(headers.get('ratelimit-remaining')).toMatch(/^\d+$/);
  });

  test('counts a dry run as a read', async () => {
    const { api } = await freshApi();
    const { headers } = await api.post('/v1/dry_run', anEvent());
    expect(Number(headers.get('ratelimit-limit'))).toBe(BURST * READS_PER_WRITE);
  });
});

test('401 and 403 come before 429, and 429 before 422, 409 and 404', async () => {
  const { api, id } = await freshApi();
  await exhaust(api);
  const unknown = await api.raw('POST', '/v1/intros', { headers: { authorization: 'Bearer no' } });
  expectError(unknown, 401, 'unauthorized');
  const worse = [
    () => api.post('/v1/touchpoint-events', { nonsense: true }),
    () => api.raw('POST', '/v1/intros'),
    () => api.post('/v1/intros/x/cancel', undefined, { key: 'used' }),
  ];
  for (const send of worse) {
    // New tokens admit some of them, but even a full bucket has too few for all.
    const replies = await together(BURST * 3, send);
    expect(replies.some(({ status }) => status === 429)).toBe(true);
  }
  await fixture.run('key', 'set', id, '--scope', 'read');
  const replies = () => together(BURST * 3, post(api));
  await eventually(replies, (found) => found.every(({ status }) => status === 403));
});

test('the default is 100 per second with bursts of 200, and off removes the limit and its headers', async () => {
  const usual = await fixture.newNode({ RATE_LIMIT: '', FOREWORD_ROLE: 'api' });
  const unlimited = await fixture.newNode({ RATE_LIMIT: 'off', FOREWORD_ROLE: 'api' });
  const { key } = await freshApi();
  const { headers } = await createApi(usual.url, key).post('/v1/touchpoint-events', anEvent());
  expect(headers.get('ratelimit-limit')).toBe('200');
  expect((await createApi(usual.url, key).get('/v1/touchpoints')).headers.get('ratelimit-limit')).toBe('1000');
  const free = await createApi(unlimited.url, key).get('/v1/touchpoints');
  expect(free.headers.get('ratelimit-limit')).toBeNull();
});
