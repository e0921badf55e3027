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

/** The response, if it does not come because the 30 seconds of `?wait=30` are over. */
const before30s = (request: Promise<Reply>): Promise<Reply> =>
  Promise.race([
    request,
    new Promise<never>((_, reject) => setTimeout(() => reject(new Error('it waited until the end')), 28_000).unref()),
  ]);

const metricsOf = async (service: Service) => (await fetch(`${service.url}/metrics`)).text();

const untilWaiting = (count: number, service = fixture.service) =>
  expect
    .poll(async () => Number(/^foreword_waiting_requests (\d+)$/m.exec(await metricsOf(service))?.[1]), {
      interval: 20,
    })
    .toBe(count);

test('without a change, ?wait= responds with the current state after that time, which does not count as its duration', async () => {
  const event = api.get(`/v1/events/${waiting}?wait=1`);
  const { id } = await createIntro(api);
  const startedMs = performance.now();
  const intro = await api.get(`/v1/intros/${id}?wait=1`);
  const waitedS = (performance.now() - startedMs) / 1_000;
  expect([intro.status, intro.body.version]).toEqual([200, 1]);
  expect(await event).toMatchObject({ status: 200, body: { status: 'accepted' } });
  const metrics = await metricsOf(fixture.service);
  const durationS = Number(/duration_seconds_sum\{operation="retrieveIntro",status="200"\} (\S+)/.exec(metrics)?.[1]);
  expect(waitedS - durationS).toBeGreaterThan(0.95);
});

test('an event that another node processes ends the waiting of every request at once', async () => {
  const replies = [waiting, waiting, failing].map((id) => before30s(api.get(`/v1/events/${id}?wait=30`)));
  await untilWaiting(3);
  await fixture.newNode({ FOREWORD_ROLE: 'worker' });
  const [first, second, failed] = await Promise.all(replies);
  expect(first?.body).toMatchObject({ status: 'processed', intro: expect.stringMatching(/^int_/) });
  expect(second?.body).toEqual(first?.body);
  expect(failed?.body).toMatchObject({ status: 'failed', error: { code: 'touchpoint_not_found' } });
});

describe('waiting for an intro', () => {
  test('ends when its version is higher than the one that the caller knows', async () => {
    const { id, version } = await createIntro(api);
    const replies = ['wait=30', `wait=30&version=${version}`].map((query) =>
      before30s(api.get(`/v1/intros/${id}?${query}`)),
    );
    await untilWaiting(2);
    await api.post(`/v1/intros/${id}/cancel`);
    for (const { body } of await Promise.all(replies)) {
      expect(body).toMatchObject({ status: 'cancelled', version: version + 1 });
    }
  });

  test('does not wait if the caller knows an older version, nor without wait', async () => {
    const { id, version } = await createIntro(api);
    for (const query of [`wait=30&version=${version - 1}`, `version=${version + 5}`, 'wait=0']) {
      const { body } = await before30s(api.get(`/v1/intros/${id}?${query}`));
      expect([query, body.version]).toEqual([query, version]);
    }
  });
});

test('an event that is already settled, and one that does not exist, are answered at once', async () => {
  expect((await before30s(api.get(`/v1/events/${failing}?wait=30`))).body.status).toBe('failed');
  const unknown = await before30s(api.get('/v1/events/evt_01kahzv8e1f0rtx5m2q6n9d3bw?wait=30'));
  expectError(unknown, 404, 'not_found');
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

test('a client that disconnects stops waiting', async () => {
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
});

test('SIGTERM ends the waiting: each request gets the current state, and the node stops', async () => {
  const node = await fixture.newNode({ FOREWORD_ROLE: 'api' });
  const { id } = await createIntro(api);
  const reply = before30s(createApi(node.url, fixture.organization.key).get(`/v1/intros/${id}?wait=30`));
  await untilWaiting(1, node);
  const stopped = node.stop();
  expect(await reply).toMatchObject({ status: 200, body: { status: 'requested', version: 1 } });
  expect(await stopped).toBe(0);
});
