import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { open, readdir, rename, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type TableName, tablesWhere } from '../../db/tables.ts';
import type { Database, Tx } from '../../db/tenancy.ts';
import { findOrganization } from '../../organizations/index.ts';
import {
  ArchiveError,
  ArchiveWriter,
  END_BYTES,
  listFiles,
  NoSpaceError,
  publishFile,
  readArchive,
  readEntry,
  type WrittenFile,
} from '../../platform/archive.ts';
import { systemClock } from '../../platform/clock.ts';
import type { Objects } from '../../platform/objects/index.ts';
import { ownerState, processTag } from '../../platform/process.ts';
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
  parseLine,
  ROWS_FILE_BYTES,
  ROWS_FILE_LIMIT,
  ROWS_PATH,
  readHeader,
  readRowCounts,
  rowsPath,
  splitLines,
  TransferError,
  tableOf,
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

interface WrittenObjects {
  readonly objects: number;
  readonly missing: readonly string[];
}

/** Writes the objects that the rows refer to and that are not in the archive yet, then its end. */
async function writeObjects(
  { objects }: Pick<ExportDeps, 'objects'>,
  header: Header,
  output: ArchiveWriter,
  { rows, objects: needed }: Contents,
): Promise<WrittenObjects> {
  const missing: string[] = [];
  const present = new Set(output.files.map(({ path }) => path));
  for (const key of needed) {
    const path = objectPath(key);
    if (present.has(path)) continue;
    const object = await objects.open(key);
    if (object !== null) await output.addStream(path, object.size, await object.stream());
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

const UNFINISHED = '.unfinished-';
/** A file of another machine that changed this recently is being written. */
const IDLE_MS = 60_000;

interface ExportSummary extends WrittenObjects {
  readonly header: Header;
  readonly rows: number;
  readonly bytes: number;
  /** Whether it continued an interrupted export. */
  readonly resumed: boolean;
}

/** The part of an interrupted export that is complete: all rows, and the first objects. */
interface Unfinished {
  readonly header: Header;
  readonly contents: Contents;
  readonly files: readonly WrittenFile[];
  readonly bytes: number;
}

/** Null if the rows are incomplete; then nothing of it is used. */
async function readUnfinished(file: string): Promise<Unfinished | null> {
  const contents = new Contents();
  const files: WrittenFile[] = [];
  let header: Header | null = null;
  let hasRows = false;
  let bytes = 0;
  try {
    const { size } = await stat(file);
    for await (const entry of readArchive(file)) {
      const isObject = objectKeyOf(entry.path) !== null;
      // The manifest and what was cut off are written again.
      if (entry.end > size || isObject !== hasRows || (!isObject && entry.size > ROWS_FILE_LIMIT)) break;
      const { sha256, content } = await readEntry(entry, !isObject);
      if (entry.path === HEADER_PATH) header = readHeader(content);
      else if (entry.path === ROWS_PATH) hasRows = contents.matches(readRowCounts(content));
      else if (!isObject) addRows(contents, entry.path, content);
      files.push({ path: entry.path, size: entry.size, sha256 });
      bytes = entry.end;
    }
  } catch (error) {
    if (!(error instanceof ArchiveError || error instanceof TransferError)) throw error;
  }
  return header !== null && hasRows ? { header, contents, files, bytes } : null;
}

function addRows(contents: Contents, name: string, content: Buffer): void {
  const table = tableOf(name) ?? '';
  for (const line of splitLines(name, content)) contents.addRow(table, parseLine(name, line));
}

/** Takes over the unfinished file of a process that has ended. Returns the file of this process, and whether it existed. */
async function claimUnfinished(file: string): Promise<{ own: string; exists: boolean }> {
  const own = `${file}${UNFINISHED}${processTag}`;
  const folder = path.dirname(file);
  const prefix = `${path.basename(file)}${UNFINISHED}`;
  let exists = false;
  for (const name of await readdir(folder)) {
    if (!name.startsWith(prefix)) continue;
    const other = path.join(folder, name);
    const state = ownerState(name.slice(prefix.length));
    const { mtimeMs } = await stat(other);
    if (state === 'alive' || (state === 'unknown' && systemClock().getTime() - mtimeMs < IDLE_MS)) {
      throw new TransferError(`Another export is writing ${file}.`);
    }
    // After a restart of the machine, parts of the file may never have reached the disk.
    if (state === 'unknown') await unlink(other);
    else {
      await rename(other, own);
      exists = true;
    }
  }
  return { own, exists };
}

const isSameExport = (header: Header, { tenant, phone }: ExportScope, { serverKey, version }: ExportDeps): boolean =>
  header.organization.id === tenant.organizationId &&
  (header.recipient?.phone ?? null) === phone &&
  header.foreword === version &&
  header.server_key_fingerprint === serverKey.identities().at(-1);

/**
 * Writes an archive to a file, which has its name only when it is complete. After an interruption, the next export to the same
 * name keeps the rows of the first one and continues with its objects.
 */
export async function exportToFile(
  deps: ExportDeps,
  scope: ExportScope,
  file: string,
  onProgress: (bytes: number) => void,
): Promise<ExportSummary> {
  if (existsSync(file)) throw new TransferError(`${file} already exists. Choose another name.`);
  if (!existsSync(path.dirname(file))) throw new TransferError(`The folder ${path.dirname(file)} does not exist.`);
  const { own, exists } = await claimUnfinished(file);
  const found = exists ? await readUnfinished(own) : null;
  const earlier = found !== null && isSameExport(found.header, scope, deps) ? found : null;
  const handle = await open(own, exists ? 'r+' : 'wx', 0o600);
  const start = earlier?.bytes ?? 0;
  const destination = handle.createWriteStream({ start, autoClose: false });
  try {
    await handle.truncate(start);
    const newOutput = ({ created_at }: Header) =>
      new ArchiveWriter(destination, {
        now: new Date(created_at),
        files: earlier?.files ?? [],
        onProgress: (bytes) => onProgress(start + bytes),
      });
    const { header, output, contents } =
      earlier === null ? await writeRows(deps, scope, newOutput) : { ...earlier, output: newOutput(earlier.header) };
    const written = await writeObjects(deps, header, output, contents);
    await handle.sync();
    const { size: bytes } = await handle.stat();
    await publishFile(own, file);
    const rows = Object.values(contents.rows).reduce((sum, count) => sum + count, 0);
    return { ...written, header, rows, bytes, resumed: earlier !== null };
  } catch (error) {
    // A failed stream has closed the handle.
    const { size } = await stat(own);
    // Without complete rows nothing can be continued.
    if (error instanceof TransferError && size < ROWS_FILE_LIMIT && !(await readUnfinished(own))) await unlink(own);
    if (!(error instanceof NoSpaceError)) throw error;
    throw new TransferError(`${error.message}. Make space and run the command again: it continues.`);
  } finally {
    destination.destroy();
    await handle.close();
  }
}
