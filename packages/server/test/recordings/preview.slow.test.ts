import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { builtInClip } from '../../src/recordings/index.ts';
import type { Encoder } from '../../src/recordings/media/index.ts';
import { claimUnpreviewed } from '../../src/recordings/store/processing.ts';
import { forFile } from '../harness/index.ts';
import type { PageIntro, PageSetup } from '../pages/page-fixture.ts';
import { openRecordings, recordingIdOf } from './recording-fixture.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const REQUESTED: PageSetup = { status: 'requested', video: null };
const UNPREVIEWED = { width: 720, height: 1280, durationMs: 4_000, captions: false, preview: false };

const fixture = await forFile(openRecordings());
const clip = (await builtInClip()).bytes;

/** A published video whose worker died just now, before it wrote the preview. */
async function createUnpreviewed(setup: PageSetup = {}): Promise<PageIntro> {
  const intro = await fixture.pages.createIntro({ video: UNPREVIEWED, files: { 'video.mp4': clip }, ...setup });
  await fixture.pages.objects.delete(`${intro.folder}preview.webp`);
  await fixture.pages.database.sql`update recordings set touched_at = ${fixture.now()}, ready_at = ${fixture.now()}
    where id = ${recordingIdOf(intro)}`;
  return intro;
}

const fetchPreview = async (intro: PageIntro): Promise<Buffer | null> => {
  const response = await fetch(`${fixture.pages.url}${intro.path}/preview.webp`);
  // Until it is made, the poster.
  return response.headers.get('content-type') === 'image/webp' ? Buffer.from(await response.arrayBuffer()) : null;
};
/** How many previews a worker attempts now. */
const preview = async (encoder = fixture.encoder): Promise<number> => (await fixture.process({ encoder })).previews;
const failing = (): Encoder => ({ ...fixture.encoder, preview: () => Promise.reject(new Error('killed')) });

describe('a preview that its worker never wrote', () => {
  test('is made once from the published video, and nothing else changes', async () => {
    const intro = await createUnpreviewed();
    const id = recordingIdOf(intro);
    const [row, introRow] = [await fixture.recording(id), await fixture.pages.intro(intro.id)];
    expect(await fetchPreview(intro)).toBeNull();
    fixture.pass(2 * MINUTE_MS);
    expect(await preview()).toBe(0);
    const readyBefore = fixture.ready.length;
    fixture.pass(2 * MINUTE_MS);
    expect(await preview()).toBe(1);
    expect(await preview()).toBe(0);
    expect((await fetchPreview(intro))?.toString('latin1', 8, 12)).toBe('WEBP');
    const { touched_at, attempts, ...rest } = await fixture.recording(id);
    expect({ touched_at, attempts, ...rest }).toEqual({ ...row, has_preview: true, touched_at, attempts: 1 });
    expect(await fixture.pages.intro(intro.id)).toEqual(introRow);
    expect(fixture.ready.length).toBe(readyBefore);
    fixture.pass(2 * HOUR_MS);
    expect(await preview()).toBe(0);
  });

  test('is made by the next worker after the first one failed', async () => {
    const intro = await fixture.pages.createIntro(REQUESTED);
    const id = await fixture.receive(intro);
    await preview(failing());
    expect(await fixture.pages.intro(intro.id)).toMatchObject({ status: 'ready', recording_id: id });
    expect(await fixture.recording(id)).toMatchObject({ status: 'ready', has_preview: false, attempts: 0 });
    fixture.pass(4 * MINUTE_MS);
    expect(await preview()).toBe(1);
    expect(await fixture.recording(id)).toMatchObject({ status: 'ready', has_preview: true });
    expect(fixture.ready.filter((ready) => ready === intro.id)).toHaveLength(1);
  });

  test('is left to the worker that is still processing it', async () => {
    const intro = await createUnpreviewed();
    expect(await preview()).toBe(0);
    expect(await fixture.recording(recordingIdOf(intro))).toMatchObject({ has_preview: false, attempts: 0 });
  });

  test('that cannot be made is attempted five times, an hour apart', async () => {
    const intro = await createUnpreviewed({ files: { 'video.mp4': Buffer.from('no video') } });
    const attemptedAt: number[] = [];
    for (let minutes = 4; minutes < 23 * 60; minutes += 20) {
      fixture.pass(20 * MINUTE_MS);
      if ((await preview(failing())) > 0) attemptedAt.push(minutes);
    }
    expect(attemptedAt).toHaveLength(5);
    for (let at = 1; at < attemptedAt.length; at++) {
      expect((attemptedAt[at] ?? 0) - (attemptedAt[at - 1] ?? 0)).toBeGreaterThanOrEqual(60);
    }
    expect(await fixture.recording(recordingIdOf(intro))).toMatchObject({ status: 'ready', has_preview: false });
  });

  test('is not made after a day, for a video that is not shown, or when one exists', async () => {
    await createUnpreviewed();
    fixture.pass(25 * HOUR_MS);
    expect(await preview()).toBe(0);
    for (const status of ['cancelled', 'expired'] as const) await createUnpreviewed({ status });
    await createUnpreviewed({ video: { ...UNPREVIEWED, preview: true } });
    const replaced = await createUnpreviewed();
    await fixture.pages.database.sql`update intros set recording_id = 'rec_another' where id = ${replaced.id}`;
    fixture.pass(HOUR_MS);
    expect(await preview()).toBe(0);
  });
});

test('the sweep for missing previews never scans a whole table, however many videos exist', async () => {
  const { database } = fixture.pages;
  await database.sql`insert into recordings (organization_id, environment, id, intro_id, member_id, status, media_type, has_preview,
       created_at, touched_at, ready_at)
     select 'org_many', 'test', 'rec_' || n, 'int_' || n, 'mem_1', 'ready', 'video/mp4', true, ${fixture.now()}, ${fixture.now()}, ${fixture.now()}
     from generate_series(1, 20000) n`;
  await database.query('analyze recordings');
  await database.query('analyze intros');
  const at = fixture.now();
  const hourAgo = new Date(at.getTime() - HOUR_MS);
  // Reads the counters in the same transaction, so that reads of other connections do not count.
  const counts = await fixture.pages.db.kysely.transaction().execute(async (tx) => {
    const times = { now: at, wantedSince: hourAgo, overdueBefore: at, failedBefore: hourAgo };
    await claimUnpreviewed(tx, times);
    const { rows } = await sql<{ whole: number; by_index: number }>`
      select t.seq_scan::int as whole, t.idx_scan::int as by_index from pg_stat_xact_user_tables t
      where t.relname = 'recordings'`.execute(tx);
    return rows[0];
  });
  expect(counts?.whole).toBe(0);
  expect(counts?.by_index).toBeGreaterThan(0);
});
