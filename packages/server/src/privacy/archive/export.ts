import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type TableName, tablesWhere } from '../../db/tables.ts';
import type { Database, Tx } from '../../db/tenancy.ts';
import { findOrganization } from '../../organizations/index.ts';
import { ArchiveError, ArchiveWriter, createArchive, END_BYTES, listFiles } from '../../platform/archive.ts';
import type { Objects } from '../../platform/objects/index.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import type { WorkFolders } from '../../platform/work-folders.ts';
import {
  ARCHIVED_TABLES,
  Contents,
  FORMAT,
  HEADER_PATH,
  type Header,
  type Manifest,
  objectKeyOf,
  objectPath,
  ROWS_FILE_BYTES,
  ROWS_PATH,
  rowsPath,
  TransferError,
  toLine,
  writeJson,
} from './format.ts';
import { type ExportScope, readRows, readShapes, readState, type TableShape } from './store.ts';

interface ExportDeps {
  readonly db: Pick<Database, 'kysely'>;
  readonly objects: Pick<Objects, 'open'>;
  readonly serverKey: ServerKey;
  /** Foreword's version. */
  readonly version: string;
}

async function newHeader(
  { serverKey, version }: Pick<ExportDeps, 'serverKey' | 'version'>,
  tx: Tx,
  { tenant, phone }: ExportScope,
): Promise<Header> {
  const organization = await findOrganization(tx, tenant.organizationId);
  if (organization === null) throw new TransferError('This organization no longer exists.');
  const { schema, now } = await readState(tx);
  return {
    format: FORMAT,
    foreword: version,
    schema,
    created_at: now.toISOString(),
    kind: phone === null ? 'organization' : 'recipient',
    organization: { id: organization.id, name: organization.name },
    recipient: phone === null ? null : { phone },
    server_key_fingerprint: serverKey.identities().at(-1) ?? '',
  };
}

async function writeTable(
  tx: Tx,
  table: TableName,
  shape: TableShape,
  scope: ExportScope,
  { output, contents }: { output: ArchiveWriter; contents: Contents },
): Promise<void> {
  let lines: string[] = [];
  let bytes = 0;
  let part = 0;
  const flush = async () => {
    if (lines.length === 0) return;
    part += 1;
    await output.addBuffer(rowsPath(table, part), Buffer.from(`${lines.join('\n')}\n`));
    lines = [];
    bytes = 0;
  };
  for await (const batch of readRows(tx, table, shape, scope)) {
    for (const json of batch) {
      const line = toLine(json);
      contents.addRow(table, JSON.parse(line));
      lines.push(line);
      bytes += line.length;
      if (bytes >= ROWS_FILE_BYTES) await flush();
    }
  }
  await flush();
}

/** Writes the header and all rows as of one moment. */
const writeRows = (
  deps: ExportDeps,
  scope: ExportScope,
  newOutput: (header: Header) => ArchiveWriter,
): Promise<{ header: Header; output: ArchiveWriter; contents: Contents }> =>
  deps.db.kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      const header = await newHeader(deps, tx, scope);
      const output = newOutput(header);
      const contents = new Contents();
      await output.addBuffer(HEADER_PATH, writeJson(header));
      const shapes = await readShapes(tx, ARCHIVED_TABLES);
      for (const table of ARCHIVED_TABLES) {
        const shape = shapes.get(table);
        if (shape === undefined) throw new Error(`the table ${table} does not exist`);
        contents.addTable(table);
        await writeTable(tx, table, shape, scope, { output, contents });
      }
      if (Object.values(contents.rows).every((count) => count === 0)) {
        throw new TransferError('This organization has nothing about this recipient.');
      }
      await output.addBuffer(ROWS_PATH, writeJson(contents.rows));
      return { header, output, contents };
    });

/** Writes the objects that the rows refer to, then the end of the archive. */
async function writeObjects(
  { objects }: Pick<ExportDeps, 'objects'>,
  header: Header,
  output: ArchiveWriter,
  { rows, objects: needed }: Contents,
) {
  const missing: string[] = [];
  for (const key of needed) {
    const object = await objects.open(key);
    if (object !== null) await output.addStream(objectPath(key), object.size, await object.stream());
    else missing.push(key);
  }
  const files = listFiles(output.files);
  const written = files.filter(([path]) => objectKeyOf(path) !== null).length;
  await output.addManifest({
    header,
    rows,
    objects: written,
    missing_objects: missing,
    tables_left_out: [...tablesWhere(({ archive }) => typeof archive === 'object')],
    files,
  } satisfies Manifest);
  await output.finish();
  return { objects: written, missing };
}

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

/** Writes an archive to a file. */
export async function exportToFile(
  deps: ExportDeps,
  scope: ExportScope,
  file: string,
  onProgress: (bytes: number) => void,
) {
  try {
    return await createArchive(file, async (destination) => {
      const newOutput = ({ created_at }: Header) =>
        new ArchiveWriter(destination, { now: new Date(created_at), onProgress });
      const { header, output, contents } = await writeRows(deps, scope, newOutput);
      const written = await writeObjects(deps, header, output, contents);
      return { ...written, header, rows: Object.values(contents.rows).reduce((sum, count) => sum + count, 0) };
    });
  } catch (error) {
    throw error instanceof ArchiveError ? new TransferError(`Cannot write ${file}: ${error.message}.`) : error;
  }
}
