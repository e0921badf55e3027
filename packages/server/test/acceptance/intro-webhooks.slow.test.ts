import { expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { startReceiver, status } from '../webhooks/receiver.ts';
import { createIntro, eventually } from './support/actions.ts';
import { openService } from './support/service.ts';

/** Encoding has a low priority, so it is slow next to other processes. */
const ENCODED_WITHIN_MS = 90_000;

interface WebhookBody {
  readonly type: string;
  readonly data: { readonly id: string };
}

const fixture = await forFile(openService());
const receiver = await forFile(startReceiver(status(200)));

const received = () => receiver.received.map(({ body }) => JSON.parse(body) as WebhookBody);

const find = (type: string, id: string) =>
  eventually(
    async () => received().find((webhook) => webhook.type === type && webhook.data.id === id),
    (found) => found !== undefined,
    ENCODED_WITHIN_MS,
  );

test('webhooks of an intro contain it as the API returns it when it is requested, recorded and sent', async () => {
  const { api } = fixture;
  expect((await api.post('/v1/webhook_endpoints', { url: receiver.url, events: ['intro.*'] })).status).toBe(201);
  const intro = await createIntro(api);
  expect((await find('intro.requested', intro.id))?.data).toEqual(intro);
  expect((await api.post(`/v1/test_helpers/intros/${intro.id}/record`)).status).toBe(202);
  const ready = await find('intro.ready', intro.id);
  expect(ready?.data).toEqual((await api.get(`/v1/intros/${intro.id}`)).body);
  const sent = (await api.post(`/v1/intros/${intro.id}/mark_sent`)).body;
  expect((await find('intro.sent', intro.id))?.data).toEqual(sent);
  // A repeated mark_sent and a cancel without effect publish nothing.
  await api.post(`/v1/intros/${intro.id}/mark_sent`);
  await api.post(`/v1/intros/${intro.id}/cancel`);
  const other = await createIntro(api);
  await api.post(`/v1/intros/${other.id}/cancel`);
  await find('intro.cancelled', other.id);
  const types = received().filter(({ data }) => data.id === intro.id);
  expect(types.map(({ type }) => type)).toEqual(['intro.requested', 'intro.ready', 'intro.sent']);
}, 120_000);
