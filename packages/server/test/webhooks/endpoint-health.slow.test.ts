import { afterEach, describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { hang, status } from './receiver.ts';
import { openFixture } from './webhook-fixture.ts';

const DAY_MS = 86_400_000;

const fixture = await forFile(openFixture());
afterEach(() => fixture.stopAll());

describe('an endpoint', () => {
  test('that responds with 410 is disabled, and a replay sends what it missed until it was turned on again', async () => {
    const disabled: string[] = [];
    const running = fixture.startSender({
      onDisabled: async (_tx, endpoint, reason) => void disabled.push(`${endpoint.id} ${reason}`),
    });
    const { receiver, tenant, endpoint } = await fixture.newTarget(status(410));
    await fixture.publish(tenant, 'intro.ready', {});
    const retrieve = () => fixture.use('retrieveWebhookEndpoint', { ...tenant, by: null }, { params: endpoint });
    await expect.poll(retrieve).toMatchObject({ active: false, disabled_reason: 'gone' });
    await fixture.publish(tenant, 'intro.sent', {});
    await running.stop();
    expect(disabled).toEqual([`${endpoint.id} gone`]);
    expect(receiver.received).toHaveLength(1);

    receiver.answerWith(status(200));
    const change = { ...tenant, by: null };
    await fixture.use('updateWebhookEndpoint', change, { params: endpoint, body: { active: true } });
    const since = new Date(fixture.clock().getTime() - DAY_MS).toISOString();
    const replay = await fixture.use('replayWebhooks', change, { params: endpoint, body: { since } });
    expect(replay.messages).toBe(2);
    fixture.startSender();
    await receiver.until(3);
    const types = receiver.received.slice(1).map(({ body }) => JSON.parse(body).type);
    expect(types.sort()).toEqual(['intro.ready', 'intro.sent']);
  });

  test('whose URL was changed before the old one responded with 410 stays enabled', async () => {
    const running = fixture.startSender();
    let answer: (() => void) | undefined;
    const old = await fixture.startReceiver((response) => {
      answer = () => response.writeHead(410).end();
    });
    const receiver = await fixture.startReceiver(status(200));
    const tenant = await fixture.newTenant();
    const endpoint = await fixture.newEndpoint(tenant, { url: old.url });
    await fixture.publish(tenant, 'intro.ready', {});
    await expect.poll(() => answer !== undefined).toBe(true);
    await fixture.use(
      'updateWebhookEndpoint',
      { ...tenant, by: null },
      { params: endpoint, body: { url: receiver.url } },
    );
    answer?.();
    await fixture.attemptsOf(endpoint.id, 1);
    await fixture.publish(tenant, 'intro.ready', {});
    await fixture.attemptsOf(endpoint.id, 2);
    await running.stop();
    expect(receiver.received).toHaveLength(1);
    const found = await fixture.use('retrieveWebhookEndpoint', { ...tenant, by: null }, { params: endpoint });
    expect(found).toMatchObject({ active: true, failing_since: null });
  });

  test('is disabled after five days without a success, and not before', async () => {
    const disabled: string[] = [];
    fixture.startSender({ onDisabled: async (_tx, _endpoint, reason) => void disabled.push(reason) });
    const { receiver, tenant, endpoint } = await fixture.newTarget(status(500));
    const fail = async (attempts: number) => {
      await fixture.publish(tenant, 'intro.ready', {});
      await fixture.attemptsOf(endpoint.id, attempts);
    };
    const retrieve = () => fixture.use('retrieveWebhookEndpoint', { ...tenant, by: null }, { params: endpoint });
    const cancelRetries = () =>
      fixture.database.sql`update webhook_deliveries set due_at = null, status = 'failed'
        where endpoint_id = ${endpoint.id}`;
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
    await expect.poll(retrieve).toMatchObject({ active: false, disabled_reason: 'failing' });
    expect(disabled).toEqual(['failing']);
  });

  test('that hangs or refuses connections does not delay a hundred others', async () => {
    fixture.startSender();
    const dead = await fixture.startReceiver(hang);
    const tenants = await Promise.all(Array.from({ length: 10 }, () => fixture.newTenant()));
    const others = await Promise.all(Array.from({ length: 10 }, () => fixture.startReceiver()));
    for (const tenant of tenants) {
      for (const { url } of others) await fixture.newEndpoint(tenant, { url });
    }
    const [first] = tenants;
    if (first === undefined) throw new Error('no tenant');
    await fixture.newEndpoint(first, { url: dead.url });
    await fixture.newEndpoint(first, { url: 'http://127.0.0.1:1/gone' });
    // First a backlog of 200 messages for each dead endpoint, then ten messages for every endpoint.
    await fixture.publish(first, 'intro.ready', ...Array.from({ length: 200 }, (_, n) => ({ n })));
    await Promise.all(
      tenants.map((tenant) => fixture.publish(tenant, 'intro.sent', ...Array.from({ length: 10 }, () => ({})))),
    );
    await Promise.all(others.map((receiver) => receiver.until(300)));
    // Its timeouts for 200 messages take much longer than a test may.
    expect(dead.received.length).toBeLessThan(200);
  });

  test('that hangs, one of twenty of an organization, delays no webhook of another organization', async () => {
    fixture.startSender({ timeoutMs: 120_000 });
    const receiver = await fixture.startReceiver();
    const [hanging, other] = [await fixture.newTenant(), await fixture.newTenant()];
    for (let n = 0; n < 20; n++) await fixture.newEndpoint(hanging, { url: `${receiver.url}/${n}` });
    // Each has success first, so that it gets its most slots.
    await fixture.publish(hanging, 'intro.ready', ...Array.from({ length: 20 }, () => ({})));
    await receiver.until(400);
    const held = () => receiver.received.length - 400;
    receiver.answerWith(hang);
    await fixture.publish(hanging, 'intro.ready', ...Array.from({ length: 40 }, () => ({})));
    await expect.poll(held).toBe(20 * 16);
    const healthy = await fixture.startReceiver();
    await fixture.newEndpoint(other, { url: healthy.url });
    await fixture.publish(other, 'intro.ready', ...Array.from({ length: 100 }, () => ({})));
    await healthy.until(100);
    // Nothing of the other organization was sent instead.
    expect(held()).toBe(20 * 16);
  });
});
