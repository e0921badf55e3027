import { createHash, hash } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import {
  ArchiveError,
  CHECKSUM_PATH,
  type Entry,
  MANIFEST_PATH,
  readArchive,
  writeChecksum,
} from '../../platform/archive.ts';
import {
  BackupError,
  DATABASE_FOLDER,
  HEADER_PATH,
  type Header,
  KEY_PATH,
  type Manifest,
  OBJECTS_FOLDER,
  readHeader,
  readManifest,
} from './manifest.ts';

/** Small entries that are read into memory. A manifest has a hundred bytes for each file. */
const MEMORY_LIMIT_BYTES = 512 * 1024 * 1024;
const IN_MEMORY = new Set([HEADER_PATH, MANIFEST_PATH, CHECKSUM_PATH]);

export interface Unpacked {
  readonly manifest: Manifest;
  /** Paths of objects that were replaced while the backup was made. They do not belong to it. */
  readonly superseded: readonly string[];
}

interface UnpackOptions {
  readonly file: string;
  /** Where an entry is written; null if it is only checked. */
  readonly locate: (entry: string) => string | null;
  readonly onProgress: (bytes: number, total: number) => void;
}

/** Whether the archive can be restored here. Reads only its first entry. */
export async function readHeaderOf(file: string, postgresMajor: number): Promise<Header> {
  try {
    for await (const entry of readArchive(file)) {
      if (entry.path !== HEADER_PATH) break;
      return readHeader(await readWhole(entry), postgresMajor);
    }
    throw new BackupError('it is not a backup of Foreword');
  } catch (error) {
    throw describe(file, error);
  }
}

/** Where an entry belongs; null for one that is only checked. */
export function placeOf(
  entry: string,
  folders: { database: string; objects: string | null; staging: string },
): string | null {
  const [first = '', ...rest] = entry.split('/');
  if (entry === KEY_PATH) return path.join(folders.staging, KEY_PATH);
  if (first === DATABASE_FOLDER) return path.join(folders.database, ...rest);
  return first === OBJECTS_FOLDER && folders.objects !== null ? path.join(folders.objects, ...rest) : null;
}

/** Writes the entries of an archive to where `locate` says, and checks each byte of the archive. */
export async function unpack(options: UnpackOptions): Promise<Unpacked> {
  try {
    return await readAll(options);
  } catch (error) {
    throw describe(options.file, error);
  }
}

function describe(file: string, error: unknown): unknown {
  if (error instanceof ArchiveError || error instanceof BackupError) {
    return new BackupError(`cannot use ${file}: ${error.message}`);
  }
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new BackupError(`there is no space left to unpack ${file}`);
  if (syscall === 'open' && (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR'))
    return new BackupError(`cannot read ${file} (${code})`);
  return error;
}

async function readAll({ file, locate, onProgress }: UnpackOptions): Promise<Unpacked> {
  const seen = new Map<string, string>();
  const kept = new Map<string, Buffer>();
  for await (const entry of readArchive(file, onProgress)) {
    if (entry.isFolder) {
      const folder = locate(entry.path);
      if (folder !== null) await mkdir(folder, { recursive: true, mode: 0o700 });
    } else if (IN_MEMORY.has(entry.path)) {
      kept.set(entry.path, await readWhole(entry));
    } else {
      seen.set(entry.path, await writeEntry(entry, locate(entry.path)));
    }
  }
  return check(seen, kept);
}

function check(seen: ReadonlyMap<string, string>, kept: ReadonlyMap<string, Buffer>): Unpacked {
  const text = kept.get(MANIFEST_PATH);
  if (text === undefined || kept.get(CHECKSUM_PATH)?.equals(writeChecksum(text)) !== true) {
    throw new BackupError('it is damaged: its list of files is missing or was changed');
  }
  const manifest = readManifest(text);
  const head = kept.get(HEADER_PATH) ?? Buffer.alloc(0);
  const found = new Map(seen).set(HEADER_PATH, fingerprint(head.length, hash('sha256', head)));
  for (const [name, size, sha256] of manifest.files) {
    if (found.get(name) !== fingerprint(size, sha256))
      throw new BackupError(`it is damaged: ${name} was changed or is missing`);
    found.delete(name);
  }
  const superseded = [...found.keys()];
  const foreign = superseded.find((name) => !name.startsWith(`${OBJECTS_FOLDER}/`));
  if (foreign !== undefined) throw new BackupError(`it is damaged: ${foreign} does not belong to it`);
  return { manifest, superseded };
}

const fingerprint = (size: number, sha256: string): string => `${size} ${sha256}`;

async function readWhole(entry: Entry): Promise<Buffer> {
  if (entry.size > MEMORY_LIMIT_BYTES) throw new BackupError('it is damaged');
  return Buffer.concat(await Array.fromAsync(entry.content));
}

/** Returns the size and the hash. */
async function writeEntry(entry: Entry, file: string | null): Promise<string> {
  const hash = createHash('sha256');
  if (file !== null) await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const handle = file === null ? null : await open(file, 'w', 0o600);
  try {
    for await (const chunk of entry.content) {
      hash.update(chunk);
      await handle?.writeFile(chunk);
    }
  } finally {
    await handle?.close();
  }
  return fingerprint(entry.size, hash.digest('hex'));
}
