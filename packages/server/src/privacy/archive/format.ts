import { type Static, type TSchema, Type } from '@foreword/contract';
import { readMigrations } from '../../db/migrate.ts';
import { type TableName, tablesWhere } from '../../db/tables.ts';
import { ListedFile, MANIFEST_PATH } from '../../platform/archive.ts';
import { parseJson } from '../../platform/json.ts';
import { parseFile } from '../../platform/validate.ts';
import { keyOf, originalPrefixOf, RECORDING_FILES, type RecordingFile } from '../../recordings/index.ts';

/** An archive cannot be written or imported. The message is one sentence for the operator. */
export class TransferError extends Error {}

/** Increases with each change that would make a released version misread an archive. */
export const FORMAT = 1;
export const HEADER_PATH = 'foreword-export.json';
/** The number of rows per table. It marks the end of the rows. */
export const ROWS_PATH = 'rows.json';
const OBJECTS_FOLDER = 'objects/';

/** A file of rows is written when it reaches this size, so that memory stays constant. */
export const ROWS_FILE_BYTES = 1024 * 1024;
/** No row is nearly as large, so a file above this size was not written by Foreword. */
export const ROWS_FILE_LIMIT = 16 * 1024 * 1024;
/** One line per file. */
export const MANIFEST_LIMIT = 256 * 1024 * 1024;

export const ARCHIVED_TABLES = tablesWhere(({ archive }) => typeof archive !== 'object');

const PART_DIGITS = 6;
export const rowsPath = (table: string, part: number): string =>
  `rows/${table}/${String(part).padStart(PART_DIGITS, '0')}.jsonl`;
/** Null for another file. */
export function tableOf(path: string): TableName | null {
  const [, name] = /^rows\/([a-z_]+)\/\d{6}\.jsonl$/.exec(path) ?? [];
  return ARCHIVED_TABLES.find((table) => table === name) ?? null;
}
export const objectPath = (key: string): string => OBJECTS_FOLDER + key;
/** Null for another file. */
export const objectKeyOf = (path: string): string | null =>
  path.startsWith(OBJECTS_FOLDER) ? path.slice(OBJECTS_FOLDER.length) : null;

/** The header of any format. */
const AnyHeader = Type.Object({ format: Type.Integer() });

const Header = Type.Object({
  format: Type.Integer(),
  /** The version of Foreword. */
  foreword: Type.String(),
  /** The last migration of the database. */
  schema: Type.String(),
  /** The moment of the rows. */
  created_at: Type.String(),
  kind: Type.Union([Type.Literal('organization'), Type.Literal('recipient')]),
  organization: Type.Object({ id: Type.String({ pattern: '^org_[0-9a-hjkmnp-tv-z]{26}$' }), name: Type.String() }),
  recipient: Type.Union([Type.Null(), Type.Object({ phone: Type.String() })]),
  /** Derived from the server key; it opens nothing. */
  server_key_fingerprint: Type.String(),
});
export type Header = Static<typeof Header>;

const RowCounts = Type.Record(Type.String(), Type.Integer());
type RowCounts = Static<typeof RowCounts>;

const Manifest = Type.Object({
  header: Header,
  rows: RowCounts,
  objects: Type.Integer(),
  /** Files that a row refers to and that were deleted before the export reached them. */
  missing_objects: Type.Array(Type.String()),
  tables_left_out: Type.Array(Type.String()),
  /** All files before the manifest, in the order of the archive. */
  files: Type.Array(ListedFile),
});
export type Manifest = Static<typeof Manifest>;

export const writeJson = (value: unknown): Buffer => Buffer.from(`${JSON.stringify(value, null, 1)}\n`);

function parse<Schema extends TSchema>(schema: Schema, path: string, text: Buffer): Static<Schema> {
  const value = parseFile(schema, text);
  if (value === undefined) throw new TransferError(`${path} is damaged`);
  return value;
}

export function readHeader(text: Buffer): Header {
  const { format } = parse(AnyHeader, HEADER_PATH, text);
  if (format !== FORMAT) {
    throw new TransferError(`its format is ${format}, and this version of Foreword reads format ${FORMAT}`);
  }
  const header = parse(Header, HEADER_PATH, text);
  if (!readMigrations().some(({ name }) => name === header.schema)) {
    throw new TransferError(
      `it was made by Foreword ${header.foreword}, whose tables this version does not know; import it with that version`,
    );
  }
  return header;
}

export const readRowCounts = (text: Buffer): RowCounts => parse(RowCounts, ROWS_PATH, text);
export const readManifest = (text: Buffer): Manifest => parse(Manifest, MANIFEST_PATH, text);

export type Row = Readonly<Record<string, unknown>>;

/** Numbers keep the text they were written with. JavaScript's own type definitions do not know this yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
type SourceReviver = (key: string, value: unknown, context: { readonly source: string }) => unknown;
const keepNumbers: SourceReviver = (_key, value, { source }) => (typeof value === 'number' ? rawJSON(source) : value);

/** The line with other values of some columns. Everything else stays the same to the digit, such as `1.0` in metadata. */
export const changeLine = (line: string, changes: Row): string =>
  JSON.stringify({ ...JSON.parse(line, keepNumbers as (key: string, value: unknown) => unknown), ...changes });

/** PostgreSQL returns columns of type json as they were stored, possibly with line breaks between values. */
export const toLine = (json: string): string => json.replaceAll(/[\r\n]+/g, ' ');

export function parseLine(path: string, line: string): Row {
  const value = parseJson(line);
  if (value === undefined) throw new TransferError(`${path} has a line that is not JSON`);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TransferError(`${path} has a line that is not an object`);
  }
  return value as Row;
}

export function splitLines(path: string, content: Buffer): string[] {
  const text = content.toString('utf8');
  if (!text.endsWith('\n')) throw new TransferError(`${path} has an incomplete line`);
  return text.slice(0, -1).split('\n');
}

const FILES = Object.keys(RECORDING_FILES) as RecordingFile[];

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Keys. Takes that are still uploaded, or were replaced by another one, are left out. */
function objectsOfTake(row: Row): string[] {
  if (row.deleted_at !== null) return [];
  const take = { organization_id: text(row.organization_id), id: text(row.id) };
  const hasOriginal = row.original_deleted_at === null && row.status !== 'uploading' && row.status !== 'discarded';
  const parts = hasOriginal && Array.isArray(row.parts) ? row.parts : [];
  const originals = parts.map((part) => originalPrefixOf(take) + text(part));
  if (row.status !== 'ready') return originals;
  const has: Partial<Record<RecordingFile, unknown>> = {
    'captions.vtt': row.has_captions,
    'preview.webp': row.has_preview,
  };
  const files = FILES.filter((file) => has[file] !== false).map((file) => keyOf(take, file));
  return [...files, ...originals];
}

function objectsOf(table: string, row: Row): string[] {
  if (table === 'recordings') return objectsOfTake(row);
  const picture = table === 'organizations' ? row.logo : table === 'members' ? row.photo : null;
  return typeof picture === 'string' ? [picture] : [];
}

/** How many rows an archive has, and which objects they refer to. */
export class Contents {
  readonly rows: RowCounts = {};
  /** Keys of objects. */
  readonly objects = new Set<string>();

  /** Tables without rows are listed, too. */
  addTable(table: string): void {
    this.rows[table] ??= 0;
  }

  /** Whether the archive lists the rows that were added. */
  matches(listed: RowCounts): boolean {
    return Object.keys({ ...listed, ...this.rows }).every((table) => listed[table] === (this.rows[table] ?? 0));
  }

  /** Returns the keys of the objects that the row refers to. */
  addRow(table: string, row: Row): readonly string[] {
    this.rows[table] = (this.rows[table] ?? 0) + 1;
    const keys = objectsOf(table, row);
    for (const key of keys) this.objects.add(key);
    return keys;
  }
}
