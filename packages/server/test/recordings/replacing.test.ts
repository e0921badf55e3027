import { afterAll, beforeAll, expect, test } from 'vitest';
import { moveToReady } from '../../src/intros/index.ts';
import { findForMember } from '../../src/recordings/view.ts';
import type { Scene, ShownIntro } from '../pages/stage.ts';
import { openStage, type Stage, tenantOf } from './stage.ts';

const REQUESTED: Scene = { status: 'requested', video: null };
const MINUTE_MS = 60_000;
const MADE_WITHIN_MS = 90_000;
/** Longer than a statement needs that waits for nobody. */
const WAITS_MS = 300;

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage?.close());

const make = (intro: ShownIntro, id: string) => stage.processor().process(tenantOf(intro), id);
const shownBy = async (intro: ShownIntro) => (await stage.pages.intro(intro.id)).recording_id;
const statusOf = async (id: string) => (await stage.recording(id)).status;
const newestOf = (intro: ShownIntro) => findForMember(stage.pages.db.kysely, tenantOf(intro), intro.id);

/** Two phones or two tabs: one begins, then the other. */
async function beginTwo(): Promise<{ intro: ShownIntro; first: string; second: string }> {
  const intro = await stage.pages.show(REQUESTED);
  const first = await stage.begin(intro);
  stage.pass(MINUTE_MS);
  const second = await stage.begin(intro);
  stage.pass(MINUTE_MS);
  return { intro, first, second };
}

test(
  'a take that was sent last is shown, though it was begun before the one that was ready first',
  async () => {
    const { intro, first, second } = await beginTwo();
    await stage.finish(intro, second);
    await make(intro, second);
    expect(await shownBy(intro)).toBe(second);
    stage.pass(MINUTE_MS);
    expect(await newestOf(intro)).toMatchObject({ take_id: second, take_status: 'ready' });
    await stage.finish(intro, first);
    expect(await newestOf(intro)).toMatchObject({ take_id: first, take_status: 'uploaded' });
    // The old one stays until the new one is ready.
    expect(await shownBy(intro)).toBe(second);
    await make(intro, first);
    expect(await shownBy(intro)).toBe(first);
    expect(await statusOf(first)).toBe('ready');
    expect(await newestOf(intro)).toMatchObject({ take_id: first, take_status: 'ready' });
  },
  MADE_WITHIN_MS,
);

test(
  'a take that was sent first and is ready last does not come back over the one that replaced it',
  async () => {
    const { intro, first, second } = await beginTwo();
    await stage.finish(intro, first);
    stage.pass(MINUTE_MS);
    await stage.finish(intro, second);
    await make(intro, second);
    await make(intro, first);
    expect(await shownBy(intro)).toBe(second);
    expect(await statusOf(first)).toBe('discarded');
    // A job that comes twice finds nothing to do.
    await make(intro, first);
    await make(intro, second);
    expect(await shownBy(intro)).toBe(second);
  },
  MADE_WITHIN_MS,
);

test('of two that came whole in the same moment, the one that was begun later is shown, whichever is ready first', async () => {
  const { db } = stage.pages;
  for (const isFirstReadyFirst of [true, false]) {
    const { intro, first, second } = await beginTwo();
    for (const id of [first, second]) await stage.finish(intro, id);
    for (const id of isFirstReadyFirst ? [first, second] : [second, first]) {
      await moveToReady(db.kysely, tenantOf(intro), intro.id, id, stage.now());
    }
    expect(await shownBy(intro)).toBe(second);
  }
});

test('two workers that are done at once: the one that waited for the other does not put the earlier take over the later', async () => {
  const { db } = stage.pages;
  const { intro, first, second } = await beginTwo();
  await stage.finish(intro, first);
  stage.pass(MINUTE_MS);
  await stage.finish(intro, second);
  const tenant = tenantOf(intro);
  let isDone = false;
  let waiting: Promise<boolean> | undefined;
  await db.kysely.transaction().execute(async (tx) => {
    expect(await moveToReady(tx, tenant, intro.id, second, stage.now())).toBe(true);
    waiting = moveToReady(db.kysely, tenant, intro.id, first, stage.now()).finally(() => {
      isDone = true;
    });
    await new Promise((resolve) => setTimeout(resolve, WAITS_MS));
    expect(isDone).toBe(false);
  });
  expect(await waiting).toBe(false);
  expect(await shownBy(intro)).toBe(second);
});
