/** Stores files in a folder or in S3. */

import type { Clock } from '../clock.ts';
import { readObjectsUrl } from './address.ts';
import { FolderObjects } from './folder.ts';
import type { Objects } from './interface.ts';
import { S3Objects } from './s3.ts';

export { readObjectsUrl } from './address.ts';
export type { ObjectBody, Objects, StoredObject } from './interface.ts';
export { ObjectsError, ObjectsUrlError } from './interface.ts';
export { FULL_RETRY_S, type Space, type SpaceState, watchSpace } from './space.ts';

/**
 * Opens the store for recordings, videos and pictures: `file:///folder`, or `s3://KEY:SECRET@host[:port]/bucket[/prefix]` with
 * `?region=…`, `?tls=off` and `?redirect=on`. Throws ObjectsUrlError for a bad URL; the first operation connects.
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
