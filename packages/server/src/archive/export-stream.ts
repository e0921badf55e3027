import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import type { WorkFolders } from '../platform/work-folders.ts';
import { type ExportDeps, writeObjects, writeRows } from './export.ts';
import { ArchiveOutput, type Sink } from './output.ts';
import type { ExportScope } from './store.ts';

/** Waits while the reader is slow. Throws once the download was cancelled. */
export const sinkOf =
  (stream: PassThrough): Sink =>
  async (bytes) => {
    if (stream.destroyed) throw new Error('the download was cancelled');
    // The chunk may be reused by its source.
    if (stream.write(Buffer.from(bytes))) return;
    const ended = new AbortController();
    const { signal } = ended;
    const events = [once(stream, 'drain', { signal }), once(stream, 'close', { signal })];
    try {
      await Promise.race(events);
    } finally {
      // Removes the listener of the other event. A large archive waits thousands of times.
      ended.abort();
      await Promise.allSettled(events);
    }
  };

/**
 * Streams an archive at the pace of its reader. The rows are stored in a temporary file first, so that a slow download keeps no
 * transaction open.
 */
export async function exportToStream(
  deps: ExportDeps & { readonly workFolders: WorkFolders },
  scope: ExportScope,
  onError: (error: unknown) => void,
): Promise<Readable> {
  const stream = new PassThrough();
  const started = Promise.withResolvers<void>();
  let isStarted = false;
  const work = deps.workFolders.use('export', async (folder) => {
    const file = path.join(folder, 'rows.tar');
    const handle = await open(file, 'wx', 0o600);
    const rows = await writeRows(
      deps,
      scope,
      ({ created_at }) =>
        new ArchiveOutput(async (bytes) => void (await handle.writeFile(bytes)), new Date(created_at)),
    ).finally(() => handle.close());
    isStarted = true;
    started.resolve();
    const sink = sinkOf(stream);
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) await sink(chunk);
    rows.output.sink = sink;
    await writeObjects(deps, rows.header, rows.output, rows.contents);
    stream.end();
  });
  work.catch((error: unknown) => {
    started.reject(error);
    if (!isStarted || stream.destroyed) return;
    onError(error);
    // The connection breaks off, so that no one takes the file for a complete one.
    stream.destroy(error as Error);
  });
  await started.promise;
  return stream;
}
