import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { WebhookAttemptRow } from '../../src/tables.ts';
import type { WebhookSender } from '../../src/webhooks/index.ts';
import { nextKey } from '../harness/index.ts';
import { hang, type Received, type Receiver, startReceiver, status } from './receiver.ts';
import { openStage, type Stage } from './stage.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

let stage: Stage;
const receivers: Receiver[] = [];
const senders: WebhookSender[] = [];

beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());
afterEach(async () => {
  // One that a failed test left behind would take what the next one tells.
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
  stage.database.query<WebhookAttemptRow>('select * from webhook_attempts where endpoint_id = $1 order by id', [
    endpointId,
  ]);

async function untilAttempts(endpointId: string, count: number): Promise<WebhookAttemptRow[]> {
  await expect.poll(async () => (await attemptsOf(endpointId)).length, { timeout: 10_000 }).toBe(count);
  return attemptsOf(endpointId);
}

async function deliveryOf(endpointId: string) {
  const [row] = await stage.database.query<{ status: string; failures: number; due_at: Date | null }>(
    'select status, failures, due_at from webhook_deliveries where endpoint_id = $1',
    [endpointId],
  );
  return row;
}

function sender(changes: Parameters<Stage['startSender']>[0] = { timeoutMs: SECOND_MS }): WebhookSender {
  const started = stage.startSender(changes);
  senders.push(started);
  return started;
}

describe('a webhook', () => {
  it('arrives as it was told, signed so that standardwebhooks and svix both accept it', async () => {
    const running = sender();
    const receiver = await receive();
    const tenant = await stage.newTenant();
    const endpoint = await stage.newEndpoint(tenant, { url: receiver.url });
    await stage.tell(tenant, 'intro.ready', { object: 'intro', name: 'Zoë 🏠' });
    const [received] = await receiver.until(1);
    if (received === undefined) throw new Error('nothing came');
    const told = { type: 'intro.ready', timestamp: expect.any(String), data: { object: 'intro', name: 'Zoë 🏠' } };
    expect(verify(endpoint.secret, received)).toEqual(told);
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

  it('goes to the endpoints of its own organization that chose its type, and to no other', async () => {
    const running = sender();
    const [all, some, none, foreign] = [await receive(), await receive(), await receive(), await receive()];
    const [tenant, stranger] = [await stage.newTenant(), await stage.newTenant()];
    await stage.newEndpoint(tenant, { url: all.url });
    await stage.newEndpoint(tenant, { url: some.url, events: ['intro.*'] });
    await stage.newEndpoint(tenant, { url: none.url, events: ['recipient.opted_out'] });
    await stage.newEndpoint(tenant, { url: none.url, active: false });
    await stage.newEndpoint(stranger, { url: foreign.url });
    await stage.tell(tenant, 'touchpoint_event.failed', { n: 1 });
    await stage.tell(tenant, 'intro.sent', { n: 2 });
    await Promise.all([all.until(2), some.until(1)]);
    await running.stop();
    const counts = [all, some, none, foreign].map(({ received }) => received.length);
    expect(counts).toEqual([2, 1, 0, 0]);
  });

  it('carries both signatures during a rotation, and only the new one a day later', async () => {
    const running = sender();
    const receiver = await receive();
    const tenant = await stage.newTenant();
    const endpoint = await stage.newEndpoint(tenant, { url: receiver.url });
    const rotated = JSON.parse(String((await stage.service.rotate(tenant, nextKey(), endpoint.id, {})).body));
    await stage.tell(tenant, 'intro.ready', { n: 1 });
    const [during] = await receiver.until(1);
    if (during === undefined) throw new Error('nothing came');
    expect(during.headers['webhook-signature']?.split(' ')).toHaveLength(2);
    for (const { secret } of [endpoint, rotated]) expect(verify(secret, during)).toMatchObject({ data: { n: 1 } });
    stage.advance(DAY_MS + SECOND_MS);
    await stage.tell(tenant, 'intro.ready', { n: 2 });
    const [, after] = await receiver.until(2);
    expect(after?.headers['webhook-signature']?.split(' ')).toHaveLength(1);
    stage.advance(-DAY_MS - SECOND_MS);
    await running.stop();
  });
});

describe('a failure', () => {
  it('is tried again under the same id after each delay of the schedule, and then given up', async () => {
    const running = sender();
    const receiver = await receive(status(500, 'broken'));
    const tenant = await stage.newTenant();
    const endpoint = await stage.newEndpoint(tenant, { url: receiver.url });
    await stage.tell(tenant, 'intro.ready', {});
    const delaysS = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];
    for (const [n, delayS] of delaysS.entries()) {
      const attempt = (await untilAttempts(endpoint.id, n + 1))[n];
      const wait = (attempt?.next_attempt_at?.getTime() ?? 0) - (attempt?.created_at.getTime() ?? 0);
      expect(Math.abs(wait - delayS * 1000)).toBeLessThan(500);
      stage.advance(wait);
    }
    const attempts = await untilAttempts(endpoint.id, 8);
    expect(attempts.at(-1)).toMatchObject({ status: 500, error: 'Answered with 500.', next_attempt_at: null });
    expect(await deliveryOf(endpoint.id)).toMatchObject({ status: 'failed', failures: 8, due_at: null });
    await running.stop();
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it.each<[string, Parameters<typeof startReceiver>[0], string]>([
    ['a redirect, which is not followed', status(302, '', { location: '/else' }), 'Redirects are not followed'],
    ['an answer that does not come', hang, 'The response did not arrive in time.'],
    [
      'an answer that never ends',
      (response) => void response.writeHead(200).write('x'),
      'The response did not arrive in time.',
    ],
    [
      'a connection that is closed in the middle of an answer',
      (response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('only this', () => response.destroy());
      },
      'The connection closed before the full HTTP response arrived.',
    ],
  ])('is %s', async (_name, answer, error) => {
    const running = sender();
    const receiver = await receive(answer);
    const tenant = await stage.newTenant();
    const endpoint = await stage.newEndpoint(tenant, { url: receiver.url });
    await stage.tell(tenant, 'intro.ready', {});
    const [attempt] = await untilAttempts(endpoint.id, 1);
    expect(attempt).toMatchObject({ succeeded: false, error: expect.stringContaining(error) });
    expect(attempt?.next_attempt_at).not.toBeNull();
    await running.stop();
    expect(receiver.received).toHaveLength(1);
  });

  it('holds back no other message to the same endpoint', async () => {
    const running = sender();
    const receiver = await receive((response, { body }) => {
      if (!body.includes('"bad"')) response.end();
      else response.writeHead(500).end();
    });
    const tenant = await stage.newTenant();
    const endpoint = await stage.newEndpoint(tenant, { url: receiver.url });
    await stage.tell(tenant, 'intro.ready', { n: 'bad' }, { n: 1 }, { n: 2 }, { n: 3 });
    const attempts = await untilAttempts(endpoint.id, 4);
    expect(attempts.filter(({ succeeded }) => succeeded)).toHaveLength(3);
    await running.stop();
  });

  it('keeps the first KB of the answer, and reads no endless one to its end', async () => {
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
    const tenant = await stage.newTenant();
    const endpoint = await stage.newEndpoint(tenant, { url: receiver.url });
    await stage.tell(tenant, 'intro.ready', {});
    const [attempt] = await untilAttempts(endpoint.id, 1);
    expect(attempt).toMatchObject({ succeeded: true, status: 200, answer: 'é'.repeat(512) });
    expect(sent).toBeLessThan(20_000_000);
    await running.stop();
  });
});

describe('an endpoint', () => {
  it('that answers 410 is turned off, and what waits for it is given up', async () => {
    const told: string[] = [];
    const running = sender({
      onDisabled: async (_tx, endpoint, reason) => void told.push(`${endpoint.id} ${reason}`),
    });
    const receiver = await receive(status(410));
    const tenant = await stage.newTenant();
    const endpoint = await stage.newEndpoint(tenant, { url: receiver.url });
    await stage.tell(tenant, 'intro.ready', {});
    const retrieve = () => stage.service.retrieve(tenant, endpoint.id);
    await expect.poll(retrieve, { timeout: 5_000 }).toMatchObject({ active: false, disabled_reason: 'gone' });
    await stage.tell(tenant, 'intro.ready', {});
    await running.stop();
    expect(told).toEqual([`${endpoint.id} gone`]);
    expect(receiver.received).toHaveLength(1);
  });

  it('that moved while its old address thought about a 410 stays on', async () => {
    const running = sender();
    let answer: (() => void) | undefined;
    const old = await receive((response) => {
      answer = () => response.writeHead(410).end();
    });
    const receiver = await receive(status(200));
    const tenant = await stage.newTenant();
    const endpoint = await stage.newEndpoint(tenant, { url: old.url });
    await stage.tell(tenant, 'intro.ready', {});
    await expect.poll(() => answer !== undefined, { timeout: 5_000 }).toBe(true);
    await stage.service.update(tenant, 'test:moved', endpoint.id, { url: receiver.url });
    answer?.();
    await untilAttempts(endpoint.id, 1);
    await stage.tell(tenant, 'intro.ready', {});
    await untilAttempts(endpoint.id, 2);
    await running.stop();
    expect(receiver.received).toHaveLength(1);
    expect(await stage.service.retrieve(tenant, endpoint.id)).toMatchObject({ active: true, failing_since: null });
  });

  it('is turned off after five days of nothing but failure, and not while anything succeeds', async () => {
    const told: string[] = [];
    const running = sender({ onDisabled: async (_tx, _endpoint, reason) => void told.push(reason) });
    const receiver = await receive(status(500));
    const tenant = await stage.newTenant();
    const endpoint = await stage.newEndpoint(tenant, { url: receiver.url });
    const fail = async (attempts: number) => {
      await stage.tell(tenant, 'intro.ready', {});
      await untilAttempts(endpoint.id, attempts);
    };
    const retrieve = () => stage.service.retrieve(tenant, endpoint.id);
    const forgetRetries = () =>
      stage.database.query("update webhook_deliveries set due_at = null, status = 'failed' where endpoint_id = $1", [
        endpoint.id,
      ]);
    await fail(1);
    await forgetRetries();
    stage.advance(4 * DAY_MS);
    receiver.answerWith(status(200));
    await fail(2);
    expect(await retrieve()).toMatchObject({ active: true, failing_since: null });
    receiver.answerWith(status(500));
    await fail(3);
    await forgetRetries();
    stage.advance(4 * DAY_MS);
    await fail(4);
    await forgetRetries();
    expect(await retrieve()).toMatchObject({ active: true, failing_since: expect.any(String) });
    stage.advance(2 * DAY_MS);
    await fail(5);
    await expect.poll(retrieve, { timeout: 5_000 }).toMatchObject({ active: false, disabled_reason: 'failing' });
    expect(told).toEqual(['failing']);
    await running.stop();
  });

  it('that hangs or is gone delays none of a hundred others', async () => {
    const running = sender({});
    const dead = await receive(hang);
    const tenants = await Promise.all(Array.from({ length: 10 }, () => stage.newTenant()));
    const others = await Promise.all(Array.from({ length: 10 }, () => receive()));
    for (const tenant of tenants) {
      for (const { url } of others) await stage.newEndpoint(tenant, { url });
    }
    const [first] = tenants;
    if (first === undefined) throw new Error('no tenant');
    await stage.newEndpoint(first, { url: dead.url });
    await stage.newEndpoint(first, { url: 'http://127.0.0.1:1/gone' });
    const begun = performance.now();
    // A backlog for the dead ones first: 200 messages each, then ten for everybody.
    await stage.tell(first, 'intro.ready', ...Array.from({ length: 200 }, (_, n) => ({ n })));
    await Promise.all(
      tenants.map((tenant) => stage.tell(tenant, 'intro.sent', ...Array.from({ length: 10 }, () => ({})))),
    );
    await Promise.all(others.map((receiver) => receiver.until(300)));
    expect(performance.now() - begun).toBeLessThan(8_000);
    await running.stop();
  }, 60_000);
});

describe('a worker', () => {
  it('sends what was told while none ran', async () => {
    const receiver = await receive();
    const tenant = await stage.newTenant();
    await stage.newEndpoint(tenant, { url: receiver.url });
    await stage.tell(tenant, 'intro.ready', {});
    const running = sender();
    await receiver.until(1);
    await running.stop();
  });

  it('takes over what a dead one had claimed, once its time is over, and not before', async () => {
    const receiver = await receive();
    const tenant = await stage.newTenant();
    const endpoint = await stage.newEndpoint(tenant, { url: receiver.url });
    await stage.tell(tenant, 'intro.ready', {});
    const until = new Date(stage.clock().getTime() + 30 * SECOND_MS);
    await stage.database.query('update webhook_deliveries set claim = 1, due_at = $2 where endpoint_id = $1', [
      endpoint.id,
      until,
    ]);
    const running = sender();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(receiver.received).toHaveLength(0);
    stage.advance(31 * SECOND_MS);
    await receiver.until(1);
    await untilAttempts(endpoint.id, 1);
    expect(await deliveryOf(endpoint.id)).toMatchObject({ status: 'delivered', failures: 0 });
    await running.stop();
  });

  it('that stops hands back what is under way, so that another sends it at once', async () => {
    const receiver = await receive(hang);
    const tenant = await stage.newTenant();
    const endpoint = await stage.newEndpoint(tenant, { url: receiver.url });
    const first = sender({});
    await stage.tell(tenant, 'intro.ready', {});
    await receiver.until(1);
    receiver.answerWith(status(204));
    await first.stop();
    expect(await deliveryOf(endpoint.id)).toMatchObject({ status: 'pending', failures: 0 });
    const second = sender();
    await receiver.until(2);
    await untilAttempts(endpoint.id, 1);
    await second.stop();
  });

  it('shares the work with others: nothing is sent twice while all are well', async () => {
    const receiver = await receive();
    const tenant = await stage.newTenant();
    const endpoint = await stage.newEndpoint(tenant, { url: receiver.url });
    const workers = [sender(), sender(), sender()];
    await stage.tell(tenant, 'intro.ready', ...Array.from({ length: 300 }, (_, n) => ({ n })));
    await untilAttempts(endpoint.id, 300);
    for (const worker of workers) await worker.stop();
    expect(receiver.received).toHaveLength(300);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(300);
  });
});
