import { symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLogger } from '../../src/platform/log.ts';
import { createEncoder, type Encoder } from '../../src/recordings/media/index.ts';
import { ROOM } from '../../src/recordings/media/room.ts';
import { MAX_ATTEMPTS } from '../../src/recordings/rules.ts';
import { makeFolder, makeSample } from '../media/studio.ts';
import type { PageSetup } from '../pages/page-fixture.ts';
import { openRecordings, type RecordingFixture, tenantOf } from './recording-fixture.ts';

const REQUESTED: PageSetup = { status: 'requested', video: null };
const HOUR_MS = 3_600_000;
/** More often than a take is tried that is at fault itself. */
const OFTEN = 8;

let fixture: RecordingFixture;
beforeAll(async () => {
  fixture = await openRecordings();
});
afterAll(() => fixture?.close());

test('a store without room says nothing about a take: no attempt counts, and it is made once there is room', async () => {
  const intro = await fixture.pages.createIntro(REQUESTED);
  const id = await fixture.receive(intro);
  fixture.setRoom(false);
  for (let attempt = 0; attempt < OFTEN; attempt++) {
    await fixture.processor().process(tenantOf(intro), id);
    expect(await fixture.recording(id)).toMatchObject({ status: 'uploaded', attempts: 0, refusal_code: null });
    expect(await fixture.pages.intro(intro.id)).toMatchObject({ status: 'requested', recording_id: null });
    fixture.pass(HOUR_MS);
    expect(await fixture.sweep()).toBe(1);
  }
  fixture.setRoom(true);
  await fixture.processor().process(tenantOf(intro), id);
  expect(await fixture.recording(id)).toMatchObject({ status: 'ready', has_preview: true });
  expect(await fixture.pages.intro(intro.id)).toMatchObject({ status: 'ready', recording_id: id });
}, 90_000);

test('a full disk under the encoder says nothing about a take either, whatever the encoder makes of it', async () => {
  const intro = await fixture.pages.createIntro(REQUESTED);
  const id = await fixture.receive(intro);
  // Whatever is written to this device meets a full disk, for every user.
  const cramped: Encoder = {
    ...fixture.encoder,
    process(take) {
      for (const name of ['poster.jpg', ROOM]) symlinkSync('/dev/full', path.join(take.into, name));
      return fixture.encoder.process(take);
    },
  };
  for (let attempt = 0; attempt <= MAX_ATTEMPTS; attempt++) {
    await fixture.processor(cramped).process(tenantOf(intro), id);
    expect(await fixture.recording(id)).toMatchObject({ status: 'uploaded', attempts: 0, refusal_code: null });
    fixture.pass(HOUR_MS);
    expect(await fixture.sweep()).toBe(1);
  }
  await fixture.processor().process(tenantOf(intro), id);
  expect(await fixture.recording(id)).toMatchObject({ status: 'ready', refusal_code: null });
  expect(await fixture.pages.intro(intro.id)).toMatchObject({ status: 'ready', recording_id: id });
}, 90_000);

test('a take that needs more memory than an encoder may have is refused in the end, and not tried for ever', async () => {
  const folder = await makeFolder();
  const large = await readFile(await makeSample(folder, { size: '4096x2304', rate: 15 }));
  const intro = await fixture.pages.createIntro(REQUESTED);
  const id = await fixture.receive(intro, large);
  // Enough for Node and its libraries, and for a clip.
  const limits = { niceness: 0, memoryBytes: 900_000_000 };
  const bound = createEncoder({ ffmpegPath: 'off', log: createLogger('silent'), limits });
  let attempts = 0;
  do {
    attempts += 1;
    await fixture.processor(bound).process(tenantOf(intro), id);
    fixture.pass(HOUR_MS);
  } while ((await fixture.sweep()) > 0 && attempts < OFTEN);
  expect(attempts).toBeLessThanOrEqual(MAX_ATTEMPTS);
  expect(await fixture.recording(id)).toMatchObject({ status: 'refused' });
  expect(await fixture.pages.intro(intro.id)).toMatchObject({ status: 'requested', recording_id: null });
  const clip = await fixture.receive(intro);
  await fixture.processor(bound).process(tenantOf(intro), clip);
  expect(await fixture.recording(clip)).toMatchObject({ status: 'ready' });
}, 180_000);

test('a fault that stays counts: after five attempts the member is told, and the intro waits for another take', async () => {
  const intro = await fixture.pages.createIntro(REQUESTED);
  const id = await fixture.receive(intro);
  const broken: Encoder = {
    ...fixture.encoder,
    process: () => Promise.reject(new Error('the media child ended with 139')),
  };
  for (let attempt = 1; attempt < 5; attempt++) {
    await fixture.processor(broken).process(tenantOf(intro), id);
    expect(await fixture.recording(id)).toMatchObject({ status: 'uploaded', attempts: attempt });
    fixture.pass(HOUR_MS);
    expect(await fixture.sweep()).toBe(1);
  }
  await fixture.processor(broken).process(tenantOf(intro), id);
  expect(await fixture.recording(id)).toMatchObject({ status: 'refused', refusal_code: 'processing_failed' });
  expect(await fixture.pages.intro(intro.id)).toMatchObject({ status: 'requested', recording_id: null });
});
