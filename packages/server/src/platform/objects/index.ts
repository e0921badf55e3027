/** Stores files in a folder or in S3. */

import { statfs } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../clock.ts';
import { FolderObjects } from './folder.ts';
import { type Objects, ObjectsError, readObjectsUrl } from './interface.ts';
import { S3Objects } from './s3.ts';

export {
  checkObjects,
  isDenied,
  type ObjectBody,
  type Objects,
  ObjectsError,
  readObjectsUrl,
  type StoredObject,
} from './interface.ts';

const [MB, GB] = [1024 ** 2, 1024 ** 3];
/** Room for about a hundred takes: hours to react, on an ordinary day. On a small disk, a fifth of it. */
const LOW = { bytes: 2 * GB, share: 0.2 };
/**
 * Kept free for what was already begun: the rest of uploads of 100 MB, videos that are being encoded, and the embedded database if
 * it is on the same disk. Only new uploads and recordings are refused. On a small disk, a twentieth of it.
 */
const RESERVE = { bytes: 256 * MB, share: 0.05 };
/** After a store reported that it is full, new uploads are refused for this long; then one of them tries again. */
const FULL_FOR_MS = 15_000;
/** For `Retry-After`: the operator has to free space first. */
export const FULL_RETRY_S = 30;

export type SpaceState = 'ok' | 'low' | 'full';

export type Space = ReturnType<typeof watchSpace>['space'];

const isBelow = ({ bytes, share }: typeof LOW, free: number, total: number): boolean =>
  free < Math.min(bytes, total * share);

/** Watches the space of a store. `objects` has to be used for every write, because S3 reports a quota only then. */
export function watchSpace(stored: Objects, folder: string | null, nowMs: () => number) {
  let fullUntilMs = Number.NEGATIVE_INFINITY;
  const objects: Objects = {
    async put(...args) {
      try {
        await stored.put(...args);
        fullUntilMs = Number.NEGATIVE_INFINITY;
      } catch (error) {
        if (error instanceof ObjectsError && error.code === 'full') fullUntilMs = nowMs() + FULL_FOR_MS;
        throw error;
      }
    },
    open: (key) => stored.open(key),
    delete: (key) => stored.delete(key),
    deleteAll: (prefix) => stored.deleteAll(prefix),
    presign: (...args) => stored.presign(...args),
  };
  async function state(): Promise<SpaceState> {
    if (nowMs() < fullUntilMs) return 'full';
    const found = folder === null ? null : await readSpace(folder);
    if (found === null) return 'ok';
    if (isBelow(RESERVE, found.free, found.total)) return 'full';
    return isBelow(LOW, found.free, found.total) ? 'low' : 'ok';
  }
  const space = {
    state,
    /** Null when the store does not say (S3). */
    freeBytes: async () => (folder === null ? null : ((await readSpace(folder))?.free ?? null)),
    /** Rejects with `full` when nothing new should be stored. */
    async require(): Promise<void> {
      if ((await state()) === 'full') throw new ObjectsError('full', 'the store has too little space for new takes');
    },
  };
  return { objects, space };
}

/** Reads the folder, or its closest existing parent. Null where the file system does not say. */
async function readSpace(folder: string): Promise<{ free: number; total: number } | null> {
  for (let at = folder; ; at = path.dirname(at)) {
    try {
      const { bavail, blocks, bsize } = await statfs(at);
      return blocks === 0 ? null : { free: bavail * bsize, total: blocks * bsize };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || path.dirname(at) === at) return null;
    }
  }
}

/**
 * Opens the store for recordings, videos and pictures: `file:///folder`, or `s3://KEY:SECRET@host[:port]/bucket[/prefix]` with
 * `?region=…`, `?tls=off` and `?redirect=on`. Throws a ConfigError for a bad URL; the first operation connects.
 */
export function openObjects(url: string, deps: { clock: Clock }): Objects {
  const address = readObjectsUrl(url);
  return address.kind === 'folder' ? new FolderObjects(address.root, deps.clock) : new S3Objects(address, deps.clock);
}

/** Null for S3. */
export function folderOfObjects(url: string): string | null {
  const address = readObjectsUrl(url);
  return address.kind === 'folder' ? address.root : null;
}
