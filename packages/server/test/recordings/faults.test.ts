import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Encoder } from '../../src/recordings/media/index.ts';
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
