/** Writes and reads tar archives of files and folders. */

import { createHash, hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { type FileHandle, open, rename, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Static, Type } from '@foreword/contract';
import { extract, type Header, pack } from 'tar-stream';
import { syncFolder } from './data-dir.ts';
import { processTag, removeAbandoned } from './process.ts';

/** The end of an archive: two blocks of zeros. */
export const END_BYTES = 1024;
const CHUNK_BYTES = 256 * 1024;
/** Letters, digits and a few signs; no part is `.` or `..`, and no path is absolute. */
const PATH = /^(?!\.{1,2}(\/|$))[A-Za-z0-9_.-]+(\/(?!\.{1,2}(\/|$))[A-Za-z0-9_.-]+)*$/;
const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG'];
const PARTIAL = '.partial-';

/** The archive cannot be written or read. The message completes "… FILE: ". */
export class ArchiveError extends Error {}

export interface WrittenFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/** Writes an archive to a stream, one entry after another, at the pace of the stream. */
export class ArchiveWriter {
  readonly #pack = pack();
  readonly #written: Promise<void>;
  readonly #mtime: Date;
  readonly #onProgress: (bytes: number) => void;
  /** All files so far. */
  readonly files: WrittenFile[];
  #failure: unknown;
  #bytes = 0;

  /** `files` are already in an archive that this one continues. */
  constructor(
    destination: Writable,
    options: { now: Date; files?: readonly WrittenFile[]; onProgress?: (bytes: number) => void },
  ) {
    this.#mtime = options.now;
    this.#onProgress = options.onProgress ?? (() => undefined);
    this.files = [...(options.files ?? [])];
    this.#written = pipeline(this.#pack, destination);
    this.#written.catch((error: unknown) => {
      this.#failure = error;
    });
  }

  /** The bytes that were added. */
  get bytes(): number {
    return this.#bytes;
  }

  async addFolder(folder: string): Promise<void> {
    await pipeline([], this.#newEntry({ name: folder, type: 'directory', mode: 0o700 })).catch(explainWriting);
  }

  addBuffer(name: string, content: Buffer): Promise<WrittenFile> {
    return this.addStream(name, content.length, [content]);
  }

  /** Adds the first `size` bytes of a file that may change meanwhile, with zeros in place of a part that was cut off. */
  addFile(name: string, source: FileHandle, size: number): Promise<WrittenFile> {
    return this.addStream(name, size, readExactly(source, size));
  }

  /** Throws unless the content has `size` bytes. */
  async addStream(name: string, size: number, content: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<WrittenFile> {
    const hash = createHash('sha256');
    const observe = (chunk: Buffer): Buffer => {
      hash.update(chunk);
      this.#bytes += chunk.length;
      this.#onProgress(this.#bytes);
      return chunk;
    };
    const observed = async function* () {
      for await (const chunk of content) yield observe(chunk);
    };
    await pipeline(observed, this.#newEntry({ name, size, mode: 0o600 })).catch(explainWriting);
    const file = { path: name, size, sha256: hash.digest('hex') };
    this.files.push(file);
    return file;
  }

  /** Adds the last two entries. The manifest has one file per line, for people who look into an archive. */
  async addManifest<Manifest extends { readonly files: readonly ListedFile[] }>({ files, ...rest }: Manifest) {
    const lines = files.map((file) => `  ${JSON.stringify(file)}`).join(',\n');
    const start = JSON.stringify(rest, null, 1).slice(0, -2);
    const manifest = Buffer.from(`${start},\n "files": [\n${lines}\n ]\n}\n`);
    await this.addBuffer(MANIFEST_PATH, manifest);
    await this.addBuffer(CHECKSUM_PATH, writeChecksum(manifest));
  }

  async finish(): Promise<void> {
    this.#pack.finalize();
    await this.#written.catch(explainWriting);
  }

  #newEntry(header: Partial<Header> & { name: string }): Writable {
    if (this.#failure !== undefined) explainWriting(this.#failure);
    if (!PATH.test(header.name)) {
      throw new ArchiveError(`${JSON.stringify(header.name)} is not a valid path in an archive`);
    }
    // A stream of `streamx`, which has everything that `pipeline` uses.
    return this.#pack.entry({ ...header, mtime: this.#mtime }) as unknown as Writable;
  }
}

async function* readExactly(source: FileHandle, size: number): AsyncGenerator<Buffer> {
  let left = size;
  if (size > 0) {
    const stream = source.createReadStream({ start: 0, end: size - 1, autoClose: false, highWaterMark: CHUNK_BYTES });
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      left -= chunk.length;
      yield chunk;
    }
  }
  for (; left > 0; left -= CHUNK_BYTES) yield Buffer.alloc(Math.min(left, CHUNK_BYTES));
}

function explainWriting(error: unknown): never {
  const { code = '' } = error as NodeJS.ErrnoException;
  throw FULL.includes(code)
    ? new ArchiveError(`there is no space left (${code}); make space and run the command again`, { cause: error })
    : error;
}

/**
 * Writes an archive that has its name only when it is complete: before that, and after a crash, it is `NAME.partial-…`. Only its
 * owner can read it.
 */
export async function createArchive<Result extends object>(
  file: string,
  write: (destination: Writable) => Promise<Result>,
): Promise<Result & { readonly bytes: number }> {
  const folder = path.dirname(file);
  if (existsSync(file)) throw new ArchiveError('it already exists; choose another name');
  if (!existsSync(folder)) throw new ArchiveError(`the folder ${folder} does not exist`);
  await removeAbandoned(folder, (name) => name.split(PARTIAL)[1]);
  const partial = `${file}${PARTIAL}${processTag}`;
  const handle = await open(partial, 'wx', 0o600);
  const destination = handle.createWriteStream({ flush: true });
  const discard = async () => {
    destination.destroy();
    await unlink(partial).catch(() => undefined);
  };
  const stop = () => void discard().finally(() => process.exit(1));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    const result = await write(destination);
    await rename(partial, file);
    // So that it has its name after a power failure, too.
    await syncFolder(folder);
    return { ...result, bytes: (await stat(file)).size };
  } catch (error) {
    await discard();
    throw error;
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/** The last two entries of an archive: what it contains, and the checksum of that. */
export const MANIFEST_PATH = 'manifest.json';
export const CHECKSUM_PATH = 'manifest.json.sha256';
/** Path, size and SHA-256. */
export const ListedFile = Type.Tuple([Type.String(), Type.Integer(), Type.String()]);
export type ListedFile = Static<typeof ListedFile>;

export const listFiles = (files: readonly WrittenFile[]): ListedFile[] =>
  files.map(({ path, size, sha256 }) => [path, size, sha256]);

/** As `sha256sum` writes and checks it. */
export const writeChecksum = (manifest: Buffer): Buffer =>
  Buffer.from(`${hash('sha256', manifest)}  ${MANIFEST_PATH}\n`);

export interface Entry {
  readonly path: string;
  readonly isFolder: boolean;
  readonly size: number;
  readonly content: AsyncIterable<Buffer>;
}

/** Reads an entry to its end. Without `keep`, the content is empty. */
export async function readEntry(entry: Entry, keep: boolean): Promise<{ sha256: string; content: Buffer }> {
  const hash = createHash('sha256');
  const chunks: Buffer[] = [];
  for await (const chunk of entry.content) {
    hash.update(chunk);
    if (keep) chunks.push(chunk);
  }
  return { sha256: hash.digest('hex'), content: Buffer.concat(chunks) };
}

/**
 * Reads the entries of an archive in their order. Refuses links, other types and unusual paths. A complete archive needs a last
 * entry that the caller expects: one that was cut off between two entries just ends.
 */
export async function* readArchive(
  file: string,
  onProgress: (bytes: number, total: number) => void = () => undefined,
): AsyncGenerator<Entry> {
  const handle = await open(file, 'r');
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new ArchiveError('it is not a file');
    const source = handle.createReadStream({ autoClose: false, highWaterMark: CHUNK_BYTES });
    const archive = extract();
    const problem = pipeline(source, archive).then(() => null, explainReading);
    for await (const stream of explained(archive, problem)) {
      const { size } = stream.header;
      yield { ...readHeader(stream.header), size, content: explained(stream as AsyncIterable<Buffer>, problem) };
      onProgress(source.bytesRead, stats.size);
      // Skips the rest if the caller did not read it.
      stream.resume();
    }
  } finally {
    await handle.close();
  }
}

const DAMAGED = 'it is damaged, or not an archive of Foreword';

function readHeader({ name, type }: Header): Pick<Entry, 'path' | 'isFolder'> {
  const isFolder = type === 'directory';
  const entryPath = isFolder ? name.replace(/\/$/, '') : name;
  if ((isFolder || type === 'file') && PATH.test(entryPath)) return { path: entryPath, isFolder };
  throw new ArchiveError(DAMAGED);
}

function explainReading(error: NodeJS.ErrnoException): Error {
  if (error.errno !== undefined) return error;
  const isCutOff = error.message === 'Unexpected end of data';
  return new ArchiveError(isCutOff ? 'it is incomplete: its end is missing' : DAMAGED, { cause: error });
}

/** The items of a stream. It fails with the problem of the archive: its own error only says that it was destroyed. */
async function* explained<Item>(items: AsyncIterable<Item>, problem: Promise<Error | null>): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    throw (await problem) ?? error;
  }
}
