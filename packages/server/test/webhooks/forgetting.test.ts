import { afterAll, beforeAll, expect, it } from 'vitest';
import { deleteOldWebhooks } from '../../src/webhooks/index.ts';
import { startReceiver, status } from './receiver.ts';
import { openStage, type Stage } from './stage.ts';

const DAY_MS = 86_400_000;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage.close());

const counts = async () =>
  (
    await stage.database.query<{ messages: number; deliveries: number; attempts: number }>(
      `select (select count(*)::int from webhook_messages) as messages,
        (select count(*)::int from webhook_deliveries) as deliveries,
        (select count(*)::int from webhook_attempts) as attempts`,
    )
  )[0];

it('messages and attempts are kept for 30 days, and what still waits is kept however old it is', async () => {
  const receiver = await startReceiver(status(200));
  const [tenant, waiting] = [await stage.newTenant(), await stage.newTenant()];
  await stage.newEndpoint(tenant, { url: receiver.url });
  const sender = stage.startSender();
  await stage.tell(tenant, 'intro.ready', { n: 1 }, { n: 2 });
  await expect.poll(async () => (await counts())?.attempts).toBe(2);
  await sender.stop();
  await receiver.close();
  await stage.newEndpoint(waiting, { url: receiver.url });
  await stage.tell(waiting, 'intro.ready', { n: 3 });
  stage.advance(29 * DAY_MS);
  await deleteOldWebhooks(stage.db, stage.clock);
  expect(await counts()).toEqual({ messages: 3, deliveries: 3, attempts: 2 });
  stage.advance(2 * DAY_MS);
  await deleteOldWebhooks(stage.db, stage.clock);
  expect(await counts()).toEqual({ messages: 1, deliveries: 1, attempts: 0 });
});
