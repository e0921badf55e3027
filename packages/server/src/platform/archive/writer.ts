import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { ownerState, processTag } from '../process-tag.ts';
import { ArchiveError } from './error.ts';
import { ARCHIVE_END, paddingOf, writeHead } from './header.ts';

const CHUNK_BYTES = 1024 * 1024;
const PARTIAL = '.partial-';
const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG'];

export interface WrittenFile {
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

/**
 * Writes a tar archive. The file has its name only after `finish`: before that, and after a crash, it is `NAME.partial-…`.
 * Only its owner can read it.
 */
export class ArchiveWriter {
  readonly #file: string;
  readonly #partial: string;
  readonly #handle: FileHandle;
  readonly #modifiedAt: number;
  readonly #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  readonly #onProgress: (bytes: number) => void;
  #bytes = 0;

  private constructor(file: string, partial: string, handle: FileHandle, options: WriterOptions) {
    this.#file = file;
    this.#partial = partial;
    this.#handle = handle;
    this.#modifiedAt = Math.floor(options.now.getTime() / 1000);
    this.#onProgress = options.onProgress;
  }

  static async create(file: string, options: WriterOptions): Promise<ArchiveWriter> {
    await removeLeftovers(path.dirname(file));
    const partial = `${file}${PARTIAL}${processTag}`;
    const handle = await open(partial, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY, 0o600);
    return new ArchiveWriter(file, partial, handle, options);
  }

  /** The size of the archive so far. */
  get bytes(): number {
    return this.#bytes;
  }

  async addFolder(folder: string): Promise<void> {
    await this.#write(writeHead({ path: folder, isFolder: true, size: 0, modifiedAt: this.#modifiedAt }));
  }

  async addBuffer(name: string, content: Buffer): Promise<WrittenFile> {
    await this.#write(writeHead({ path: name, isFolder: false, size: content.length, modifiedAt: this.#modifiedAt }));
    await this.#write(content);
    await this.#write(Buffer.alloc(paddingOf(content.length)));
    return { path: name, size: content.length, sha256: createHash('sha256').update(content).digest('hex') };
  }

  /** Adds the first `size` bytes of a file that may change meanwhile, with zeros in place of a part that was cut off. */
  async addFile(name: string, source: FileHandle, size: number): Promise<WrittenFile> {
    await this.#write(writeHead({ path: name, isFolder: false, size, modifiedAt: this.#modifiedAt }));
    const hash = createHash('sha256');
    for (let at = 0; at < size; ) {
      const wanted = Math.min(CHUNK_BYTES, size - at);
      const { bytesRead } = await source.read(this.#chunk, 0, wanted, at);
      if (bytesRead === 0) this.#chunk.fill(0, 0, wanted);
      const part = this.#chunk.subarray(0, bytesRead || wanted);
      hash.update(part);
      await this.#write(part);
      at += part.length;
    }
    await this.#write(Buffer.alloc(paddingOf(size)));
    return { path: name, size, sha256: hash.digest('hex') };
  }

  /** Ends the archive, and gives the file its name once everything is on disk. */
  async finish(): Promise<void> {
    await this.#write(ARCHIVE_END);
    await this.#handle.sync();
    await this.#handle.close();
    await rename(this.#partial, this.#file);
    const folder = await open(path.dirname(this.#file), 'r');
    await folder.sync().finally(() => folder.close());
  }

  /** Deletes the unfinished file. */
  async discard(): Promise<void> {
    await this.#handle.close().catch(() => undefined);
    await unlink(this.#partial).catch(() => undefined);
  }

  async #write(bytes: Buffer): Promise<void> {
    try {
      for (let at = 0; at < bytes.length; ) {
        at += (await this.#handle.write(bytes, at, bytes.length - at)).bytesWritten;
      }
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (!FULL.includes(code)) throw error;
      throw new ArchiveError(`there is no space left (${code})`, { cause: error });
    }
    this.#bytes += bytes.length;
    this.#onProgress(this.#bytes);
  }
}

export interface WriterOptions {
  readonly now: Date;
  /** Called with the size of the archive so far. */
  readonly onProgress: (bytes: number) => void;
}

/** Deletes the unfinished archives of killed processes. */
async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const at = name.lastIndexOf(PARTIAL);
    if (at < 0 || ownerState(name.slice(at + PARTIAL.length)) !== 'gone') continue;
    await unlink(path.join(folder, name)).catch(() => undefined);
  }
}
