import { createHash } from 'node:crypto';
import { DAY_MS, MINUTE_MS, PAGE_LIFE_DAYS } from '@foreword/contract';
import type { Services } from '../app/services.ts';
import { before } from '../platform/clock.ts';
import { createConcurrencyLimit } from '../platform/fair-queue.ts';
import { isDenied, type Objects } from '../platform/objects/index.ts';
import { listDays } from '../privacy/retention/index.ts';
import type { Encoder } from './media/index.ts';
import { nextFileCheckAt, UPLOAD_LIFE_MS } from './rules.ts';
import {
  discardStale,
  findDueFileChecks,
  findOldOriginals,
  isWithdrawn,
  markDeleted,
  markDeletedOnce,
  markOriginalDeleted,
  type RecordingKey,
  scheduleFileCheck,
} from './store/uploads.ts';

/** Object keys. All files of a take share one prefix, and all takes of an organization share another. */
export const prefixOf = ({ organization_id, id }: Pick<RecordingKey, 'organization_id' | 'id'>): string =>
  `${organization_id}/${id}/`;

export const originalPrefixOf = (key: Pick<RecordingKey, 'organization_id' | 'id'>): string =>
  `${prefixOf(key)}original/`;

export const RECORDING_FILES = {
  'video.mp4': 'video/mp4',
  'poster.jpg': 'image/jpeg',
  'card.jpg': 'image/jpeg',
  'thumbnail.jpg': 'image/jpeg',
  'captions.vtt': 'text/vtt; charset=utf-8',
  'preview.webp': 'image/webp',
} as const;

export type RecordingFile = keyof typeof RECORDING_FILES;

export const keyOf = (key: Pick<RecordingKey, 'organization_id' | 'id'>, file: RecordingFile): string =>
  prefixOf(key) + file;

type TakeFilesDeps = Pick<Services, 'db' | 'objects' | 'clock'>;

/** Deletes every file of a discarded take: the original, the video, pictures, captions and the preview. Deleting again does no harm. */
export async function deleteTakeFiles({ db, objects, clock }: TakeFilesDeps, take: RecordingKey): Promise<void> {
  await objects.deleteAll(prefixOf(take));
  await markDeletedOnce(db.kysely, take, clock());
}

/** For a process that stored files: deletes them if the member withdrew consent in the meantime. */
export async function deleteIfWithdrawn(
  { db, objects }: Pick<TakeFilesDeps, 'db' | 'objects'>,
  take: RecordingKey,
): Promise<void> {
  if (await isWithdrawn(db.kysely, take)) await objects.deleteAll(prefixOf(take));
}

const HASH_LENGTH = 16;
/** Each picture starts a process; a team that changes all its photos at once must not fill the machine's memory. */
const limit = createConcurrencyLimit(2);
const TYPES = { logo: 'image/png', face: 'image/jpeg' } as const;

type PictureShape = keyof typeof TYPES;

export interface Picture {
  readonly bytes: Buffer;
  readonly shape: PictureShape;
  keyFor(hash: string): string;
}

/**
 * Stores a re-encoded picture, never the original bytes, and returns its key. The key is derived from the content, so
 * storing it twice is harmless, and a page never mixes two versions.
 */
export async function storePicture(
  { objects, encoder }: { objects: Objects; encoder: Encoder },
  picture: Picture,
): Promise<{ key: string } | { refused: string }> {
  const { bytes, shape } = picture;
  const redrawn = await limit(() => encoder.redraw({ bytes, shape }));
  if ('refused' in redrawn) return redrawn;
  const key = picture.keyFor(createHash('sha256').update(redrawn.picture).digest('hex').slice(0, HASH_LENGTH));
  await objects.put(key, redrawn.picture, { type: TYPES[shape] });
  return { key };
}

/** Call it once the row names another picture or none; until then pages still show this one. */
export const deletePicture = (objects: Objects, key: string): Promise<void> => objects.delete(key);

/** How often a worker sweeps for files that are no longer needed. */
export const FILES_INTERVAL_MS = 10 * MINUTE_MS;
const SWEEP_BATCH = 100;

interface SweepDeps extends Pick<Services, 'db' | 'objects' | 'clock'> {
  readonly originalsDays: number;
  /** Ends the sweep after the files of one take. */
  readonly stopping?: AbortSignal;
}

/**
 * `each` must take its row out of the result of `find`; otherwise this never ends. Rows whose files may not be deleted are skipped
 * until the next sweep, so that the others are not kept longer than promised.
 */
async function forEachInBatches<Row>(
  { stopping }: SweepDeps,
  find: (skipped: number) => Promise<Row[]>,
  each: (row: Row) => Promise<void>,
): Promise<void> {
  const denials: unknown[] = [];
  let found: Row[];
  do {
    found = await find(denials.length);
    for (const row of found) {
      if (stopping?.aborted === true) return;
      await each(row).catch((error: unknown) => {
        if (!isDenied(error)) throw error;
        denials.push(error);
      });
    }
  } while (found.length === SWEEP_BATCH);
  if (denials.length > 0) throw denials[0];
}

async function sweepUnused(deps: SweepDeps): Promise<void> {
  const { db, objects, clock } = deps;
  const days = await listDays(db.kysely, 'videos', clock());
  const daysOf = new Map(days.map(({ tenant, days: kept }) => [tenant.organizationId, kept]));
  await forEachInBatches(
    deps,
    (skipped) => findDueFileChecks(db.kysely, clock(), { limit: SWEEP_BATCH, skipped }),
    async (take) => {
      const now = clock();
      const { status, is_retriable: isRetriable, is_shown: isShown, intro_status: introStatus, sent_at: sentAt } = take;
      const keptDays = daysOf.get(take.organization_id) ?? PAGE_LIFE_DAYS;
      const shown = { isReady: status === 'ready', isRetriable, isShown, introStatus, sentAt, keptDays };
      const nextCheckAt = nextFileCheckAt(shown, now);
      if (nextCheckAt !== null) return scheduleFileCheck(db.kysely, take, nextCheckAt);
      await objects.deleteAll(prefixOf(take));
      await markDeleted(db.kysely, take, now);
    },
  );
}

function sweepOriginals(deps: SweepDeps): Promise<void> {
  const { db, objects, clock, originalsDays } = deps;
  return forEachInBatches(
    deps,
    (skipped) => findOldOriginals(db.kysely, before(clock(), originalsDays * DAY_MS), { limit: SWEEP_BATCH, skipped }),
    async (key) => {
      await objects.deleteAll(originalPrefixOf(key));
      await markOriginalDeleted(db.kysely, key, clock());
    },
  );
}

/** Deletes files before it marks their rows: after a crash, or on two nodes at once, deleting again does no harm. */
export async function sweepFiles(deps: SweepDeps): Promise<void> {
  const now = deps.clock();
  await discardStale(deps.db.kysely, before(now, UPLOAD_LIFE_MS), now);
  // A failure in one sweep must not stop the other.
  const outcomes = await Promise.allSettled([sweepUnused(deps), sweepOriginals(deps)]);
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}
