import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { makeDataDir } from '../embedded-postgres/cluster.ts';
import { type ServerKey, ServerKeyError, toServerKey } from './key.ts';

const KEY_BYTES = 32;
const FILE_NAME = 'server.key';
/** The key that a rotation is about to use. It replaces server.key once the database uses it. */
const NEXT_FILE_NAME = 'server.key.next';

/** Where a process finds its server keys. */
export interface KeySource {
  readonly dataDir: string;
  /** SERVER_KEY and SERVER_KEY_PREVIOUS. Empty: the files in the data folder. */
  readonly given: readonly Buffer[];
}

export function parseServerKey(text: string): Buffer | null {
  return /^[0-9a-fA-F]{64}$/.test(text) ? Buffer.from(text, 'hex') : null;
}

function readFile(file: string): Buffer | null {
  let text: string;
  try {
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw new ServerKeyError(`cannot read ${file} (DATA_DIR): ${(error as Error).message}`);
  }
  const key = parseServerKey(text.trim());
  if (key === null) throw new ServerKeyError(`${file} (DATA_DIR) does not contain a key of 64 hexadecimal digits`);
  return key;
}

function syncFolder(folder: string): void {
  const handle = fs.openSync(folder, 'r');
  fs.fsyncSync(handle);
  fs.closeSync(handle);
}

/** Writes atomically and never replaces an existing key: a command and the service may start at the same time. */
function writeFile(file: string, key: Buffer): void {
  const draft = `${file}.${process.pid}`;
  const handle = fs.openSync(draft, 'w', 0o600);
  try {
    fs.writeSync(handle, `${key.toString('hex')}\n`);
    fs.fsyncSync(handle);
  } finally {
    fs.closeSync(handle);
  }
  try {
    fs.linkSync(draft, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    fs.unlinkSync(draft);
  }
  syncFolder(path.dirname(file));
}

/** Reads the key in this file, creating one if there is none. */
function readOrCreate(dataDir: string, name: string): Buffer {
  const file = path.join(dataDir, name);
  const known = readFile(file);
  if (known !== null) return known;
  makeDataDir(dataDir);
  try {
    writeFile(file, randomBytes(KEY_BYTES));
  } catch (error) {
    throw new ServerKeyError(`cannot write ${file} (DATA_DIR): ${(error as Error).message}`);
  }
  const written = readFile(file);
  if (written === null) throw new ServerKeyError(`${file} (DATA_DIR) was deleted while it was read`);
  return written;
}

/** Uses the given key, otherwise the one in the data folder, creating it if needed. */
export const openServerKey = (options: { dataDir: string; given: Buffer | undefined }): ServerKey =>
  toServerKey(options.given ?? readOrCreate(options.dataDir, FILE_NAME));

/** All keys of this source, without creating one. The database knows which one is in use. */
export function readServerKeys({ dataDir, given }: KeySource): readonly Buffer[] {
  if (given.length > 0) return given;
  return [FILE_NAME, NEXT_FILE_NAME].flatMap((name) => readFile(path.join(dataDir, name)) ?? []);
}

/** The key that a database without one gets. */
export const firstServerKey = ({ dataDir, given }: KeySource): Buffer => given[0] ?? readOrCreate(dataDir, FILE_NAME);

/** Creates the key of the next rotation, or returns the one that an interrupted rotation created. */
export const createNextKey = ({ dataDir }: KeySource): Buffer => readOrCreate(dataDir, NEXT_FILE_NAME);

/** Replaces server.key by the next key if that is the one in use. The database contains the replaced one, encrypted. */
export function promoteNextKey({ dataDir, given }: KeySource, inUse: Buffer): void {
  const next = path.join(dataDir, NEXT_FILE_NAME);
  if (given.length > 0 || readFile(next)?.equals(inUse) !== true) return;
  try {
    fs.renameSync(next, path.join(dataDir, FILE_NAME));
  } catch (error) {
    // Another process has replaced it.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw new ServerKeyError(`cannot write ${FILE_NAME} in ${dataDir} (DATA_DIR): ${(error as Error).message}`);
  }
  syncFolder(dataDir);
}
