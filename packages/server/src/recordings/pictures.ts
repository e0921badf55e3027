import { createHash } from 'node:crypto';
import { createConcurrencyLimit } from '../platform/concurrency-limit.ts';
import type { Objects } from '../platform/objects/index.ts';
import type { Encoder } from './media/index.ts';

const HASH_LENGTH = 16;
/** Each picture starts a process; a team that changes all its photos at once must not fill the machine's memory. */
const limit = createConcurrencyLimit(2);
const TYPES = { logo: 'image/png', face: 'image/jpeg' } as const;

export type PictureShape = keyof typeof TYPES;

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
  const redrawn = await limit(() => encoder.redraw({ bytes, shape, signal: new AbortController().signal }));
  if ('refused' in redrawn) return { refused: redrawn.refused };
  const key = picture.keyFor(createHash('sha256').update(redrawn.picture).digest('hex').slice(0, HASH_LENGTH));
  await objects.put(key, redrawn.picture, { type: TYPES[shape] });
  return { key };
}

/** Call it once the row names another picture or none; until then pages still show this one. */
export const deletePicture = (objects: Objects, key: string): Promise<void> => objects.delete(key);
