import { symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '../../src/platform/log.ts';
import { createEncoder, type Encoder } from '../../src/recordings/media/index.ts';
import { ROOM } from '../../src/recordings/media/room.ts';
import { MAX_ATTEMPTS } from '../../src/recordings/rules.ts';
import { makeFolder, makeSample } from '../media/studio.ts';
import type { Scene } from '../pages/stage.ts';
import { openStage, type Stage, tenantOf } from './stage.ts';

const REQUESTED: Scene = { status: 'requested', video: null };
const HOUR_MS = 3_600_000;
/** More often than a take is tried that is at fault itself. */
const OFTEN = 8;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

test('a store without room says nothing about a take: no attempt counts, and it is made once there is room', async () => {
  const intro = await stage.pages.show(REQUESTED);
  const id = await stage.receive(intro);
  stage.setRoom(false);
  for (let attempt = 0; attempt < OFTEN; attempt++) {
    await stage.processor().process(tenantOf(intro), id);
    expect(await stage.recording(id)).toMatchObject({ status: 'uploaded', attempts: 0, refusal_code: null });
    expect(await stage.pages.intro(intro.id)).toMatchObject({ status: 'requested', recording_id: null });
    stage.pass(HOUR_MS);
    expect(await stage.sweep()).toBe(1);
  }
  stage.setRoom(true);
  await stage.processor().process(tenantOf(intro), id);
  expect(await stage.recording(id)).toMatchObject({ status: 'ready', has_preview: true });
  expect(await stage.pages.intro(intro.id)).toMatchObject({ status: 'ready', recording_id: id });
}, 90_000);

test('a full disk under the encoder says nothing about a take either, whatever the encoder makes of it', async () => {
  const intro = await stage.pages.show(REQUESTED);
  const id = await stage.receive(intro);
  // Whatever is written to this device meets a full disk, for every user.
  const cramped: Encoder = {
    ...stage.encoder,
    process(take) {
      for (const name of ['poster.jpg', ROOM]) symlinkSync('/dev/full', path.join(take.into, name));
      return stage.encoder.process(take);
    },
  };
  for (let attempt = 0; attempt <= MAX_ATTEMPTS; attempt++) {
    await stage.processor(cramped).process(tenantOf(intro), id);
    expect(await stage.recording(id)).toMatchObject({ status: 'uploaded', attempts: 0, refusal_code: null });
    stage.pass(HOUR_MS);
    expect(await stage.sweep()).toBe(1);
  }
  await stage.processor().process(tenantOf(intro), id);
  expect(await stage.recording(id)).toMatchObject({ status: 'ready', refusal_code: null });
  expect(await stage.pages.intro(intro.id)).toMatchObject({ status: 'ready', recording_id: id });
}, 90_000);

test('a take that needs more memory than an encoder may have is refused in the end, and not tried for ever', async () => {
  const folder = await makeFolder();
  const large = await readFile(await makeSample(folder, { size: '4096x2304', rate: 15 }));
  const intro = await stage.pages.show(REQUESTED);
  const id = await stage.receive(intro, large);
  // Enough for Node and its libraries, and for a clip.
  const limits = { niceness: 0, memoryBytes: 900_000_000 };
  const bound = createEncoder({ ffmpegPath: 'off', log: createLogger('silent'), limits });
  let attempts = 0;
  do {
    attempts += 1;
    await stage.processor(bound).process(tenantOf(intro), id);
    stage.pass(HOUR_MS);
  } while ((await stage.sweep()) > 0 && attempts < OFTEN);
  expect(attempts).toBeLessThanOrEqual(MAX_ATTEMPTS);
  expect(await stage.recording(id)).toMatchObject({ status: 'refused' });
  expect(await stage.pages.intro(intro.id)).toMatchObject({ status: 'requested', recording_id: null });
  const clip = await stage.receive(intro);
  await stage.processor(bound).process(tenantOf(intro), clip);
  expect(await stage.recording(clip)).toMatchObject({ status: 'ready' });
}, 180_000);

test('a fault that stays counts: after five attempts the member is told, and the intro waits for another take', async () => {
  const intro = await stage.pages.show(REQUESTED);
  const id = await stage.receive(intro);
  const broken: Encoder = {
    ...stage.encoder,
    process: () => Promise.reject(new Error('the media child ended with 139')),
  };
  for (let attempt = 1; attempt < 5; attempt++) {
    await stage.processor(broken).process(tenantOf(intro), id);
    expect(await stage.recording(id)).toMatchObject({ status: 'uploaded', attempts: attempt });
    stage.pass(HOUR_MS);
    expect(await stage.sweep()).toBe(1);
  }
  await stage.processor(broken).process(tenantOf(intro), id);
  expect(await stage.recording(id)).toMatchObject({ status: 'refused', refusal_code: 'processing_failed' });
  expect(await stage.pages.intro(intro.id)).toMatchObject({ status: 'requested', recording_id: null });
});
