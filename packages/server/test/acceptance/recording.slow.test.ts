import { once } from 'node:events';
import fs from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { forewordProgram, forFile, type Reply } from '../harness/index.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { createIntro, eventually, expectError, introOfEvent } from './support/actions.ts';
import { openPhone, untilIntro, untilRecording } from './support/recorder.ts';
import { openService, type ServiceFixture } from './support/service.ts';

const CLIP = path.join(import.meta.dirname, '../../src/recordings/media/clip.mp4');
const NO_VIDEO = Buffer.from('<html>this is not a video</html>'.repeat(50));

const fixture = await forFile(openService());
const receiver = await forFile(startReceiver());
const clip = await fs.readFile(CLIP);
// With delivery by the integration, a ready intro stays ready.
const kickoff = ['--org', fixture.organization.id, 'project_kickoff', '--delivery', 'integration'];
await fixture.run('touchpoint', 'set', ...kickoff);
expect((await fixture.api.post('/v1/webhook_endpoints', { url: receiver.url, events: ['intro.*'] })).status).toBe(201);

const introNow = async (id: string) => (await fixture.api.get(`/v1/intros/${id}`)).body;
const onService = (url: string) => fetch(fixture.service.url + new URL(url).pathname);
const sourceOf = (html: string) => /src="([^"]*\.mp4)"/.exec(html)?.[1] ?? '';
const videoOf = async (pageUrl: string) => sourceOf(await (await onService(pageUrl)).text());
const retry = (id: string, key?: string) =>
  fixture.api.post(`/v1/intros/${id}/retry_recording`, undefined, key === undefined ? {} : { key });

const RECORD = (id: string) => `/v1/test_helpers/intros/${id}/record`;
const record = (id: string, options?: Parameters<ServiceFixture['api']['post']>[2]) =>
  fixture.api.post(RECORD(id), undefined, options);
const recordBody = (id: string, type: string, body: Buffer, key = `${type}:${body.length}:${id}`) =>
  fixture.api.raw('POST', RECORD(id), { headers: { 'idempotency-key': key, 'content-type': type }, body });

/** Sends only the headers with the length of the body, and waits for the response. */
async function sendLength(to: string, type: string, bytes: number): Promise<Pick<Reply, 'status' | 'body'>> {
  const request = http.request(fixture.service.url + to, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${fixture.organization.key}`,
      'idempotency-key': `length:${to}`,
      'content-type': type,
      'content-length': bytes,
    },
  });
  request.flushHeaders();
  const [response] = await once(request, 'response');
  const body = await json(response);
  request.on('error', () => undefined).destroy();
  return { status: response.statusCode, body };
}

const webhooksOf = (id: string): { type: string; data: object }[] =>
  receiver.received.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.id === id);
const webhook = (type: string, id: string) => eventually(() => webhooksOf(id).find((one) => one.type === type));

test('a take makes the intro ready with a link that shows the video, until it is sent; webhooks contain the intro as the API returns it', async () => {
  const intro = await introOfEvent(fixture.api);
  expect([intro.delivery.recipient_url, intro.media]).toEqual([null, null]);
  expect((await webhook('intro.requested', intro.id))?.data).toEqual(intro);
  const phone = await openPhone(fixture, intro.id);
  await phone.send(clip);
  const state = await untilRecording(phone, 'ready');
  const ready = await introNow(intro.id);
  expect(ready).toMatchObject({ status: 'ready', version: intro.version + 1 });
  expect((Date.parse(ready.expires_at) - Date.parse(ready.recorded_at)) / 86_400_000).toBe(30);
  expect(ready.delivery.recipient_url).toMatch(/\/i\/[0-9A-Za-z]{12}$/);
  expect(state.intro).toMatchObject({ status: 'ready', recipient_url: ready.delivery.recipient_url });
  const file = await fetch(new URL(await videoOf(ready.delivery.recipient_url), fixture.service.url));
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'video/mp4']);
  expect((await file.bytes()).length).toBeGreaterThan(10_000);
  expect((await webhook('intro.ready', intro.id))?.data).toEqual(ready);

  const { body: sent } = await fixture.api.post(`/v1/intros/${intro.id}/mark_sent`, undefined, { key: 'sent:1' });
  expect((await webhook('intro.sent', intro.id))?.data).toEqual(sent);
  // A repeated mark_sent and a cancel without effect publish nothing, and a repeat has the same media.
  const again = await fixture.api.post(`/v1/intros/${intro.id}/mark_sent`, undefined, { key: 'sent:1' });
  expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', sent]);
  await fixture.api.post(`/v1/intros/${intro.id}/cancel`);
  expect((await phone.page()).status).toBe(200);
  expect((await phone.state()).intro.status).toBe('sent');
  const answer = await phone.request('POST', `${phone.url}/uploads`, { 'upload-length': '10' });
  expect([answer.status, await answer.json()]).toEqual([410, { closed: 'sent' }]);
  const other = await createIntro(fixture.api);
  await fixture.api.post(`/v1/intros/${other.id}/cancel`);
  await webhook('intro.cancelled', other.id);
  expect(webhooksOf(intro.id).map(({ type }) => type)).toEqual(['intro.requested', 'intro.ready', 'intro.sent']);
});

test('a take that is not a video is rejected with a message to the member, and can be processed again', async () => {
  const intro = await createIntro(fixture.api);
  expectError(await retry(intro.id), 409, 'recording_not_failed');
  const phone = await openPhone(fixture, intro.id);
  expect((await phone.request('POST', `${phone.url}/retry`)).status).toBe(409);
  await phone.send(NO_VIDEO);
  const { recording } = await untilRecording(phone, 'refused');
  expect(recording).toMatchObject({ message: expect.stringMatching(/not a video/), retryable: false });
  expect(await introNow(intro.id)).toEqual(intro);
  const first = await retry(intro.id, 'retry:1');
  expect(first).toMatchObject({ status: 202, body: { id: intro.id, status: 'requested' } });
  // Still no video: rejected for the same reason, by a second look at the same file.
  expect((await untilRecording(phone, 'refused')).recording.message).toMatch(/not a video/);
  expect((await retry(intro.id, 'retry:1')).headers.get('idempotent-replayed')).toBe('true');
  await fixture.database.sql`update recordings set refusal_code = 'processing_failed' where intro_id = ${intro.id}`;
  expect((await phone.state()).recording.retryable).toBe(true);
  expect((await phone.request('POST', `${phone.url}/retry`)).status).toBe(204);
  await untilRecording(phone, 'refused');
  await fixture.api.post(`/v1/intros/${intro.id}/cancel`);
  expectError(await retry(intro.id), 409, 'intro_closed');
});

test('a failed recording of the test helper leaves the intro as it is, and a retry of the take makes it ready', async () => {
  const before = await createIntro(fixture.api);
  const failed = await fixture.api.post(`/v1/test_helpers/intros/${before.id}/fail`, {
    ...{ step: 'recording', code: 'too_long' },
  });
  expect([failed.status, failed.body]).toEqual([200, before]);
  const { data } = (await fixture.api.get(`/v1/intros/${before.id}/timeline`)).body;
  expect(data.find(({ type }: { type: string }) => type === 'recording_refused')?.detail).toMatchObject({
    code: 'too_long',
  });
  expect((await retry(before.id)).status).toBe(202);
  expect((await untilIntro(fixture, before.id, 'ready')).recorded_at).not.toBeNull();
  expectError(await retry(before.id), 409, 'recording_not_failed');
});

describe('a recorded intro', async () => {
  const { id } = await createIntro(fixture.api);
  expect((await recordBody(id, 'video/mp4', clip)).status).toBe(202);
  const ready = await untilIntro(fixture, id, 'ready');
  const { media, delivery } = ready;
  const typeOf = async (url: string) => (await onService(url)).headers.get('content-type');

  test('has pictures, its length and a text to share, and loading them does not count as opening', async () => {
    expect(media.page_url).toBe(delivery.recipient_url);
    expect(media.duration_seconds).toBeGreaterThan(1);
    expect(media.share_text).toBe(`Ana from Acme Roofing recorded a short video for you: ${delivery.recipient_url}`);
    expect(await typeOf(media.poster_url)).toBe('image/jpeg');
    await eventually(async () => (await typeOf(media.preview_url)) === 'image/webp');
    expect(await introNow(id)).toMatchObject({ status: 'ready', opened_at: null, media });
  });

  test('can be previewed before it is sent, and previews are not counted', async () => {
    const preview = await fetch(`${(await openPhone(fixture, id)).url}/preview`);
    expect(preview.status).toBe(200);
    expect(preview.headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
    expect(await preview.text()).toContain('.mp4');
    expect(await introNow(id)).toEqual(ready);
  });

  test('gets a new video from another take, with the same link', async () => {
    const before = await videoOf(delivery.recipient_url);
    expect((await record(id)).status).toBe(202);
    const second = await eventually(
      () => introNow(id),
      ({ version }) => version > ready.version,
    );
    expect(second).toMatchObject({ status: 'ready', delivery });
    expect(await videoOf(delivery.recipient_url)).not.toBe(before);
  });

  test('has no media once it is cancelled, and its links, pictures and video stop working', async () => {
    const phone = await openPhone(fixture, id);
    const video = new URL(await videoOf(media.page_url), fixture.service.url);
    const { body } = await fixture.api.post(`/v1/intros/${id}/cancel`);
    expect(body).toMatchObject({ status: 'cancelled', media: null });
    for (const url of [media.page_url, media.poster_url, media.preview_url, video.href])
      expect((await onService(url)).status).toBe(410);
    expect((await phone.page()).status).toBe(410);
  });
});

test('cancelling during processing takes precedence: the intro never becomes ready', async () => {
  const intro = await createIntro(fixture.api);
  await (await openPhone(fixture, intro.id)).send(clip);
  await fixture.api.post(`/v1/intros/${intro.id}/cancel`);
  await eventually(
    () => fixture.database.sql<{ status: string }>`select status from recordings where intro_id = ${intro.id}`,
    ([row]) => row?.status === 'discarded',
  );
  expect(await introNow(intro.id)).toMatchObject({ status: 'cancelled', delivery: { recipient_url: null } });
});

describe('POST /v1/test_helpers/intros/{id}/record', () => {
  test('returns 202 with the intro still requested, once per key, and 409 for another video', async () => {
    const intro = await createIntro(fixture.api);
    const key = `again:${intro.id}`;
    const first = await record(intro.id, { key });
    expect(first).toMatchObject({ status: 202, body: intro });
    const second = await record(intro.id, { key });
    expect(second).toMatchObject({ status: 202, body: first.body });
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await fixture.database.sql`select id from recordings where intro_id = ${intro.id}`).toHaveLength(1);
    expectError(await recordBody(intro.id, 'video/mp4', clip, key), 409, 'idempotency_conflict');
  });

  test.each(['sent', 'cancelled', 'expired'])('is 409 intro_closed for an intro that is %s', async (status) => {
    const intro = await createIntro(fixture.api);
    await fixture.database.sql`update intros set status = ${status} where id = ${intro.id}`;
    expectError(await record(intro.id), 409, 'intro_closed');
  });

  test('rejects other types with 415, large bodies with 413 and an empty video with 422', async () => {
    const { id } = await createIntro(fixture.api);
    const picture = await recordBody(id, 'image/png', Buffer.alloc(1_000, 1));
    expectError(picture, 415, 'unsupported_media_type');
    expect(picture.body.error.message).toContain('video/mp4, video/webm');
    const largeVideo = await sendLength(RECORD(id), 'video/mp4', 20_000_001);
    expectError(largeVideo, 413, 'payload_too_large');
    expect(largeVideo.body.error.message).toBe('The body is larger than 20 MB.');
    const largeJson = await recordBody(id, 'application/json', Buffer.from(`{"a":"${'a'.repeat(65_536)}"}`));
    expectError(largeJson, 413, 'payload_too_large');
    expect(largeJson.body.error.message).toBe('The body is larger than 64 KiB.');
    expectError(await recordBody(id, 'video/webm', Buffer.alloc(0)), 422, 'validation_failed', 'body');
    expectError(await fixture.api.post(RECORD(id), { clip: 'mine' }), 422, 'validation_failed', 'clip');
    expectError(await recordBody(id, 'text/plain', Buffer.from('not JSON')), 415, 'unsupported_media_type');
    expect(await fixture.database.sql`select id from recordings where intro_id = ${id}`).toEqual([]);
  });
});

test('foreword intro record uses a file, and the running service processes it', async () => {
  const { id } = await createIntro(fixture.api);
  const shown = await forewordProgram(fixture.environment, 'intro', 'record', id, CLIP);
  expect(shown).toMatchObject({ id, object: 'intro' });
  await untilIntro(fixture, id, 'ready');
});
