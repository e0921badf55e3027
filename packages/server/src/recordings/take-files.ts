import type { Services } from '../services/index.ts';
import { prefixOf } from './keys.ts';
import { isWithdrawn, markDeletedOnce } from './store/likeness.ts';
import type { RecordingKey } from './store/recordings.ts';

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
