import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { type Api, forFile } from '../harness/index.ts';
import { startReceiver, status } from '../webhooks/receiver.ts';
import { createIntro, eventually, expectError, introOfEvent } from './support/actions.ts';
import { openService } from './support/service.ts';

const PATH = '/v1/webhook_endpoints';
const SECRET = /^whsec_[A-Za-z0-9+/]{43}=$/;

const fixture = await forFile(openService());
const receiver = await forFile(startReceiver(status(200, 'thanks')));

async function newEndpoint(api: Api = fixture.api, changes: object = {}) {
  const { status, body } = await api.post(PATH, { url: receiver.url, events: ['*'], ...changes });
  expect(status).toBe(201);
  return body;
}

const arrival = (id: string) =>
  eventually(
    async () => receiver.received.filter(({ headers }) => headers['webhook-id'] === id),
    (found) => found.length > 0,
  );

describe('a test event', () => {
  test('appears in the attempts', async () => {
    const { id } = await newEndpoint();
    const sent = await fixture.api.post(`${PATH}/${id}/test`);
    const attempts = await eventually(async () => (await fixture.api.get(`${PATH}/${id}/attempts`)).body.data, {
      length: 1,
    });
    expect(attempts).toEqual([
      {
        id: expect.stringMatching(/^att_/),
        object: 'webhook_attempt',
        message: sent.body.id,
        type: 'webhook.test',
        succeeded: true,
        status: 200,
        error: null,
        duration_ms: expect.any(Number),
        answer: 'thanks',
        next_attempt_at: null,
        environment: 'test',
        created_at: expect.any(String),
      },
    ]);
  });

  test('is sent again by a replay, with the same ID', async () => {
    const { id } = await newEndpoint();
    const { body } = await fixture.api.post(`${PATH}/${id}/test`);
    await arrival(body.id);
    await eventually(async () => (await fixture.api.get(`${PATH}/${id}/attempts`)).body.data, { length: 1 });
    const replay = await fixture.api.post(`${PATH}/${id}/replay`, { message: body.id });
    expect([replay.status, replay.body.messages]).toEqual([202, 1]);
    await eventually(() => receiver.received.filter(({ headers }) => headers['webhook-id'] === body.id).length === 2);
  });

  test('has both signatures after a rotation, and repeating the key does not rotate again', async () => {
    const { id, secret } = await newEndpoint();
    const rotate = () => fixture.api.post(`${PATH}/${id}/rotate_secret`, undefined, { key: `rotate:${id}` });
    const rotated = await rotate();
    expect(rotated.body.secret).toMatch(SECRET);
    expect(rotated.body.secret).not.toBe(secret);
    expect((await rotate()).body).toEqual(rotated.body);
    const { body } = await fixture.api.post(`${PATH}/${id}/test`);
    const [first] = await arrival(body.id);
    for (const one of [secret, rotated.body.secret]) {
      expect(new Webhook(one).verify(first?.body ?? '', first?.headers ?? {})).toMatchObject({ type: 'webhook.test' });
    }
  });

  test('is rejected for a disabled endpoint, such as one that responded with 410', async () => {
    const { id } = await newEndpoint();
    receiver.answerWith(status(410));
    await fixture.api.post(`${PATH}/${id}/test`);
    const gone = await eventually(async () => (await fixture.api.get(`${PATH}/${id}`)).body, { active: false });
    receiver.answerWith(status(200, 'thanks'));
    expect(gone.disabled_reason).toBe('gone');
    expectError(await fixture.api.post(`${PATH}/${id}/test`), 409, 'webhook_endpoint_inactive');
    const since = { since: '2020-01-01T00:00:00Z' };
    expectError(await fixture.api.post(`${PATH}/${id}/replay`, since), 409, 'webhook_endpoint_inactive');
    const back = await fixture.api.post(`${PATH}/${id}`, { active: true });
    expect(back.body).toMatchObject({ active: true, disabled_reason: null, failing_since: null });
    expect((await fixture.api.post(`${PATH}/${id}/replay`, since)).body.messages).toBe(1);
  });
});

describe('events contain the object as the API returns it', () => {
  interface WebhookBody {
    readonly type: string;
    readonly data: { readonly id: string };
  }

  const find = (type: string, id: string) =>
    eventually(async () =>
      receiver.received
        .map(({ body }) => JSON.parse(body) as WebhookBody)
        .find((webhook) => webhook.type === type && webhook.data.id === id),
    );

  test('when an event is processed and creates an intro', async () => {
    const { api } = await fixture.newOrganization();
    await newEndpoint(api);
    const intro = await introOfEvent(api);
    expect((await find('intro.requested', intro.id))?.data).toEqual(intro);
    const [processed] = receiver.received
      .map(({ body }) => JSON.parse(body))
      .filter(({ type, data }) => type === 'touchpoint_event.processed' && data.intro === intro.id);
    expect(processed.data).toEqual((await api.get(`/v1/events/${processed.data.id}`)).body);
  });

  test('when an intro expires, with its new version', async () => {
    const { api } = await fixture.newOrganization();
    await newEndpoint(api, { events: ['intro.expired'] });
    const { id } = await createIntro(api);
    await fixture.database.sql`update intros set expires_at = now() - interval '1 second' where id = ${id}`;
    const expired = await find('intro.expired', id);
    expect(expired?.data).toEqual((await api.get(`/v1/intros/${id}`)).body);
  });
});
