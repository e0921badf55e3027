import { type Static, type TSchema, Type } from '@foreword/contract';
import { ListedFile } from '../../platform/archive.ts';
import { parseFile } from '../../platform/validate.ts';

/** The backup cannot be made, read or restored. The message completes a sentence that names the file or the folder. */
export class BackupError extends Error {}

/** Increases with each change that would make a released version misread an archive. */
const FORMAT = 1;
/** The first entry of an archive: whether it can be restored here. */
export const HEADER_PATH = 'foreword-backup.json';
export const KEY_PATH = 'server.key';
export const DATABASE_FOLDER = 'database';
export const OBJECTS_FOLDER = 'objects';

/** The header of any format. */
const AnyHeader = Type.Object({ format: Type.Integer() });

const Header = Type.Object({
  format: Type.Integer(),
  /** The version of Foreword. */
  foreword: Type.String(),
  created_at: Type.String(),
  /** PostgreSQL's files depend on the processor. */
  platform: Type.String(),
  postgres_major: Type.Integer(),
  /** False: they are in S3. */
  includes_objects: Type.Boolean(),
  includes_server_key: Type.Boolean(),
});
export type Header = Static<typeof Header>;

const Manifest = Type.Object({
  header: Header,
  postgres_version: Type.String(),
  system_identifier: Type.String(),
  /** The position in the WAL that the database has after a restore. */
  ends_at: Type.String(),
  migrations: Type.Array(Type.String()),
  /** Derived from the key; it opens nothing. */
  server_key_fingerprint: Type.String(),
  /** In the order of the archive. */
  files: Type.Array(ListedFile),
});
export type Manifest = Static<typeof Manifest>;

export const newHeader = (options: Omit<Header, 'format' | 'platform'>): Header => ({
  format: FORMAT,
  platform: `${process.platform}-${process.arch}`,
  ...options,
});

function parse<Schema extends TSchema>(schema: Schema, text: Buffer): Static<Schema> {
  const value = parseFile(schema, text);
  if (value === undefined) throw new BackupError('it is damaged');
  return value;
}

/** Throws a BackupError when this version of Foreword cannot restore the archive on this machine. */
export function readHeader(text: Buffer, postgresMajor: number): Header {
  const { format } = parse(AnyHeader, text);
  if (format > FORMAT) throw new BackupError('it was made by a newer version of Foreword; use that version');
  const header = parse(Header, text);
  const here = `${process.platform}-${process.arch}`;
  if (header.platform !== here) {
    throw new BackupError(
      `it was made on ${header.platform}, and this machine is ${here}: the files of PostgreSQL differ. Restore it on a machine of that kind, and move with pg_dump`,
    );
  }
  if (header.postgres_major !== postgresMajor) {
    throw new BackupError(
      `it contains PostgreSQL ${header.postgres_major}, and this version of Foreword runs ${postgresMajor}. Restore it with Foreword ${header.foreword}`,
    );
  }
  return header;
}

export const readManifest = (text: Buffer): Manifest => parse(Manifest, text);
