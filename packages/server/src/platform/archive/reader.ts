import { type FileHandle, open } from 'node:fs/promises';
import { ArchiveError } from './error.ts';
import { BLOCK_BYTES, type EntryHead, paddingOf, readHead } from './header.ts';

const CHUNK_BYTES = 1024 * 1024;

export interface Entry extends EntryHead {
  /** The content. Each chunk is valid until the next one is read, and everything must be read before the next entry. */
  chunks(): AsyncIterable<Buffer>;
}

/** Reads an archive of ArchiveWriter from its beginning to its end. Rejects everything that the writer would not write. */
export class ArchiveReader {
  readonly #handle: FileHandle;
  readonly #chunk = Buffer.allocUnsafe(CHUNK_BYTES);
  readonly #onProgress: (bytes: number) => void;
  readonly size: number;
  #at = 0;

  private constructor(handle: FileHandle, size: number, onProgress: (bytes: number) => void) {
    this.#handle = handle;
    this.size = size;
    this.#onProgress = onProgress;
  }

  static async open(file: string, onProgress: (bytes: number) => void): Promise<ArchiveReader> {
    const handle = await open(file, 'r');
    const stats = await handle.stat();
    if (stats.isFile()) return new ArchiveReader(handle, stats.size, onProgress);
    await handle.close();
    throw new ArchiveError('it is not a file');
  }

  async *entries(): AsyncGenerator<Entry> {
    for (;;) {
      const head = Buffer.from(await this.#read(BLOCK_BYTES));
      if (isZero(head)) break;
      const entry = readHead(head);
      let isRead = false;
      const chunks = async function* (this: ArchiveReader) {
        for (let left = entry.size; left > 0; ) {
          const chunk = await this.#read(Math.min(CHUNK_BYTES, left));
          left -= chunk.length;
          yield chunk;
        }
        isRead = true;
      }.bind(this);
      yield { ...entry, chunks };
      if (!isRead && entry.size > 0) throw new Error(`${entry.path} was not read to its end`);
      await this.#expectZeros(paddingOf(entry.size));
    }
    await this.#expectZeros(BLOCK_BYTES);
    if (this.#at !== this.size) throw new ArchiveError('it is damaged: something follows its end');
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #expectZeros(length: number): Promise<void> {
    if (!isZero(await this.#read(length))) throw new ArchiveError('it is damaged');
  }

  async #read(length: number): Promise<Buffer> {
    for (let got = 0; got < length; ) {
      const { bytesRead } = await this.#handle.read(this.#chunk, got, length - got, this.#at);
      if (bytesRead === 0) throw new ArchiveError('it is incomplete: its end is missing');
      got += bytesRead;
      this.#at += bytesRead;
    }
    this.#onProgress(this.#at);
    return this.#chunk.subarray(0, length);
  }
}

const isZero = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);
