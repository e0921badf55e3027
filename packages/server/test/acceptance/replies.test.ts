import { describe, expect, test } from 'vitest';
import { forFile } from '../harness/index.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { createIntro, eventually, expectError } from './support/actions.ts';
import { openService } from './support/service.ts';

const receiver = await forFile(startReceiver());
const fixture = await forFile(openService());

const reply = (id: string, body?: object, key?: string) =>
  fixture.api.post(`/v1/test_helpers/intros/${id}/reply`, body, key === undefined ? {} : { key });
const retrieve = async (id: string) => (await fixture.api.get(`/v1/intros/${id}`)).body;
const timeline = async (id: string): Promise<{ type: string; detail: Record<string, unknown> | null }[]> =>
  (await fixture.api.get(`/v1/intros/${id}/timeline`)).body.data;

/** Arrange: as after a recording, without the time it takes to encode one. */
async function arrangeReady(): Promise<string> {
  const { id } = await createIntro(fixture.api);
  await fixture.database.sql`update intros
    set status = 'ready', recorded_at = now(), expires_at = now() + interval '30 days' where id = ${id}`;
  return id;
}

describe('POST /v1/test_helpers/intros/{id}/reply', () => {
  test('replies once: in the intro, the timeline and the message to the member', async () => {
    const id = await arrangeReady();
    const confirmed = await reply(id, undefined, 'reply:1');
    expect(confirmed).toMatchObject({
      status: 200,
      body: { status: 'sent', reply: { type: 'confirm', label: 'See you then', message: null } },
    });
    expect((await reply(id, undefined, 'reply:1')).body).toEqual(confirmed.body);
    expect((await reply(id)).body).toEqual(confirmed.body);
    const question = await reply(id, { type: 'question', message: 'Where do I park?' });
    expect(question.body).toMatchObject({
      version: confirmed.body.version + 1,
      reply: { type: 'question', message: 'Where do I park?' },
    });
    const later = await reply(id, { type: 'reschedule', message: 'Friday after 3' });
    expect(later.body.reply).toMatchObject({ type: 'reschedule', message: null, note: 'Friday after 3' });
    const replies = (await timeline(id)).filter(({ type }) => type === 'replied');
    expect(replies.map(({ detail }) => detail)).toEqual([
      { reply: 'confirm', label: 'See you then' },
      { reply: 'question', label: 'I have a question', message: 'Where do I park?' },
      { reply: 'reschedule', label: 'I need another time', note: 'Friday after 3' },
    ]);
    await eventually(
      () => fixture.database.sql`select status from all_messages where intro_id = ${id} and purpose = 'reply'`,
      (rows) => rows.length === 3 && rows.every(({ status }) => status !== 'scheduled' && status !== 'sending'),
    );
  });

  test('sends the webhook intro.replied with the reply', async () => {
    const id = await arrangeReady();
    await fixture.api.post('/v1/webhook_endpoints', { url: receiver.url, events: ['intro.replied'] });
    await reply(id, { type: 'reschedule' });
    await eventually(
      async () => receiver.received.map(({ body }) => JSON.parse(body)),
      (payloads) =>
        payloads.some(
          ({ type, data }) => type === 'intro.replied' && data.id === id && data.reply.type === 'reschedule',
        ),
    );
  });

  test('refuses what a recipient cannot do, and changes nothing', async () => {
    const requested = await createIntro(fixture.api);
    expectError(await reply(requested.id), 409, 'intro_not_ready');
    const id = await arrangeReady();
    const before = await retrieve(id);
    for (const body of [{ type: 'question' }, { message: 'Hi' }, { type: 'question', message: '' }, { type: 'no' }]) {
      expect(await reply(id, body)).toMatchObject({ status: 422, body: { error: { code: 'validation_failed' } } });
    }
    expect(await retrieve(id)).toEqual(before);
    await fixture.api.post(`/v1/intros/${id}/cancel`);
    expectError(await reply(id), 409, 'intro_closed');
  });
});
