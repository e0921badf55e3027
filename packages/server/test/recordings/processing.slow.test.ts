import { symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Queryable } from '../../src/db/pools.ts';
import type { Tables } from '../../src/db/tenancy.ts';
import { createErasedOptOuts } from '../../src/delivery/index.ts';
import { createIntroEvents, moveToReady } from '../../src/intros/index.ts';
import { createLinks } from '../../src/intros/links/index.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createLogger } from '../../src/platform/log.ts';
import { type Objects, ObjectsError } from '../../src/platform/objects/index.ts';
import { toServerKey } from '../../src/platform/server-key.ts';
import { openWorkFolders } from '../../src/platform/work-folders.ts';
import { continueErasures, erasureOperations } from '../../src/privacy/erasure/index.ts';
import { findRemoval, removeWithdrawn, withdrawConsent } from '../../src/privacy/likeness/index.ts';
import { sweepFiles } from '../../src/recordings/files.ts';
import { createEncoder, type Encoder } from '../../src/recordings/media/index.ts';
import { SPACE_PROBE } from '../../src/recordings/media/job-runner.ts';
import { MAX_FAILURES } from '../../src/recordings/rules.ts';
import { findForMember } from '../../src/recordings/store/member-view.ts';
import { createTestClocks } from '../../src/testing/clock/index.ts';
import { createContentSeal, createPublish } from '../../src/webhooks/index.ts';
import { forFile } from '../harness/index.ts';
import { makeFolder, makeSample } from '../media/media-fixture.ts';
import type { PageIntro, PageSetup } from '../pages/page-fixture.ts';
import { openRecordings, tenantOf } from './recording-fixture.ts';

const REQUESTED: PageSetup = { status: 'requested', video: null };
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Above the attempts that a faulty take gets. */
const MANY_ATTEMPTS = 8;

const fixture = await forFile(openRecordings());

const IO_ERROR = { code: 'EIO', syscall: 'write' };

/** Writing to this device fails like a full disk, for root too. */
const withFullDisk: Encoder = {
  ...fixture.encoder,
  process(take) {
    for (const name of ['poster.jpg', SPACE_PROBE]) symlinkSync('/dev/full', path.join(take.into, name));
    return fixture.encoder.process(take);
  },
};

test.each([
  ['a full object store', fixture.encoder, new ObjectsError('full', 'no space left (ENOSPC)')],
  ['a shared folder whose server is gone', fixture.encoder, Object.assign(new Error('EIO'), IO_ERROR)],
  ['a full local disk', withFullDisk, null],
])('with %s no attempt counts, and the take is processed once it works again', async (_name, encoder, failure) => {
  const intro = await fixture.pages.createIntro(REQUESTED);
  const id = await fixture.receive(intro);
  fixture.failStore(failure);
  for (let attempt = 0; attempt <= MAX_FAILURES; attempt++) {
    await fixture.process({ only: id, encoder });
    expect(await fixture.recording(id)).toMatchObject({ status: 'uploaded', failures: 0, cpu_ms: 0 });
    expect(await fixture.pages.intro(intro.id)).toMatchObject({ status: 'requested', recording_id: null });
    fixture.pass(HOUR_MS);
  }
  fixture.failStore(null);
  await fixture.process({ only: id });
  expect(await fixture.recording(id)).toMatchObject({ status: 'ready', has_preview: true, refusal_code: null });
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

test('files that cannot be deleted do not keep the next ones from being deleted', async () => {
  const [stuck, other] = [await fixture.pages.createIntro(REQUESTED), await fixture.pages.createIntro(REQUESTED)];
  const ids = [await fixture.begin(stuck), await fixture.begin(other)] as const;
  for (const [index, id] of ids.entries()) {
    await fixture.pages.database.sql`
      update recordings set status = 'discarded', files_check_at = ${new Date(index)}, received_at = ${new Date(index)}
      where id = ${id}`;
  }
  const deleteAll = async (prefix: string) => {
    if (prefix.includes(ids[0])) throw new ObjectsError('denied', `cannot delete ${prefix}`);
  };
  const objects = { deleteAll } as Partial<Objects> as Objects;
  const sweep = sweepFiles({ db: fixture.pages.db, objects, clock: fixture.now, originalsDays: 7 });
  await expect(sweep).rejects.toThrow(`cannot delete ${stuck.organizationId}/${ids[0]}`);
  expect(await fixture.recording(ids[0])).toMatchObject({ deleted_at: null, original_deleted_at: null });
  expect(await fixture.recording(ids[1])).toMatchObject({ deleted_at: fixture.now() });
});

/** Takes of one intro, the files of the first of which cannot be deleted at first, and everything that deletes them. */
async function openStuckTakes(count: number) {
  const { db, database } = fixture.pages;
  const intro = await fixture.pages.createIntro(REQUESTED);
  const ids: string[] = [];
  for (let n = 0; n < count; n++) ids.push(await fixture.begin(intro));
  ids.sort();
  const deleted: string[] = [];
  const files = { isStuck: true };
  const deleteAll = async (prefix: string) => {
    if (files.isStuck && prefix.includes(ids[0] ?? '')) throw new ObjectsError('denied', `cannot delete ${prefix}`);
    deleted.push(prefix.split('/').at(-2) ?? '');
  };
  const [row] = await database.sql<{ member_id: string; recipient_phone: string }>`
    select member_id, recipient_phone from intros where id = ${intro.id}`;
  const serverKey = toServerKey(Buffer.alloc(32, 7));
  const contents = createContentSeal(serverKey);
  const introEvents = createIntroEvents(createLinks(serverKey, 'https://acme.example'), createPublish(contents));
  const testClocks = createTestClocks({ db, clock: fixture.now });
  const objects = { deleteAll } as Partial<Objects> as Objects;
  const log = createLogger('silent');
  const deps = { db, objects, clock: fixture.now, testClocks, serverKey, log, contents, introEvents };
  return { tenant: tenantOf(intro), ids, deleted, files, deps, row: row ?? expect.unreachable() };
}

test('a withdrawal deletes what it can, and is complete only without the rest', async () => {
  const { tenant, ids, deleted, files, deps, row } = await openStuckTakes(50);
  const { kysely } = deps.db;
  const withdrawal = { memberId: row.member_id, by: null, reassignTo: null };
  await kysely.transaction().execute((tx) => withdrawConsent(tx, tenant, withdrawal, fixture.now()));
  const remove = () => removeWithdrawn({ ...deps, reassign: async () => null });
  await expect(remove()).rejects.toThrow('cannot delete');
  expect(new Set(deleted)).toEqual(new Set(ids.slice(1)));
  expect(await findRemoval(kysely, tenant, row.member_id)).toMatchObject({ finished_at: null });
  files.isStuck = false;
  fixture.pass(MINUTE_MS);
  await remove();
  expect(deleted).toContain(ids[0]);
  expect(await findRemoval(kysely, tenant, row.member_id)).toMatchObject({ finished_at: fixture.now(), videos: 50 });
});

test('an erasure deletes what it can, and is complete only without the rest', async () => {
  const { tenant, ids, deleted, files, deps, row } = await openStuckTakes(2);
  const { kysely } = deps.db;
  const erasedOptOuts = createErasedOptOuts(deps.serverKey);
  await fixture.pages.database.sql`update recordings set captions = 'Hi Dana' where id = any(${ids})`;
  const { eraseRecipient } = erasureOperations({ ...deps, erasedOptOuts });
  const caller = { ...tenant, by: null } as Parameters<typeof eraseRecipient.run>[1];
  const { id } = await kysely
    .transaction()
    .execute((tx) => eraseRecipient.run(tx, caller, { body: { phone: row.recipient_phone } } as never));
  const pass = async () => {
    fixture.pass(MINUTE_MS);
    await fixture.pages.database
      .sql`update recipient_erasures set due_at = ${new Date(0)} where id = ${id} and due_at is not null`;
    await continueErasures({ ...deps, clock: systemClock }, new AbortController().signal);
    const [found] = await fixture.pages.database.sql<{ status: string }>`
      select status, removed ->> 'replies' as replies, coalesce(removed ->> 'recordings', '0') as recordings from recipient_erasures where id = ${id}`;
    return found;
  };
  for (let passes = 0; passes < 3; passes++)
    expect(await pass()).toMatchObject({ status: 'processing', recordings: '0' });
  expect(new Set(deleted)).toEqual(new Set([ids[1]]));
  files.isStuck = false;
  expect(await pass()).toEqual({ status: 'completed', replies: '0', recordings: '2' });
  expect(await fixture.recording(ids[0] ?? '')).toMatchObject({ captions: null });
  expect(deleted).toContain(ids[0]);
});
