import { randomUUID } from 'node:crypto';
import { type BigIntStats, constants, mkdirSync } from 'node:fs';
import { chown, copyFile, lstat, mkdir, open, realpath, rename, rm, rmdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { DAY_MS } from '@foreword/contract';
import { loadOnce } from '../bounded-map.ts';
import type { Clock } from '../clock.ts';
import { syncFolder } from '../data-dir.ts';
import { ownerFor, processTag, removeAbandoned } from '../process.ts';
import {
  type ByteRange,
  checkKey,
  checkPrefix,
  fitRange,
  isFaultOf,
  type ObjectBody,
  type Objects,
  ObjectsError,
  refuseSpentStream,
  type StoredObject,
} from './interface.ts';

/** No key can start with a dot, so keys cannot collide with it. In the root, because a rename cannot cross file systems. */
const UNFINISHED = '.tmp';
/** Longer than any upload takes. For files of other machines, where only the age shows that they are abandoned. */
const LEFTOVER_AGE_MS = DAY_MS;
/** Reading in large chunks is a quarter faster than in chunks of 64 KiB. */
const READ_BYTES = 256 * 1024;
/** An attempt fails only when the last other object of the folder is deleted at the same moment. */
const PLACING_ATTEMPTS = 10;

const FAULTS: Readonly<Record<string, readonly ['full' | 'denied', string]>> = {
  ENOSPC: ['full', 'no space left'],
  EDQUOT: ['full', 'the quota is used up'],
  EFBIG: ['full', 'the file is too large for the file system'],
  EACCES: ['denied', 'no permission to read or write'],
  EPERM: ['denied', 'no permission to read or write'],
  EROFS: ['denied', 'the file system is read-only'],
};

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | null)?.code ?? '';
const isAbsence = (error: unknown): boolean => codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR';

async function orNull<Result>(work: Promise<Result>, isExpected = isAbsence): Promise<Result | null> {
  try {
    return await work;
  } catch (error) {
    if (isExpected(error)) return null;
    throw error;
  }
}

/** If the folder was deleted, there is nothing to sync. */
const syncIfPresent = (folder: string): Promise<unknown> => orNull(syncFolder(folder));

async function writeDurably(file: string, root: string, body: ObjectBody): Promise<void> {
  const isCopy = !Buffer.isBuffer(body) && !(body instanceof Readable);
  // Shares blocks if the file system supports it.
  if (isCopy) await copyFile(body.file, file, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const opened = await open(file, isCopy ? 'r+' : 'wx', 0o600);
  try {
    if (isCopy) await opened.chmod(0o600);
    else await opened.writeFile(body);
    const owner = ownerFor(root);
    if (owner !== null) await opened.chown(owner.uid, owner.gid);
    await opened.sync();
  } finally {
    await opened.close();
  }
}

/**
 * A file is replaced by a new one, never changed, so consecutive versions differ in their inode; size and time detect a reused
 * inode. A content hash would have to be computed at each opening, because a folder cannot store it.
 */
const etagOf = ({ size, mtimeNs, ino }: BigIntStats): string =>
  [size, mtimeNs, ino].map((part) => part.toString(36)).join('-');

/** Stores objects as files, with the key as path. The type is not stored: the code that serves an object knows it. */
export class FolderObjects implements Objects {
  readonly #root: string;
  readonly #clock: Clock;
  /** Creates the root on first use. */
  readonly #prepare = loadOnce(() => prepareRoot(this.#root, this.#clock().getTime() - LEFTOVER_AGE_MS));

  constructor(root: string, clock: Clock) {
    this.#root = path.resolve(root);
    this.#clock = clock;
    try {
      // Before the first object exists, so that commands like tar find the folder. The first operation reports a failure.
      mkdirSync(this.#root, { recursive: true, mode: 0o700 });
    } catch {}
  }

  async put(key: string, body: ObjectBody): Promise<void> {
    let unfinished: string | undefined;
    try {
      checkKey(key);
      if (body instanceof Readable) refuseSpentStream(body);
      const root = await this.#prepare();
      unfinished = nameUnfinished(root);
      await writeDurably(unfinished, root, body);
      await place(unfinished, root, key);
    } catch (error) {
      const isBodyFault = isFaultOf(body, error);
      if (body instanceof Readable) body.destroy();
      if (unfinished !== undefined) await rm(unfinished, { force: true }).catch(() => undefined);
      throw isBodyFault ? error : this.#explain(error, `write ${key}`);
    }
  }

  async open(key: string): Promise<StoredObject | null> {
    checkKey(key);
    try {
      const file = await locate(await this.#prepare(), key);
      const found = file === null ? null : await orNull(lstat(file, { bigint: true }));
      if (file === null || found === null || found.isDirectory()) return null;
      if (!found.isFile()) throw notFollowed(key);
      const etag = etagOf(found);
      const size = Number(found.size);
      return {
        size,
        etag,
        stream: (range) =>
          streamOf(file, key, etag, range && fitRange(range, size)).catch((error) => {
            throw this.#explain(error, `read ${key}`);
          }),
      };
    } catch (error) {
      throw this.#explain(error, `open ${key}`);
    }
  }

  async delete(key: string): Promise<void> {
    checkKey(key);
    try {
      const root = await this.#prepare();
      const file = await locate(root, key);
      const found = file === null ? null : await orNull(lstat(file));
      if (file === null || found === null || found.isDirectory()) return;
      await orNull(unlink(file));
      await syncIfPresent(await removeEmptyFolders(path.dirname(file), root));
    } catch (error) {
      throw this.#explain(error, `delete ${key}`);
    }
  }

  async deleteAll(prefix: string): Promise<void> {
    checkPrefix(prefix);
    try {
      const root = await this.#prepare();
      const folder = await locate(root, prefix.slice(0, -1));
      const found = folder === null ? null : await orNull(lstat(folder));
      if (folder === null || !found?.isDirectory()) return;
      // One rename makes this atomic: after a crash all objects exist or none, and a concurrent put creates a new folder.
      const unlisted = nameUnfinished(root);
      if ((await orNull(rename(folder, unlisted).then(() => true))) === null) return;
      await syncIfPresent(await removeEmptyFolders(path.dirname(folder), root));
      await rm(unlisted, { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      throw this.#explain(error, `delete ${prefix}`);
    }
  }

  async presign(key: string): Promise<null> {
    checkKey(key);
    return null;
  }

  #explain(error: unknown, attempted: string): unknown {
    const fault = FAULTS[codeOf(error)];
    if (fault === undefined) return error;
    const [code, reason] = fault;
    return new ObjectsError(code, `cannot ${attempted} in ${this.#root}: ${reason} (${codeOf(error)})`, {
      cause: error,
    });
  }
}

/** Named after this process, so that the next start can delete what a kill left behind. */
const nameUnfinished = (root: string): string => path.join(root, UNFINISHED, `${processTag}.${randomUUID()}`);

/** The root may be a symbolic link, so that an operator can move it to another disk. */
async function prepareRoot(root: string, leftoversBeforeMs: number): Promise<string> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const real = await realpath(root);
  await makeFolders(real, [UNFINISHED]);
  await removeAbandoned(path.join(real, UNFINISHED), (name) => name.split('.')[0], leftoversBeforeMs);
  return real;
}

const notFollowed = (name: string): ObjectsError =>
  new ObjectsError('denied', `${name} is neither a file nor a folder, and links are not followed`);

/** The path of a key; null when its folder does not exist. Rejects symbolic links in the path. */
async function locate(root: string, key: string): Promise<string | null> {
  const file = path.join(root, key);
  const folder = path.dirname(file);
  const real = await orNull(realpath(folder));
  if (real !== null && real !== folder) throw notFollowed(path.dirname(key));
  return real === null ? null : file;
}

/** Not `recursive`, because that would follow symbolic links. */
async function makeFolders(root: string, names: readonly string[]): Promise<void> {
  const owner = ownerFor(root);
  let folder = root;
  for (const name of names) {
    folder = path.join(folder, name);
    const made = mkdir(folder, 0o700).then(() => owner && chown(folder, owner.uid, owner.gid));
    await orNull(made, (error) => codeOf(error) === 'EEXIST');
    if (!(await lstat(folder)).isDirectory()) throw notFollowed(path.relative(root, folder));
  }
}

async function place(unfinished: string, root: string, key: string): Promise<void> {
  const names = key.split('/').slice(0, -1);
  for (let attempt = 1; ; attempt++) {
    try {
      await makeFolders(root, names);
      await rename(unfinished, path.join(root, key));
      break;
    } catch (error) {
      // The folder was removed in between, because its last object was deleted.
      if (codeOf(error) !== 'ENOENT' || attempt === PLACING_ATTEMPTS) throw error;
    }
  }
  // Syncs existing folders too: one that a concurrent put created may not be on disk yet. Syncing a clean folder is cheap.
  for (let depth = names.length; depth >= 0; depth--) await syncIfPresent(path.join(root, ...names.slice(0, depth)));
}

/** Removes empty folders from here up to the root, and returns the first that remains. */
async function removeEmptyFolders(folder: string, root: string): Promise<string> {
  let current = folder;
  while (current !== root) {
    try {
      await rmdir(current);
    } catch (error) {
      if (!isAbsence(error)) break;
    }
    current = path.dirname(current);
  }
  return current;
}

async function streamOf(file: string, key: string, etag: string, range: ByteRange | undefined): Promise<Readable> {
  const opened = await orNull(open(file, constants.O_RDONLY | constants.O_NOFOLLOW));
  const found = await opened?.stat({ bigint: true });
  // The open handle keeps this version, even if the file is replaced.
  if (opened !== null && found !== undefined && etagOf(found) === etag)
    return opened.createReadStream({ ...range, highWaterMark: READ_BYTES });
  await opened?.close();
  throw new ObjectsError('changed', `${key} was replaced or deleted since it was opened`);
}
