import { afterAll, beforeAll, expect, test } from 'vitest';
import { moveToReady } from '../../src/intros/index.ts';
import { findForMember } from '../../src/recordings/store/member-view.ts';
import type { PageIntro, PageSetup } from '../pages/page-fixture.ts';
import { openRecordings, type RecordingFixture, tenantOf } from './recording-fixture.ts';

const REQUESTED: PageSetup = { status: 'requested', video: null };
const MINUTE_MS = 60_000;
const MADE_WITHIN_MS = 90_000;
/** Longer than a statement needs that waits for nobody. */
const WAITS_MS = 300;

let fixture: RecordingFixture;
beforeAll(async () => {
  fixture = await openRecordings();
});
afterAll(() => fixture?.close());

const make = (intro: PageIntro, id: string) => fixture.processor().process(tenantOf(intro), id);
const shownBy = async (intro: PageIntro) => (await fixture.pages.intro(intro.id)).recording_id;
const statusOf = async (id: string) => (await fixture.recording(id)).status;
const newestOf = (intro: PageIntro) => findForMember(fixture.pages.db.kysely, tenantOf(intro), intro.id);

/** Two phones or two tabs: one begins, then the other. */
async function beginTwo(): Promise<{ intro: PageIntro; first: string; second: string }> {
  const intro = await fixture.pages.createIntro(REQUESTED);
  const first = await fixture.begin(intro);
  fixture.pass(MINUTE_MS);
  const second = await fixture.begin(intro);
  fixture.pass(MINUTE_MS);
  return { intro, first, second };
}

test(
  'a take that was sent last is shown, though it was begun before the one that was ready first',
  async () => {
    const { intro, first, second } = await beginTwo();
    await fixture.finish(intro, second);
    await make(intro, second);
    expect(await shownBy(intro)).toBe(second);
    fixture.pass(MINUTE_MS);
    expect(await newestOf(intro)).toMatchObject({ take_id: second, take_status: 'ready' });
    await fixture.finish(intro, first);
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
    await fixture.finish(intro, first);
    fixture.pass(MINUTE_MS);
    await fixture.finish(intro, second);
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
  const { db } = fixture.pages;
  for (const isFirstReadyFirst of [true, false]) {
    const { intro, first, second } = await beginTwo();
    for (const id of [first, second]) await fixture.finish(intro, id);
    for (const id of isFirstReadyFirst ? [first, second] : [second, first]) {
      await moveToReady(db.kysely, tenantOf(intro), intro.id, id, fixture.now());
    }
    expect(await shownBy(intro)).toBe(second);
  }
});

test('two workers that are done at once: the one that waited for the other does not put the earlier take over the later', async () => {
  const { db } = fixture.pages;
  const { intro, first, second } = await beginTwo();
  await fixture.finish(intro, first);
  fixture.pass(MINUTE_MS);
  await fixture.finish(intro, second);
  const tenant = tenantOf(intro);
  let isDone = false;
  let waiting: Promise<boolean> | undefined;
  await db.kysely.transaction().execute(async (tx) => {
    expect(await moveToReady(tx, tenant, intro.id, second, fixture.now())).toBe(true);
    waiting = moveToReady(db.kysely, tenant, intro.id, first, fixture.now()).finally(() => {
      isDone = true;
    });
    await new Promise((resolve) => setTimeout(resolve, WAITS_MS));
    expect(isDone).toBe(false);
  });
  expect(await waiting).toBe(false);
  expect(await shownBy(intro)).toBe(second);
});
