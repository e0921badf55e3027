import { Webhook } from 'standardwebhooks';
import { afterEach, describe, expect, test } from 'vitest';
import { RETRY_DELAYS_S } from '../../src/webhooks/rules.ts';
import { forFile } from '../harness/index.ts';
import { hang, type Received, status } from './receiver.ts';
import { openFixture } from './webhook-fixture.ts';

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;

const fixture = await forFile(openFixture());
afterEach(() => fixture.stopAll());

const verify = (secret: string, { body, headers }: Received) => new Webhook(secret).verify(body, headers);

async function deliveryOf(endpointId: string) {
  const [row] = await fixture.database.sql<{
    status: string;
    failures: number;
    due_at: Date | null;
  }>`select status, failures, due_at
    from webhook_deliveries where endpoint_id = ${endpointId}`;
  return row;
}

describe('a webhook', () => {
  test('arrives unchanged, with a signature that the standardwebhooks library accepts', async () => {
    const running = fixture.startSender();
    const { receiver, tenant, endpoint } = await fixture.newTarget();
    await fixture.publish(tenant, 'intro.ready', { object: 'intro', name: 'Zoë 🏠' });
    const [received] = await receiver.until(1);
    if (received === undefined) throw new Error('no request was received');
    const message = { type: 'intro.ready', timestamp: expect.any(String), data: { object: 'intro', name: 'Zoë 🏠' } };
    expect(verify(endpoint.secret, received)).toEqual(message);
    expect(received.headers['webhook-id']).toMatch(/^msg_[0-9a-z]{26}$/);
    expect(received.headers['content-type']).toBe('application/json; charset=utf-8');
    const other = `whsec_${Buffer.alloc(32).toString('base64')}`;
    expect(() => verify(other, received)).toThrow();
    const [attempt] = await fixture.attemptsOf(endpoint.id, 1);
    expect(attempt).toMatchObject({ succeeded: true, status: 200, answer: 'ok', error: null, type: 'intro.ready' });
    await running.stop();
    expect(receiver.received).toHaveLength(1);
  });

  test('is sent only to subscribed, active endpoints of its own organization', async () => {
    const running = fixture.startSender();
    const [all, some, none, foreign] = [
      await fixture.startReceiver(),
      await fixture.startReceiver(),
      await fixture.startReceiver(),
      await fixture.startReceiver(),
    ];
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
    fixture.startSender();
    const { receiver, tenant, endpoint } = await fixture.newTarget();
    const rotated = await fixture.use('rotateWebhookSecret', { ...tenant, by: null }, { params: endpoint });
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
  });
});

describe('a failed attempt', () => {
  test('is retried with the same ID after each delay of the schedule, and then given up', async () => {
    const running = fixture.startSender();
    const { receiver, tenant, endpoint } = await fixture.newTarget(status(500, 'broken'));
    await fixture.publish(tenant, 'intro.ready', {});
    for (const [n, delayS] of RETRY_DELAYS_S.entries()) {
      expect((await fixture.attemptsOf(endpoint.id, n + 1))[n]?.next_attempt_at).not.toBeNull();
      fixture.advance(delayS * SECOND_MS);
    }
    const attempts = await fixture.attemptsOf(endpoint.id, 8);
    expect(attempts.at(-1)).toMatchObject({ status: 500, error: 'Responded with 500.', next_attempt_at: null });
    expect(await deliveryOf(endpoint.id)).toMatchObject({ status: 'failed', failures: 8, due_at: null });
    await running.stop();
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  test('is recorded if the receiver closes the connection in the middle of its response', async () => {
    const running = fixture.startSender();
    const { receiver, tenant, endpoint } = await fixture.newTarget((response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('only this', () => response.destroy());
    });
    await fixture.publish(tenant, 'intro.ready', {});
    const [attempt] = await fixture.attemptsOf(endpoint.id, 1);
    const error = 'The connection closed before the full HTTP response arrived.';
    expect(attempt).toMatchObject({ succeeded: false, error });
    expect(attempt?.next_attempt_at).not.toBeNull();
    await running.stop();
    expect(receiver.received).toHaveLength(1);
  });

  test('does not delay other messages to the same endpoint', async () => {
    fixture.startSender();
    const { tenant, endpoint } = await fixture.newTarget((response, { body }) => {
      if (!body.includes('"bad"')) response.end();
      else response.writeHead(500).end();
    });
    await fixture.publish(tenant, 'intro.ready', { n: 'bad' }, { n: 1 }, { n: 2 }, { n: 3 });
    const attempts = await fixture.attemptsOf(endpoint.id, 4);
    expect(attempts.filter(({ succeeded }) => succeeded)).toHaveLength(3);
  });

  test('stores the first KB of the response, and stops reading an endless one', async () => {
    fixture.startSender();
    let sent = 0;
    const { tenant, endpoint } = await fixture.newTarget((response) => {
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
    await fixture.publish(tenant, 'intro.ready', {});
    const [attempt] = await fixture.attemptsOf(endpoint.id, 1);
    expect(attempt).toMatchObject({ succeeded: true, status: 200, answer: 'é'.repeat(512) });
    expect(sent).toBeLessThan(20_000_000);
  });
});

describe('a sender', () => {
  test('takes over the claims of a dead sender when they expire, and not before', async () => {
    const receiver = await fixture.startReceiver();
    const [tenant, other] = [await fixture.newTenant(), await fixture.newTenant()];
    const endpoint = await fixture.newEndpoint(tenant, { url: receiver.url });
    await fixture.publish(tenant, 'intro.ready', {});
    const until = new Date(fixture.clock().getTime() + DAY_MS);
    await fixture.database.sql`update webhook_deliveries set claim = 2, due_at = ${until}
      where endpoint_id = ${endpoint.id}`;
    fixture.startSender();
    const working = await fixture.startReceiver();
    await fixture.newEndpoint(other, { url: working.url });
    await fixture.publish(other, 'intro.ready', {});
    await working.until(1);
    expect(receiver.received).toHaveLength(0);
    fixture.advance(DAY_MS + SECOND_MS);
    await receiver.until(1);
    await fixture.attemptsOf(endpoint.id, 1);
    expect(await deliveryOf(endpoint.id)).toMatchObject({ status: 'delivered', failures: 0 });
  });

  test('that stops releases its attempts in flight, so that another sender repeats them at once', async () => {
    const { receiver, tenant, endpoint } = await fixture.newTarget(hang);
    const first = fixture.startSender();
    await fixture.publish(tenant, 'intro.ready', {});
    await receiver.until(1);
    receiver.answerWith(status(204));
    await first.stop();
    expect(await deliveryOf(endpoint.id)).toMatchObject({ status: 'pending', failures: 0 });
    const second = fixture.startSender();
    await receiver.until(2);
    await fixture.attemptsOf(endpoint.id, 1);
    await second.stop();
  });

  test('shares the work with others, and sends nothing twice', async () => {
    const { receiver, tenant, endpoint } = await fixture.newTarget();
    const workers = [fixture.startSender(), fixture.startSender(), fixture.startSender()];
    await fixture.publish(tenant, 'intro.ready', ...Array.from({ length: 300 }, (_, n) => ({ n })));
    await fixture.attemptsOf(endpoint.id, 300);
    for (const worker of workers) await worker.stop();
    expect(receiver.received).toHaveLength(300);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(300);
  });
});
