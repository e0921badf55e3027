import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ArchiveWriter, END_BYTES } from '../../platform/archive.ts';
import type { WorkFolders } from '../../platform/work-folders.ts';
import { type ExportDeps, writeObjects, writeRows } from './export.ts';
import type { ExportScope } from './store.ts';

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
    const rows = createWriteStream(file, { flags: 'wx', mode: 0o600 });
    const { header, output, contents } = await writeRows(
      deps,
      scope,
      ({ created_at }) => new ArchiveWriter(rows, { now: new Date(created_at) }),
    ).catch((error) => {
      rows.destroy();
      throw error;
    });
    await output.finish();
    isStarted = true;
    started.resolve();
    const { size } = await stat(file);
    await pipeline(createReadStream(file, { end: size - END_BYTES - 1 }), stream, { end: false });
    const rest = new ArchiveWriter(stream, { now: new Date(header.created_at), files: output.files });
    await writeObjects(deps, header, rest, contents);
  });
  work.catch((error: unknown) => {
    started.reject(error);
    const isCancelled = stream.destroyed && stream.errored === null;
    if (!isStarted || isCancelled) return;
    onError(error);
    // The connection breaks off, so that no one takes the file for a complete one.
    stream.destroy(error as Error);
  });
  await started.promise;
  return stream;
}
