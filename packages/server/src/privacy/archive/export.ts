import { type TableName, tablesWhere } from '../../db/tables.ts';
import type { Database, Tx } from '../../db/tenancy.ts';
import { findOrganization } from '../../organizations/index.ts';
import { type ArchiveWriter, listFiles } from '../../platform/archive.ts';
import type { Objects } from '../../platform/objects/index.ts';
import type { ServerKey } from '../../platform/server-key.ts';
import { Contents } from './contents.ts';
import {
  ARCHIVED_TABLES,
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

export interface ExportDeps {
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
export const writeRows = (
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

export interface WrittenObjects {
  readonly objects: number;
  readonly missing: readonly string[];
}

/** Writes the objects that the rows refer to and that are not in the archive yet, then its end. */
export async function writeObjects(
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
