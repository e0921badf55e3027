import type { Clock } from './clock.ts';
import { type Credentials, readObjectsUrl } from './objects/address.ts';
import { openFolder } from './objects/folder.ts';
import type { Objects } from './objects/interface.ts';
import { openS3 } from './objects/s3.ts';

export { readObjectsUrl } from './objects/address.ts';
export type { ObjectBody, Objects, StoredObject } from './objects/interface.ts';
export { ObjectsError, ObjectsUrlError } from './objects/interface.ts';

/**
 * Where recordings, videos and pictures are kept: `file:///folder`, or `s3://KEY:SECRET@host[:port]/bucket[/prefix]` with
 * `?region=…` and `?tls=off`. Reads the address alone; the first operation touches the store. A bad one throws ObjectsUrlError.
 */
export function openObjects(url: string, deps: { clock: Clock; credentials?: Credentials | undefined }): Objects {
  const address = readObjectsUrl(url, deps.credentials);
  return address.kind === 'folder' ? openFolder(address.root, deps.clock) : openS3(address, deps.clock);
}
