import { describe, expect, test } from 'vitest';
import { createApi, forFile, type Reply, type Service } from '../harness/index.ts';
import { createIntro, expectError, sendEvent } from './support/actions.ts';
import { openService } from './support/service.ts';

/** The first node has no worker, so events stay accepted until the second one starts. */
const fixture = await forFile(openService({ FOREWORD_ROLE: 'api' }));
const api = fixture.api;
/** Two events that no worker has processed yet. */
const waiting = (await sendEvent(api)).id;
const failing = (await sendEvent(api, { touchpoint: 'project_complete' })).id;
await fixture.run('touchpoint', 'set', '--org', fixture.organization.id, 'project_complete', '--active', 'false');

async function timed(request: Promise<Reply>): Promise<Reply & { ms: number }> {
  const startedMs = performance.now();
  const reply = await request;
  return { ...reply, ms: performance.now() - startedMs };
}

async function countWaiting(service: Service): Promise<number> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  return Number(/^foreword_waiting_requests (\d+)$/m.exec(metrics)?.[1]);
}

const untilWaiting = (count: number, service = fixture.service) =>
  expect.poll(() => countWaiting(service), { interval: 20, timeout: 5_000 }).toBe(count);

test('without a change, ?wait= responds with the current state when the time is over', async () => {
  const { id } = await createIntro(api);
  const [event, intro] = await Promise.all([
    timed(api.get(`/v1/events/${waiting}?wait=1`)),
    timed(api.get(`/v1/intros/${id}?wait=1`)),
  ]);
  expect([event.status, event.body.status]).toEqual([200, 'accepted']);
  expect([intro.status, intro.body.version]).toEqual([200, 1]);
  for (const { ms } of [event, intro]) expect(ms).toBeGreaterThan(950);
});

test('an event that another node processes ends the waiting of every request at once', async () => {
  const replies = [waiting, waiting, failing].map((id) => timed(api.get(`/v1/events/${id}?wait=30`)));
  await untilWaiting(3);
  await fixture.newNode({ FOREWORD_ROLE: 'worker' });
  const [first, second, failed] = await Promise.all(replies);
  expect(first?.body).toMatchObject({ status: 'processed', intro: expect.stringMatching(/^int_/) });
  expect(second?.body).toEqual(first?.body);
  expect(failed?.body).toMatchObject({ status: 'failed', error: { code: 'touchpoint_not_found' } });
  for (const reply of [first, second, failed]) expect(reply?.ms).toBeLessThan(20_000);
});

describe('waiting for an intro', () => {
  test('ends when its version is higher than the one that the caller knows', async () => {
    const { id, version } = await createIntro(api);
    const replies = [
      timed(api.get(`/v1/intros/${id}?wait=30`)),
      timed(api.get(`/v1/intros/${id}?wait=30&version=${version}`)),
    ];
    await untilWaiting(2);
    await api.post(`/v1/intros/${id}/cancel`);
    for (const { body, ms } of await Promise.all(replies)) {
      expect(body).toMatchObject({ status: 'cancelled', version: version + 1 });
      expect(ms).toBeLessThan(5_000);
    }
  });

  test('does not wait if the caller knows an older version, nor without wait', async () => {
    const { id, version } = await createIntro(api);
    for (const query of [`wait=30&version=${version - 1}`, `version=${version + 5}`, 'wait=0']) {
      const { body, ms } = await timed(api.get(`/v1/intros/${id}?${query}`));
      expect([query, body.version]).toEqual([query, version]);
      expect(ms).toBeLessThan(5_000);
    }
  });
});

test('an event that is already settled, and one that does not exist, are answered at once', async () => {
  const settledEvent = await timed(api.get(`/v1/events/${failing}?wait=30`));
  expect(settledEvent.body.status).toBe('failed');
  const unknown = await timed(api.get('/v1/events/evt_01kahzv8e1f0rtx5m2q6n9d3bw?wait=30'));
  expectError(unknown, 404, 'not_found');
  for (const { ms } of [settledEvent, unknown]) expect(ms).toBeLessThan(5_000);
});

test.each(['31', '-1', '1.5', 'x', '1&wait=2'])('wait=%s is rejected', async (seconds) => {
  expectError(await api.get(`/v1/events/${failing}?wait=${seconds}`), 422, 'validation_failed', 'wait');
  const { id } = await createIntro(api);
  expectError(await api.get(`/v1/intros/${id}?wait=${seconds}`), 422, 'validation_failed', 'wait');
});

test('a key that is revoked while its request waits gets no data', async () => {
  const { id } = await createIntro(api);
  const { id: keyId, key } = await fixture.run('key', 'create', '--org', fixture.organization.id);
  const reply = createApi(fixture.service.url, key).get(`/v1/intros/${id}?wait=30`);
  await untilWaiting(1);
  await fixture.run('key', 'revoke', keyId);
  await api.post(`/v1/intros/${id}/cancel`);
  expectError(await reply, 401, 'unauthorized');
});

test('a client that disconnects stops waiting, and the time does not count as the duration of its request', async () => {
  const { id } = await createIntro(api);
  const client = new AbortController();
  const request = fetch(`${fixture.service.url}/v1/intros/${id}?wait=30`, {
    headers: { authorization: `Bearer ${fixture.organization.key}` },
    signal: client.signal,
  }).catch(() => undefined);
  await untilWaiting(1);
  client.abort();
  await request;
  await untilWaiting(0);
  const metrics = await (await fetch(`${fixture.service.url}/metrics`)).text();
  const totalS = Number(/duration_seconds_sum\{operation="retrieveIntro",status="200"\} (\S+)/.exec(metrics)?.[1]);
  expect(totalS).toBeLessThan(1);
});

test('SIGTERM ends the waiting: each request gets the current state, and the node stops soon', async () => {
  const node = await fixture.newNode({ FOREWORD_ROLE: 'api' });
  const { id } = await createIntro(api);
  const reply = timed(createApi(node.url, fixture.organization.key).get(`/v1/intros/${id}?wait=30`));
  await untilWaiting(1, node);
  const stopped = timed(node.stop().then((code) => ({ status: code ?? -1, headers: new Headers(), body: null })));
  expect(await reply).toMatchObject({ status: 200, body: { status: 'requested', version: 1 } });
  expect(await stopped).toMatchObject({ status: 0 });
  expect((await stopped).ms).toBeLessThan(8_000);
});
