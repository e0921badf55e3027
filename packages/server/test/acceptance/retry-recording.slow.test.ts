import fs from 'node:fs/promises';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { forFile } from '../harness/index.ts';
import { createIntro, expectError } from './support/actions.ts';
import { openPhone, untilIntro, untilRecording } from './support/recorder.ts';
import { openService } from './support/service.ts';

const CLIP = path.join(import.meta.dirname, '../../src/recordings/media/clip.mp4');

vi.setConfig({ testTimeout: 120_000 });

const fixture = await forFile(openService());

const retry = (id: string, key?: string) =>
  fixture.api.post(`/v1/intros/${id}/retry_recording`, undefined, key === undefined ? {} : { key });

test('a rejected take is processed again, once per key, and its refusal disappears meanwhile', async () => {
  const intro = await createIntro(fixture.api);
  const phone = await openPhone(fixture, intro.id);
  await phone.send(Buffer.from('no video'.repeat(50)));
  await untilRecording(phone, 'refused');
  const first = await retry(intro.id, 'retry:1');
  expect(first).toMatchObject({ status: 202, body: { id: intro.id, status: 'requested' } });
  // Still no video: rejected for the same reason, by a second look at the same file.
  const { recording } = await untilRecording(phone, 'refused');
  expect(recording.message).toMatch(/not a video/);
  expect((await retry(intro.id, 'retry:1')).headers.get('idempotent-replayed')).toBe('true');
});

test('nothing is processed again when the last take did not fail, or the intro is closed', async () => {
  const waiting = await createIntro(fixture.api);
  expectError(await retry(waiting.id), 409, 'recording_not_failed');
  const phone = await openPhone(fixture, waiting.id);
  await phone.send(await fs.readFile(CLIP));
  await untilIntro(fixture, waiting.id, 'ready');
  expectError(await retry(waiting.id), 409, 'recording_not_failed');
  const cancelled = await createIntro(fixture.api);
  await fixture.api.post(`/v1/intros/${cancelled.id}/cancel`);
  expectError(await retry(cancelled.id), 409, 'intro_closed');
  expectError(await retry('int_01kahzv8e1f0rtx5m2q6n9d3bw'), 404, 'not_found');
});

test('a member can try again when the service failed, but not when the file is no video', async () => {
  const intro = await createIntro(fixture.api);
  const phone = await openPhone(fixture, intro.id);
  await phone.send(Buffer.from('no video'.repeat(50)));
  expect((await untilRecording(phone, 'refused')).recording.retryable).toBe(false);
  await fixture.database.query("update recordings set refusal_code = 'processing_failed' where intro_id = $1", [
    intro.id,
  ]);
  expect((await phone.state()).recording.retryable).toBe(true);
  expect((await phone.request('POST', `${phone.url}/retry`)).status).toBe(204);
  await untilRecording(phone, 'refused');
  const closed = await createIntro(fixture.api);
  const other = await openPhone(fixture, closed.id);
  expect((await other.request('POST', `${other.url}/retry`)).status).toBe(409);
});
