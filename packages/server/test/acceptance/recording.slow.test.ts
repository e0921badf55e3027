import { once } from 'node:events';
import fs from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { describe, expect, test, vi } from 'vitest';
import { forewordProgram, forFile, type Reply } from '../harness/index.ts';
import { createIntro, eventually, expectError, introOfEvent } from './support/actions.ts';
import { openPhone, untilIntro, untilRecording } from './support/recorder.ts';
import { openService, type ServiceFixture } from './support/service.ts';

const CLIP = path.join(import.meta.dirname, '../../src/recordings/media/clip.mp4');

// The encoder runs at a low priority.
vi.setConfig({ testTimeout: 120_000 });

const fixture = await forFile(openService());
// With delivery by the integration, a ready intro stays ready.
const kickoff = ['--org', fixture.organization.id, 'project_kickoff', '--delivery', 'integration'];
await fixture.run('touchpoint', 'set', ...kickoff);
const clip = await fs.readFile(CLIP);

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

const introNow = async (id: string) => (await fixture.api.get(`/v1/intros/${id}`)).body;
const onService = (url: string) => fixture.service.url + new URL(url).pathname;
const record = (id: string, options?: Parameters<ServiceFixture['api']['post']>[2]) =>
  fixture.api.post(`/v1/test_helpers/intros/${id}/record`, undefined, options);

async function recorded(changes: object = {}) {
  const intro = await createIntro(fixture.api, changes);
  expect((await record(intro.id)).status).toBe(202);
  return untilIntro(fixture, intro.id, 'ready');
}

describe('a take', () => {
  test('moves the intro from requested to ready with a recipient_url, and the page shows it', async () => {
    const intro = await introOfEvent(fixture.api);
    expect(intro.delivery.recipient_url).toBeNull();
    const phone = await openPhone(fixture, intro.id);
    await phone.send(clip);
    const state = await untilRecording(phone, 'ready');
    const ready = await introNow(intro.id);
    expect(ready).toMatchObject({ status: 'ready', version: intro.version + 1 });
    expect(Date.parse(ready.recorded_at)).toBeGreaterThan(Date.parse(intro.created_at));
    expect(ready.delivery.recipient_url).toMatch(/\/i\/[0-9A-Za-z]{12}$/);
    expect(state.intro).toMatchObject({ status: 'ready', recipient_url: ready.delivery.recipient_url });
    const page = await fetch(onService(ready.delivery.recipient_url));
    expect(page.status).toBe(200);
    const [, video = ''] = /src="([^"]*\.mp4)"/.exec(await page.text()) ?? [];
    const file = await fetch(new URL(video, fixture.service.url));
    expect(file.status).toBe(200);
    expect(file.headers.get('content-type')).toBe('video/mp4');
    expect((await file.bytes()).length).toBeGreaterThan(10_000);
  });

  test('gives the intro thirty days to be sent', async () => {
    const ready = await recorded();
    const days = (Date.parse(ready.expires_at) - Date.parse(ready.recorded_at)) / 86_400_000;
    expect(days).toBe(30);
  });

  test('that is not a video is rejected with a message to the member, and the intro stays requested', async () => {
    const intro = await createIntro(fixture.api);
    const phone = await openPhone(fixture, intro.id);
    await phone.send(Buffer.from('<html>this is not a video</html>'.repeat(50)));
    const { recording } = await untilRecording(phone, 'refused');
    expect(recording.message).toMatch(/not a video/);
    expect(await introNow(intro.id)).toEqual(intro);
    await phone.send(clip);
    await untilIntro(fixture, intro.id, 'ready');
  });

  test('replaces an earlier one until the intro is sent, with the same link', async () => {
    const first = await recorded();
    const page = onService(first.delivery.recipient_url);
    const before = await (await fetch(page)).text();
    expect((await record(first.id)).status).toBe(202);
    const second = await eventually(
      () => introNow(first.id),
      (intro) => intro.version > first.version,
      60_000,
    );
    expect(second).toMatchObject({ status: 'ready', delivery: first.delivery });
    const sourceOf = (html: string) => /src="([^"]*\.mp4)"/.exec(html)?.[1];
    expect(sourceOf(await (await fetch(page)).text())).not.toBe(sourceOf(before));
  });

  test('is rejected after the intro was sent', async () => {
    const ready = await recorded();
    const phone = await openPhone(fixture, ready.id);
    await fixture.api.post(`/v1/intros/${ready.id}/mark_sent`);
    expect((await phone.page()).status).toBe(200);
    expect((await phone.state()).intro.status).toBe('sent');
    const answer = await phone.request('POST', `${phone.url}/uploads`, { 'upload-length': '10' });
    expect(answer.status).toBe(410);
    expect(await answer.json()).toEqual({ closed: 'sent' });
  });

  test('can be previewed before it is sent, and previews are not counted', async () => {
    const ready = await recorded();
    const phone = await openPhone(fixture, ready.id);
    const preview = await fetch(`${phone.url}/preview`);
    expect(preview.status).toBe(200);
    expect(preview.headers.get('content-security-policy')).toContain("frame-ancestors 'self'");
    expect(await preview.text()).toContain('.mp4');
    expect(await introNow(ready.id)).toEqual(ready);
  });
});

describe('cancelling', () => {
  test('a ready intro disables its links and its video', async () => {
    const ready = await recorded();
    const phone = await openPhone(fixture, ready.id);
    const page = onService(ready.delivery.recipient_url);
    const [, video = ''] = /src="([^"]*\.mp4)"/.exec(await (await fetch(page)).text()) ?? [];
    expect((await fixture.api.post(`/v1/intros/${ready.id}/cancel`)).body.status).toBe('cancelled');
    expect((await fetch(page)).status).toBe(410);
    expect((await fetch(new URL(video, fixture.service.url))).status).toBe(410);
    expect((await fetch(`${page}/poster.jpg`)).status).toBe(410);
    expect((await phone.page()).status).toBe(410);
  });

  test('during processing takes precedence: the intro never becomes ready', async () => {
    const intro = await createIntro(fixture.api);
    const phone = await openPhone(fixture, intro.id);
    await phone.send(clip);
    await fixture.api.post(`/v1/intros/${intro.id}/cancel`);
    await eventually(
      () => fixture.database.query<{ status: string }>('select status from recordings where intro_id = $1', [intro.id]),
      ([row]) => row?.status === 'discarded',
      60_000,
    );
    expect(await introNow(intro.id)).toMatchObject({ status: 'cancelled', delivery: { recipient_url: null } });
  });
});

describe('POST /v1/test_helpers/intros/{id}/record', () => {
  test('returns 202 with the intro still requested, and it becomes ready within seconds', async () => {
    const intro = await createIntro(fixture.api);
    const answer = await record(intro.id);
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual(intro);
    await untilIntro(fixture, intro.id, 'ready');
  });

  test('accepts a video as the body', async () => {
    const intro = await createIntro(fixture.api);
    const answer = await fixture.api.raw('POST', `/v1/test_helpers/intros/${intro.id}/record`, {
      headers: { 'idempotency-key': `clip:${intro.id}`, 'content-type': 'video/mp4' },
      body: clip,
    });
    expect(answer.status).toBe(202);
    await untilIntro(fixture, intro.id, 'ready');
  });

  test('leaves the intro requested if the video is invalid', async () => {
    const intro = await createIntro(fixture.api);
    const answer = await fixture.api.raw('POST', `/v1/test_helpers/intros/${intro.id}/record`, {
      headers: { 'idempotency-key': `broken:${intro.id}`, 'content-type': 'video/webm' },
      body: Buffer.from('not a video'),
    });
    expect(answer.status).toBe(202);
    await untilRecording(await openPhone(fixture, intro.id), 'refused');
    expect((await introNow(intro.id)).status).toBe('requested');
  });

  test('returns the original response for the same key, and 409 for another video', async () => {
    const intro = await createIntro(fixture.api);
    const key = `again:${intro.id}`;
    const first = await record(intro.id, { key });
    const second = await record(intro.id, { key });
    expect(second).toMatchObject({ status: 202, body: first.body });
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    const rows = await fixture.database.query('select id from recordings where intro_id = $1', [intro.id]);
    expect(rows).toHaveLength(1);
    const other = await fixture.api.raw('POST', `/v1/test_helpers/intros/${intro.id}/record`, {
      headers: { 'idempotency-key': key, 'content-type': 'video/mp4' },
      body: clip,
    });
    expectError(other, 409, 'idempotency_conflict');
  });

  test.each(['sent', 'cancelled', 'expired'])('is 409 intro_closed for an intro that is %s', async (status) => {
    const intro = await createIntro(fixture.api);
    await fixture.database.query('update intros set status = $2 where id = $1', [intro.id, status]);
    expectError(await record(intro.id), 409, 'intro_closed');
  });

  test('is 404 for an unknown intro and for one of another organization', async () => {
    expectError(await record('int_00000000000000000000000000'), 404, 'not_found');
    const other = await fixture.newOrganization();
    const theirs = await createIntro(other.api);
    expectError(await record(theirs.id), 404, 'not_found');
    expect((await other.api.get(`/v1/intros/${theirs.id}`)).body.status).toBe('requested');
  });

  test('rejects other types with 415, large bodies with 413 and an empty video with 422', async () => {
    const { id } = await createIntro(fixture.api);
    const send = (type: string, body: Buffer) =>
      fixture.api.raw('POST', `/v1/test_helpers/intros/${id}/record`, {
        headers: { 'idempotency-key': `${type}:${body.length}:${id}`, 'content-type': type },
        body,
      });
    const picture = await send('image/png', Buffer.alloc(1_000, 1));
    expectError(picture, 415, 'unsupported_media_type');
    expect(picture.body.error.message).toContain('video/mp4, video/webm');
    const largeVideo = await sendLength(`/v1/test_helpers/intros/${id}/record`, 'video/mp4', 20_000_001);
    expectError(largeVideo, 413, 'payload_too_large');
    expect(largeVideo.body.error.message).toBe('The body is larger than 20 MB.');
    const largeJson = await send('application/json', Buffer.from(`{"a":"${'a'.repeat(65_536)}"}`));
    expectError(largeJson, 413, 'payload_too_large');
    expect(largeJson.body.error.message).toBe('The body is larger than 64 KiB.');
    expectError(await send('video/webm', Buffer.alloc(0)), 422, 'validation_failed', 'body');
    expect(await fixture.database.query('select id from recordings where intro_id = $1', [id])).toEqual([]);
  });

  test('rejects a body with fields, and one that is neither JSON nor a video', async () => {
    const { id } = await createIntro(fixture.api);
    expectError(
      await fixture.api.post(`/v1/test_helpers/intros/${id}/record`, { clip: 'mine' }),
      422,
      'validation_failed',
      'clip',
    );
    const text = await fixture.api.raw('POST', `/v1/test_helpers/intros/${id}/record`, {
      headers: { 'idempotency-key': `text:${id}`, 'content-type': 'text/plain' },
      body: 'not JSON',
    });
    expectError(text, 415, 'unsupported_media_type');
    expect(await fixture.database.query('select id from recordings where intro_id = $1', [id])).toEqual([]);
  });
});

describe('foreword intro', () => {
  test('record uses the built-in clip or a file, and the running service processes it', async () => {
    const [one, other] = [await createIntro(fixture.api), await createIntro(fixture.api)];
    const run = (...args: string[]) => forewordProgram(fixture.environment, ...args);
    expect(await run('intro', 'record', one.id)).toMatchObject({ id: one.id, object: 'intro' });
    expect(await run('intro', 'record', other.id, CLIP)).toMatchObject({ id: other.id });
    for (const { id } of [one, other]) await untilIntro(fixture, id, 'ready');
    const { body: timeline } = await fixture.api.get(`/v1/intros/${one.id}/timeline`);
    const types = timeline.data.map((step: { type: string }) => step.type);
    expect(types[0]).toBe('asked');
    expect(types).toContain('recorded');
  });
});
