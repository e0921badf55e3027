import { expect, test } from 'vitest';
import type { Queryable } from '../../src/db/pools.ts';
import type { Tables } from '../../src/db/tenancy.ts';
import { moveToReady } from '../../src/intros/index.ts';
import { findForMember } from '../../src/recordings/store/member-view.ts';
import { forFile } from '../harness/index.ts';
import type { PageIntro, PageSetup } from '../pages/page-fixture.ts';
import { openRecordings, tenantOf } from './recording-fixture.ts';

const REQUESTED: PageSetup = { status: 'requested', video: null };
const MINUTE_MS = 60_000;

const fixture = await forFile(openRecordings());

const process = (id: string) => fixture.process({ only: id });
const shownBy = async (intro: PageIntro) => (await fixture.pages.intro(intro.id)).recording_id;
const statusOf = async (id: string) => (await fixture.recording(id)).status;
const newestOf = (intro: PageIntro) => findForMember(fixture.pages.db.kysely, tenantOf(intro), intro.id);

/** Starts two uploads, as on two phones. */
async function beginTwo(): Promise<{ intro: PageIntro; first: string; second: string }> {
  const intro = await fixture.pages.createIntro(REQUESTED);
  const first = await fixture.begin(intro);
  fixture.pass(MINUTE_MS);
  const second = await fixture.begin(intro);
  fixture.pass(MINUTE_MS);
  return { intro, first, second };
}

test('the take uploaded last is shown, even if it was started before one that is already ready', async () => {
  const { intro, first, second } = await beginTwo();
  await fixture.finish(intro, second);
  await process(second);
  expect(await shownBy(intro)).toBe(second);
  fixture.pass(MINUTE_MS);
  expect(await newestOf(intro)).toMatchObject({ take_id: second, take_status: 'ready' });
  await fixture.finish(intro, first);
  expect(await newestOf(intro)).toMatchObject({ take_id: first, take_status: 'uploaded' });
  // The earlier take is shown until the new one is ready.
  expect(await shownBy(intro)).toBe(second);
  await process(first);
  expect(await shownBy(intro)).toBe(first);
  expect(await statusOf(first)).toBe('ready');
  expect(await newestOf(intro)).toMatchObject({ take_id: first, take_status: 'ready' });
});

test('a take that was uploaded first but processed last does not replace the newer one', async () => {
  const { intro, first, second } = await beginTwo();
  await fixture.finish(intro, first);
  fixture.pass(MINUTE_MS);
  await fixture.finish(intro, second);
  await process(second);
  await process(first);
  expect(await shownBy(intro)).toBe(second);
  expect(await statusOf(first)).toBe('discarded');
  expect(await fixture.process()).toEqual({ takes: 0, previews: 0 });
});

test('of two takes uploaded at the same moment, the one started later is shown', async () => {
  const { db } = fixture.pages;
  for (const isFirstReadyFirst of [true, false]) {
    const { intro, first, second } = await beginTwo();
    for (const id of [first, second]) await fixture.finish(intro, id);
    for (const id of isFirstReadyFirst ? [first, second] : [second, first]) {
      await moveToReady(db.kysely, tenantOf(intro), intro.id, { recordingId: id, linkHost: null }, fixture.now());
    }
    expect(await shownBy(intro)).toBe(second);
  }
});

test('when two workers finish at once, the earlier take does not replace the later one', async () => {
  const { db } = fixture.pages;
  const { intro, first, second } = await beginTwo();
  await fixture.finish(intro, first);
  fixture.pass(MINUTE_MS);
  await fixture.finish(intro, second);
  const tenant = tenantOf(intro);
  let waiting: Promise<unknown> | undefined;
  const move = (tx: Queryable<Tables>, recordingId: string) =>
    moveToReady(tx, tenant, intro.id, { recordingId, linkHost: null }, fixture.now());
  const blocked =
    "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and state = 'active'";
  await db.kysely.transaction().execute(async (tx) => {
    expect(await move(tx, second)).not.toBeNull();
    waiting = move(db.kysely, first);
    await expect.poll(() => fixture.pages.database.query(blocked)).toHaveLength(1);
  });
  expect(await waiting).toBeNull();
  expect(await shownBy(intro)).toBe(second);
});
