import { expect, test } from 'vitest';
import { sweepRetention } from '../../src/retention/index.ts';
import { forFile } from '../harness/index.ts';
import { startReceiver, status } from './receiver.ts';
import { openFixture } from './webhook-fixture.ts';

const DAY_MS = 86_400_000;

const fixture = await forFile(openFixture());

const counts = async () =>
  (
    await fixture.database.query<{ messages: number; deliveries: number; attempts: number }>(
      `select (select count(*)::int from webhook_messages) as messages,
        (select count(*)::int from webhook_deliveries) as deliveries,
        (select count(*)::int from webhook_attempts) as attempts`,
    )
  )[0];

test('messages and attempts are deleted after 30 days, except messages that are still pending', async () => {
  const receiver = await startReceiver(status(200));
  const [tenant, waiting] = [await fixture.newTenant(), await fixture.newTenant()];
  await fixture.newEndpoint(tenant, { url: receiver.url });
  const sender = fixture.startSender();
  await fixture.publish(tenant, 'intro.ready', { n: 1 }, { n: 2 });
  await expect.poll(async () => (await counts())?.attempts).toBe(2);
  await sender.stop();
  await receiver.close();
  await fixture.newEndpoint(waiting, { url: receiver.url });
  await fixture.publish(waiting, 'intro.ready', { n: 3 });
  fixture.advance(29 * DAY_MS);
  await sweepRetention(fixture, ['webhooks']);
  expect(await counts()).toEqual({ messages: 3, deliveries: 3, attempts: 2 });
  fixture.advance(2 * DAY_MS);
  await sweepRetention(fixture, ['webhooks']);
  expect(await counts()).toEqual({ messages: 1, deliveries: 1, attempts: 0 });
});
