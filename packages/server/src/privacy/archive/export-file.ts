import { existsSync } from 'node:fs';
import { open, readdir, rename, stat, unlink } from 'node:fs/promises';
import path from 'node:path';
import {
  ArchiveError,
  ArchiveWriter,
  NoSpaceError,
  publishFile,
  readArchive,
  readEntry,
  type WrittenFile,
} from '../../platform/archive.ts';
import { systemClock } from '../../platform/clock.ts';
import { ownerState, processTag } from '../../platform/process-tag.ts';
import { Contents } from './contents.ts';
import { type ExportDeps, type WrittenObjects, writeObjects, writeRows } from './export.ts';
import {
  HEADER_PATH,
  type Header,
  objectKeyOf,
  parseLine,
  ROWS_FILE_LIMIT,
  ROWS_PATH,
  readHeader,
  readRowCounts,
  splitLines,
  TransferError,
  tableOf,
} from './format.ts';
import type { ExportScope } from './store.ts';

const UNFINISHED = '.unfinished-';
/** A file of another machine that changed this recently is being written. */
const IDLE_MS = 60_000;

export interface ExportSummary extends WrittenObjects {
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
    const { size } = await handle.stat();
    // Without complete rows nothing can be continued.
    if (error instanceof TransferError && size < ROWS_FILE_LIMIT && !(await readUnfinished(own))) await unlink(own);
    if (!(error instanceof NoSpaceError)) throw error;
    throw new TransferError(`${error.message}. Make space and run the command again: it continues.`);
  } finally {
    destination.destroy();
    await handle.close();
  }
}
