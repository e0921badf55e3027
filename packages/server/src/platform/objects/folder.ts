import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, open, readdir, realpath, rename, rm, rmdir, unlink } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { Clock } from '../clock.ts';
import { checkObjects } from './check.ts';
import { type ByteRange, type ObjectBody, type Objects, ObjectsError, type StoredObject } from './interface.ts';
import { checkKey, checkPrefix, fitRange } from './keys.ts';
import { isFaultOf, refuseSpentStream } from './source.ts';

/** No key begins with a dot, so this is out of their reach. In the root, because a rename may not cross filesystems. */
const UNFINISHED = '.tmp';
/** Far longer than any upload lasts: what is older was left by a process that died. */
const LEFTOVER_AGE_MS = 86_400_000;
/** Each attempt fails only when somebody deletes the last neighbour at that very moment. */
/** A video is read in few large pieces: a quarter more bytes a second than in pieces of 64 KiB. */
const READ_BYTES = 256 * 1024;
const PLACING_ATTEMPTS = 10;

const FAULTS: Readonly<Record<string, readonly ['full' | 'denied', string]>> = {
  ENOSPC: ['full', 'there is no room left'],
  EDQUOT: ['full', 'the quota is used up'],
  EFBIG: ['full', 'the file may not be that large'],
  EACCES: ['denied', 'we may not write or read there'],
  EPERM: ['denied', 'we may not write or read there'],
  EROFS: ['denied', 'it can only be read'],
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

async function syncFolder(folder: string): Promise<void> {
  const opened = await orNull(open(folder, 'r'));
  // Gone since: there is nothing left that could be lost.
  if (opened === null) return;
  try {
    await opened.sync();
  } finally {
    await opened.close();
  }
}

async function writeDurably(file: string, body: ObjectBody): Promise<void> {
  const isCopy = !Buffer.isBuffer(body) && !(body instanceof Readable);
  // Shares the blocks where the filesystem can.
  if (isCopy) await copyFile(body.file, file, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  const opened = await open(file, isCopy ? 'r+' : 'wx', 0o600);
  try {
    if (isCopy) await opened.chmod(0o600);
    // Takes the next chunk of a stream when the last one is written.
    else await opened.writeFile(body);
    await opened.sync();
  } finally {
    await opened.close();
  }
}

interface Identity {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ino: bigint;
}

/**
 * A file is written once and replaced by another, never changed. The one that replaces it is made beside it, so two that follow
 * each other differ in their inode however fast they come; size and time tell an inode that is used again. A hash of the content
 * would have to be read again at each opening, as a folder has no place to keep it.
 */
const etagOf = ({ size, mtimeNs, ino }: Identity): string =>
  [size, mtimeNs, ino].map((part) => part.toString(36)).join('-');

/** Objects as files below a folder, each key a path. The type is not kept: who serves an object knows it. */
export function openFolder(root: string, clock: Clock): Objects {
  return new FolderObjects(root, clock);
}

class FolderObjects implements Objects {
  readonly #root: string;
  readonly #clock: Clock;
  #prepared: Promise<string> | undefined;

  constructor(root: string, clock: Clock) {
    this.#root = path.resolve(root);
    this.#clock = clock;
  }

  async put(key: string, body: ObjectBody): Promise<void> {
    let unfinished: string | undefined;
    try {
      checkKey(key);
      if (body instanceof Readable) refuseSpentStream(body);
      const root = await this.#prepare();
      unfinished = path.join(root, UNFINISHED, randomUUID());
      await writeDurably(unfinished, body);
      await place(unfinished, root, key);
    } catch (error) {
      const isTheirs = isFaultOf(body, error);
      if (body instanceof Readable) body.destroy();
      if (unfinished !== undefined) await rm(unfinished, { force: true }).catch(() => undefined);
      throw isTheirs ? error : this.#explain(error, `write ${key}`);
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
      await syncFolder(await removeEmptyFolders(path.dirname(file), root));
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
      // First out of sight in one step: after a crash all of it is there or none, and a put meanwhile lands in a new folder.
      const unlisted = path.join(root, UNFINISHED, randomUUID());
      if ((await orNull(rename(folder, unlisted).then(() => true))) === null) return;
      await syncFolder(await removeEmptyFolders(path.dirname(folder), root));
      await rm(unlisted, { recursive: true, force: true, maxRetries: 3 });
    } catch (error) {
      throw this.#explain(error, `delete ${prefix}`);
    }
  }

  async presign(key: string): Promise<null> {
    checkKey(key);
    return null;
  }

  async check(): Promise<void> {
    await checkObjects(this);
  }

  /** Makes the root at first use, and again when that failed: the next attempt may find it mended. */
  #prepare(): Promise<string> {
    this.#prepared ??= prepareRoot(this.#root, this.#clock().getTime() - LEFTOVER_AGE_MS).catch((error) => {
      this.#prepared = undefined;
      throw error;
    });
    return this.#prepared;
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

/** The root itself may be a link: that is how an operator moves it to another disk. */
async function prepareRoot(root: string, leftoversBeforeMs: number): Promise<string> {
  await mkdir(root, { recursive: true, mode: 0o700 });
  const real = await realpath(root);
  await makeFolders(real, [UNFINISHED]);
  for (const name of await readdir(path.join(real, UNFINISHED))) {
    const leftover = path.join(real, UNFINISHED, name);
    const isOld = await lstat(leftover).then(
      ({ mtimeMs }) => mtimeMs < leftoversBeforeMs,
      () => false,
    );
    // What cannot be swept takes room, and is no reason not to start.
    if (isOld) await rm(leftover, { recursive: true, force: true }).catch(() => undefined);
  }
  return real;
}

const notFollowed = (name: string): ObjectsError =>
  new ObjectsError('denied', `${name} is neither a file nor a folder, and links are not followed`);

/** The path of a key whose folders are there; a link among them is refused. */
async function locate(root: string, key: string): Promise<string | null> {
  const file = path.join(root, key);
  const folder = path.dirname(file);
  const real = await orNull(realpath(folder));
  if (real !== null && real !== folder) throw notFollowed(path.dirname(key));
  return real === null ? null : file;
}

/** One by one: `mkdir -p` would walk through a link. */
async function makeFolders(root: string, names: readonly string[]): Promise<void> {
  let folder = root;
  for (const name of names) {
    folder = path.join(folder, name);
    await orNull(mkdir(folder, 0o700), (error) => codeOf(error) === 'EEXIST');
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
      // The folder was removed between the two, because its last object was deleted.
      if (codeOf(error) !== 'ENOENT' || attempt === PLACING_ATTEMPTS) throw error;
    }
  }
  // All of them, new or not: one that a neighbour has just made may not be on the disk yet. A clean one costs next to nothing.
  for (let depth = names.length; depth >= 0; depth--) await syncFolder(path.join(root, ...names.slice(0, depth)));
}

/** Upwards from the folder; the first that stays. */
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
  // From here on the file stays as it is for us, whatever takes its name.
  if (opened !== null && found !== undefined && etagOf(found) === etag)
    return opened.createReadStream({ ...range, highWaterMark: READ_BYTES });
  await opened?.close();
  throw new ObjectsError('changed', `${key} was replaced or deleted since it was opened`);
}
