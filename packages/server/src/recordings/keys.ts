import type { Services } from '../app/services.ts';
import { isWithdrawn, markDeletedOnce } from './store/files.ts';
import type { RecordingKey } from './store/recordings.ts';

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
