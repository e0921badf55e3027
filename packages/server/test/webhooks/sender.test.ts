import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { WebhookAttemptRow } from '../../src/tables.ts';
import type { WebhookSender } from '../../src/webhooks/index.ts';
import { nextKey } from '../harness/index.ts';
import { hang, type Received, type Receiver, startReceiver, status } from './receiver.ts';
import { type Fixture, openFixture } from './webhook-fixture.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

let fixture: Fixture;
const receivers: Receiver[] = [];
const senders: WebhookSender[] = [];

beforeAll(async () => {
  fixture = await openFixture();
});
afterAll(() => fixture.close());
afterEach(async () => {
  // A sender that a failed test left running would take the messages of the next test.
  for (const left of senders.splice(0)) await left.stop();
  for (const receiver of receivers.splice(0)) await receiver.close();
});

async function receive(...args: Parameters<typeof startReceiver>): Promise<Receiver> {
  const receiver = await startReceiver(...args);
  receivers.push(receiver);
  return receiver;
}

const verify = (secret: string, { body, headers }: Received) => new Webhook(secret).verify(body, headers);

const attemptsOf = (endpointId: string) =>
  fixture.database.query<WebhookAttemptRow>('select * from webhook_attempts where endpoint_id = $1 order by id', [
    endpointId,
  ]);

async function untilAttempts(endpointId: string, count: number): Promise<WebhookAttemptRow[]> {
  await expect.poll(async () => (await attemptsOf(endpointId)).length, { timeout: 10_000 }).toBe(count);
  return attemptsOf(endpointId);
}

async function deliveryOf(endpointId: string) {
  const [row] = await fixture.database.query<{ status: string; failures: number; due_at: Date | null }>(
    'select status, failures, due_at from webhook_deliveries where endpoint_id = $1',
    [endpointId],
  );
  return row;
}

function sender(changes: Parameters<Fixture['startSender']>[0] = { timeoutMs: SECOND_MS }): WebhookSender {
  const started = fixture.startSender(changes);
  senders.push(started);
  return started;
}

describe('a webhook', () => {
  test('arrives unchanged, with a signature that standardwebhooks and svix both accept', async () => {
    const running = sender();
    const receiver = await receive();
    const tenant = await fixture.newTenant();
    const endpoint = await fixture.newEndpoint(tenant, { url: receiver.url });
    await fixture.publish(tenant, 'intro.ready', { object: 'intro', name: 'Zoë 🏠' });
    const [received] = await receiver.until(1);
    if (received === undefined) throw new Error('no request was received');
    const message = { type: 'intro.ready', timestamp: expect.any(String), data: { object: 'intro', name: 'Zoë 🏠' } };
    expect(verify(endpoint.secret, received)).toEqual(message);
    expect(() => new SvixWebhook(endpoint.secret).verify(received.body, received.headers)).not.toThrow();
    expect(received.headers['webhook-id']).toMatch(/^msg_[0-9a-z]{26}$/);
    expect(received.headers['content-type']).toBe('application/json; charset=utf-8');
    const other = `whsec_${Buffer.alloc(32).toString('base64')}`;
    expect(() => verify(other, received)).toThrow();
    expect(() => new SvixWebhook(other).verify(received.body, received.headers)).toThrow();
    const [attempt] = await untilAttempts(endpoint.id, 1);
    expect(attempt).toMatchObject({ succeeded: true, status: 200, answer: 'ok', error: null, type: 'intro.ready' });
    await running.stop();
    expect(receiver.received).toHaveLength(1);
  });

  test('is sent only to subscribed, active endpoints of its own organization', async () => {
    const running = sender();
    const [all, some, none, foreign] = [await receive(), await receive(), await receive(), await receive()];
    const [tenant, stranger] = [await fixture.newTenant(), await fixture.newTenant()];
    await fixture.newEndpoint(tenant, { url: all.url });
    await fixture.newEndpoint(tenant, { url: some.url, events: ['intro.*'] });
    await fixture.newEndpoint(tenant, { url: none.url, events: ['recipient.opted_out'] });
    await fixture.newEndpoint(tenant, { url: none.url, active: false });
    await fixture.newEndpoint(stranger, { url: foreign.url });
    await fixture.publish(tenant, 'touchpoint_event.failed', { n: 1 });
    await fixture.publish(tenant, 'intro.sent', { n: 2 });
    await Promise.all([all.until(2), some.until(1)]);
    await running.stop();
    const counts = [all, some, none, foreign].map(({ received }) => received.length);
    expect(counts).toEqual([2, 1, 0, 0]);
  });

  test('has both signatures during a rotation, and only the new one a day later', async () => {
    const running = sender();
    const receiver = await receive();
    const tenant = await fixture.newTenant();
    const endpoint = await fixture.newEndpoint(tenant, { url: receiver.url });
    const rotated = JSON.parse(String((await fixture.service.rotate(tenant, nextKey(), endpoint.id, {})).body));
    await fixture.publish(tenant, 'intro.ready', { n: 1 });
    const [during] = await receiver.until(1);
    if (during === undefined) throw new Error('no request was received');
    expect(during.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const { secret } of [endpoint, rotated]) expect(verify(secret, during)).toMatchObject({ data: { n: 1 } });
    fixture.advance(DAY_MS + SECOND_MS);
    await fixture.publish(tenant, 'intro.ready', { n: 2 });
    const [, after] = await receiver.until(2);
    expect(after?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
    fixture.advance(-DAY_MS - SECOND_MS);
    await running.stop();
  });
});

describe('a failed attempt', () => {
  test('is retried with the same ID after each delay of the schedule, and then given up', async () => {
    const running = sender();
    const receiver = await receive(status(500, 'broken'));
    const tenant = await fixture.newTenant();
    const endpoint = await fixture.newEndpoint(tenant, { url: receiver.url });
    await fixture.publish(tenant, 'intro.ready', {});
    const delaysS = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
    for (const [n, delayS] of delaysS.entries()) {
      const attempt = (await untilAttempts(endpoint.id, n + 1))[n];
      const wait = (attempt?.next_attempt_at?.getTime() ?? 0) - (attempt?.created_at.getTime() ?? 0);
      expect(Math.abs(wait - delayS * 1000)).toBeLessThan(500);
      fixture.advance(wait);
    }
    const attempts = await untilAttempts(endpoint.id, 8);
    expect(attempts.at(-1)).toMatchObject({ status: 500, error: 'Responded with 500.', next_attempt_at: null });
    expect(await deliveryOf(endpoint.id)).toMatchObject({ status: 'failed', failures: 8, due_at: null });
    await running.stop();
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test.each<[string, Parameters<typeof startReceiver>[0], string]>([
    ['redirects, which are not followed', status(302, '', { location: '/else' }), 'Redirects are not followed'],
    ['never responds', hang, 'The response did not arrive in time.'],
    [
      'never finishes its response',
      (response) => void response.writeHead(200).write('x'),
      'The response did not arrive in time.',
    ],
    [
      'closes the connection in the middle of its response',
      (response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('only this', () => response.destroy());
      },
      'The connection closed before the full HTTP response arrived.',
    ],
  ])('is recorded if the receiver %s', async (_name, answer, error) => {
    const running = sender();
    const receiver = await receive(answer);
    const tenant = await fixture.newTenant();
    const endpoint = await fixture.newEndpoint(tenant, { url: receiver.url });
    await fixture.publish(tenant, 'intro.ready', {});
    const [attempt] = await untilAttempts(endpoint.id, 1);
    expect(attempt).toMatchObject({ succeeded: false, error: expect.stringContaining(error) });
    expect(attempt?.next_attempt_at).not.toBeNull();
    await running.stop();
    expect(receiver.received).toHaveLength(1);
  });

  test('does not delay other messages to the same endpoint', async () => {
    const running = sender();
    const receiver = await receive((response, { body }) => {
      if (!body.includes('"bad"')) response.end();
      else response.writeHead(500).end();
    });
    const tenant = await fixture.newTenant();
    const endpoint = await fixture.newEndpoint(tenant, { url: receiver.url });
    await fixture.publish(tenant, 'intro.ready', { n: 'bad' }, { n: 1 }, { n: 2 }, { n: 3 });
    const attempts = await untilAttempts(endpoint.id, 4);
    expect(attempts.filter(({ succeeded }) => succeeded)).toHaveLength(3);
    await running.stop();
  });

  test('stores the first KB of the response, and stops reading an endless one', async () => {
    const running = sender();
    let sent = 0;
    const receiver = await receive((response) => {
      response.writeHead(200);
      const flow = () => {
        while (!response.destroyed) {
          sent += 4_096;
          if (!response.write('é'.repeat(2_048))) return response.once('drain', flow);
        }
        return undefined;
      };
      flow();
    });
    const tenant = await fixture.newTenant();
    const endpoint = await fixture.newEndpoint(tenant, { url: receiver.url });
    await fixture.publish(tenant, 'intro.ready', {});
    const [attempt] = await untilAttempts(endpoint.id, 1);
    expect(attempt).toMatchObject({ succeeded: true, status: 200, answer: 'é'.repeat(512) });
    expect(sent).toBeLessThan(20_000_000);
    await running.stop();
  });
});

describe('an endpoint', () => {
  test('that responds with 410 is disabled, and its pending messages are given up', async () => {
    const disabled: string[] = [];
    const running = sender({
      onDisabled: async (_tx, endpoint, reason) => void disabled.push(`${endpoint.id} ${reason}`),
    });
    const receiver = await receive(status(410));
    const tenant = await fixture.newTenant();
    const endpoint = await fixture.newEndpoint(tenant, { url: receiver.url });
    await fixture.publish(tenant, 'intro.ready', {});
    const retrieve = () => fixture.service.retrieve(tenant, endpoint.id);
    await expect.poll(retrieve, { timeout: 5_000 }).toMatchObject({ active: false, disabled_reason: 'gone' });
    await fixture.publish(tenant, 'intro.ready', {});
    await running.stop();
    expect(disabled).toEqual([`${endpoint.id} gone`]);
    expect(receiver.received).toHaveLength(1);
  });

  test('whose URL was changed before the old one responded with 410 stays enabled', async () => {
    const running = sender();
    let answer: (() => void) | undefined;
    const old = await receive((response) => {
      answer = () => response.writeHead(410).end();
    });
    const receiver = await receive(status(200));
    const tenant = await fixture.newTenant();
    const endpoint = await fixture.newEndpoint(tenant, { url: old.url });
    await fixture.publish(tenant, 'intro.ready', {});
    await expect.poll(() => answer !== undefined, { timeout: 5_000 }).toBe(true);
    await fixture.service.update(tenant, 'test:moved', endpoint.id, { url: receiver.url });
    answer?.();
    await untilAttempts(endpoint.id, 1);
    await fixture.publish(tenant, 'intro.ready', {});
    await untilAttempts(endpoint.id, 2);
    await running.stop();
    expect(receiver.received).toHaveLength(1);
    expect(await fixture.service.retrieve(tenant, endpoint.id)).toMatchObject({ active: true, failing_since: null });
  });

  test('is disabled after five days without a success, and not before', async () => {
    const disabled: string[] = [];
    const running = sender({ onDisabled: async (_tx, _endpoint, reason) => void disabled.push(reason) });
    const receiver = await receive(status(500));
    const tenant = await fixture.newTenant();
    const endpoint = await fixture.newEndpoint(tenant, { url: receiver.url });
    const fail = async (attempts: number) => {
      await fixture.publish(tenant, 'intro.ready', {});
      await untilAttempts(endpoint.id, attempts);
    };
    const retrieve = () => fixture.service.retrieve(tenant, endpoint.id);
    const cancelRetries = () =>
      fixture.database.query("update webhook_deliveries set due_at = null, status = 'failed' where endpoint_id = $1", [
        endpoint.id,
      ]);
    await fail(1);
    await cancelRetries();
    fixture.advance(4 * DAY_MS);
    receiver.answerWith(status(200));
    await fail(2);
    expect(await retrieve()).toMatchObject({ active: true, failing_since: null });
    receiver.answerWith(status(500));
    await fail(3);
    await cancelRetries();
    fixture.advance(4 * DAY_MS);
    await fail(4);
    await cancelRetries();
    expect(await retrieve()).toMatchObject({ active: true, failing_since: expect.any(String) });
    fixture.advance(2 * DAY_MS);
    await fail(5);
    await expect.poll(retrieve, { timeout: 5_000 }).toMatchObject({ active: false, disabled_reason: 'failing' });
    expect(disabled).toEqual(['failing']);
    await running.stop();
  });

  test('that hangs or refuses connections does not delay a hundred others', async () => {
    const running = sender({});
    const dead = await receive(hang);
    const tenants = await Promise.all(Array.from({ length: 10 }, () => fixture.newTenant()));
    const others = await Promise.all(Array.from({ length: 10 }, () => receive()));
    for (const tenant of tenants) {
      for (const { url } of others) await fixture.newEndpoint(tenant, { url });
    }
    const [first] = tenants;
    if (first === undefined) throw new Error('no tenant');
    await fixture.newEndpoint(first, { url: dead.url });
    await fixture.newEndpoint(first, { url: 'http://127.0.0.1:1/gone' });
    const startedAt = performance.now();
    // First a backlog of 200 messages for each dead endpoint, then ten messages for every endpoint.
    await fixture.publish(first, 'intro.ready', ...Array.from({ length: 200 }, (_, n) => ({ n })));
    await Promise.all(
      tenants.map((tenant) => fixture.publish(tenant, 'intro.sent', ...Array.from({ length: 10 }, () => ({})))),
    );
    await Promise.all(others.map((receiver) => receiver.until(300)));
    expect(performance.now() - startedAt).toBeLessThan(8_000);
    await running.stop();
  }, 60_000);
});

describe('a sender', () => {
  test('sends messages that were published before it started', async () => {
    const receiver = await receive();
    const tenant = await fixture.newTenant();
    await fixture.newEndpoint(tenant, { url: receiver.url });
    await fixture.publish(tenant, 'intro.ready', {});
    const running = sender();
    await receiver.until(1);
    await running.stop();
  });

  test('takes over the claims of a dead sender when they expire, and not before', async () => {
    const receiver = await receive();
    const tenant = await fixture.newTenant();
    const endpoint = await fixture.newEndpoint(tenant, { url: receiver.url });
    await fixture.publish(tenant, 'intro.ready', {});
    const until = new Date(fixture.clock().getTime() + 30 * SECOND_MS);
    await fixture.database.query('update webhook_deliveries set claim = 1, due_at = $2 where endpoint_id = $1', [
      endpoint.id,
      until,
    ]);
    const running = sender();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(receiver.received).toHaveLength(0);
    fixture.advance(31 * SECOND_MS);
    await receiver.until(1);
    await untilAttempts(endpoint.id, 1);
    expect(await deliveryOf(endpoint.id)).toMatchObject({ status: 'delivered', failures: 0 });
    await running.stop();
  });

  test('that stops releases its attempts in flight, so that another sender repeats them at once', async () => {
    const receiver = await receive(hang);
    const tenant = await fixture.newTenant();
    const endpoint = await fixture.newEndpoint(tenant, { url: receiver.url });
    const first = sender({});
    await fixture.publish(tenant, 'intro.ready', {});
    await receiver.until(1);
    receiver.answerWith(status(204));
    await first.stop();
    expect(await deliveryOf(endpoint.id)).toMatchObject({ status: 'pending', failures: 0 });
    const second = sender();
    await receiver.until(2);
    await untilAttempts(endpoint.id, 1);
    await second.stop();
  });

  test('shares the work with others, and sends nothing twice', async () => {
    const receiver = await receive();
    const tenant = await fixture.newTenant();
    const endpoint = await fixture.newEndpoint(tenant, { url: receiver.url });
    const workers = [sender(), sender(), sender()];
    await fixture.publish(tenant, 'intro.ready', ...Array.from({ length: 300 }, (_, n) => ({ n })));
    await untilAttempts(endpoint.id, 300);
    for (const worker of workers) await worker.stop();
    expect(receiver.received).toHaveLength(300);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(300);
  });
});
