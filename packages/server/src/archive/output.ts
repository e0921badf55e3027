import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ARCHIVE_END, paddingOf, writeHead } from '../platform/archive.ts';
import type { ArchivedFile } from './format.ts';

export type Sink = (bytes: Buffer) => Promise<void>;

/** Writes the files of an archive to a sink, one after another, and remembers their checksums. */
export class ArchiveOutput {
  readonly #modifiedAt: number;
  readonly #files: Map<string, ArchivedFile>;
  sink: Sink;

  /** `files` were already written by an interrupted export. */
  constructor(sink: Sink, now: Date, files: readonly ArchivedFile[] = []) {
    this.sink = sink;
    this.#modifiedAt = Math.floor(now.getTime() / 1000);
    this.#files = new Map(files.map((file) => [file[0], file]));
  }

  get files(): ArchivedFile[] {
    return [...this.#files.values()];
  }

  has(path: string): boolean {
    return this.#files.has(path);
  }

  async addBuffer(path: string, content: Buffer): Promise<void> {
    await this.#begin(path, content.length);
    await this.sink(content);
    await this.#end(path, content.length, createHash('sha256').update(content).digest('hex'));
  }

  async addStream(path: string, size: number, stream: Readable): Promise<void> {
    await this.#begin(path, size);
    const hash = createHash('sha256');
    let written = 0;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      written += chunk.length;
      if (written > size) break;
      hash.update(chunk);
      await this.sink(chunk);
    }
    if (written !== size) throw new Error(`${path} has changed while it was read`);
    await this.#end(path, size, hash.digest('hex'));
  }

  async finish(): Promise<void> {
    await this.sink(ARCHIVE_END);
  }

  #begin(path: string, size: number): Promise<void> {
    return this.sink(writeHead({ path, isFolder: false, size, modifiedAt: this.#modifiedAt }));
  }

  async #end(path: string, size: number, sha256: string): Promise<void> {
    await this.sink(Buffer.alloc(paddingOf(size)));
    this.#files.set(path, [path, size, sha256]);
  }
}
