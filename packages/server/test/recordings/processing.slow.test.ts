import { symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { createLogger } from '../../src/platform/log.ts';
import { openWorkFolders } from '../../src/platform/work-folders.ts';
import { createEncoder, type Encoder } from '../../src/recordings/media/index.ts';
import { SPACE_PROBE } from '../../src/recordings/media/job-runner.ts';
import { MAX_FAILURES } from '../../src/recordings/rules.ts';
import { forFile } from '../harness/index.ts';
import { makeFolder, makeSample } from '../media/media-fixture.ts';
import type { PageSetup } from '../pages/page-fixture.ts';
import { openRecordings } from './recording-fixture.ts';

const REQUESTED: PageSetup = { status: 'requested', video: null };
const HOUR_MS = 3_600_000;
/** Above the attempts that a faulty take gets. */
const MANY_ATTEMPTS = 8;

const fixture = await forFile(openRecordings());

test('with a full object store no attempt counts, and the take is processed once there is space', async () => {
  const intro = await fixture.pages.createIntro(REQUESTED);
  const id = await fixture.receive(intro);
  fixture.setStoreFull(true);
  for (let attempt = 0; attempt <= MAX_FAILURES; attempt++) {
    await fixture.process({ only: id });
    expect(await fixture.recording(id)).toMatchObject({ status: 'uploaded', failures: 0, refusal_code: null });
    expect(await fixture.pages.intro(intro.id)).toMatchObject({ status: 'requested', recording_id: null });
    fixture.pass(HOUR_MS);
  }
  fixture.setStoreFull(false);
  await fixture.process({ only: id });
  expect(await fixture.recording(id)).toMatchObject({ status: 'ready', has_preview: true });
  expect(await fixture.pages.intro(intro.id)).toMatchObject({ status: 'ready', recording_id: id });
});

test('with a full local disk no attempt counts, and the take is processed once there is space', async () => {
  const intro = await fixture.pages.createIntro(REQUESTED);
  const id = await fixture.receive(intro);
  // Writing to this device fails like a full disk, for root too.
  const withFullDisk: Encoder = {
    ...fixture.encoder,
    process(take) {
      for (const name of ['poster.jpg', SPACE_PROBE]) symlinkSync('/dev/full', path.join(take.into, name));
      return fixture.encoder.process(take);
    },
  };
  for (let attempt = 0; attempt <= MAX_FAILURES; attempt++) {
    await fixture.process({ only: id, encoder: withFullDisk });
    expect(await fixture.recording(id)).toMatchObject({ status: 'uploaded', failures: 0, refusal_code: null });
    fixture.pass(HOUR_MS);
  }
  await fixture.process({ only: id });
  expect(await fixture.recording(id)).toMatchObject({ status: 'ready', refusal_code: null });
  expect(await fixture.pages.intro(intro.id)).toMatchObject({ status: 'ready', recording_id: id });
});

test('a take that needs more memory than the encoder may use is refused after the last attempt', async () => {
  const folder = await makeFolder();
  const large = await readFile(await makeSample(folder, { size: '4096x2304', rate: 15 }));
  const intro = await fixture.pages.createIntro(REQUESTED);
  const id = await fixture.receive(intro, large);
  // Enough for Node, its libraries and the built-in clip.
  const limits = { niceness: 0, memoryBytes: 900_000_000 };
  const workFolders = openWorkFolders({ workDir: folder, dataDir: folder });
  const limited = createEncoder({ ffmpegPath: 'off', log: createLogger('silent'), workFolders, isolate: true, limits });
  let attempts = 0;
  do {
    attempts += 1;
    await fixture.process({ only: id, encoder: limited });
    fixture.pass(HOUR_MS);
  } while ((await fixture.recording(id)).status === 'uploaded' && attempts < MANY_ATTEMPTS);
  expect(attempts).toBeLessThanOrEqual(MAX_FAILURES);
  expect(await fixture.recording(id)).toMatchObject({ status: 'refused' });
  expect(await fixture.pages.intro(intro.id)).toMatchObject({ status: 'requested', recording_id: null });
  const clip = await fixture.receive(intro);
  await fixture.process({ only: clip, encoder: limited });
  expect(await fixture.recording(clip)).toMatchObject({ status: 'ready' });
}, 240_000);

test('a trimmed take is published without the parts that the member cut off', async () => {
  const intro = await fixture.pages.createIntro(REQUESTED);
  const id = await fixture.receive(intro);
  await fixture.pages.database.sql`update recordings set trim_start_ms = 500, trim_end_ms = 2000 where id = ${id}`;
  await fixture.process();
  const row = await fixture.recording(id);
  expect(row).toMatchObject({ status: 'ready', trim_start_ms: 500, trim_end_ms: 2000 });
  // At most a frame and a block of sound more or less.
  expect(Math.abs(Number(row.duration_ms) - 1500)).toBeLessThan(100);
});
