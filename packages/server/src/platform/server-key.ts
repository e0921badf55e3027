import { hkdfSync, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { makeDataDir } from './embedded-postgres/cluster.ts';

const KEY_BYTES = 32;
const FILE_NAME = 'server.key';

/** The one secret that is kept outside the database. Nothing is made with it directly: each purpose has a key of its own. */
export interface ServerKey {
  derive(purpose: string): Buffer;
}

export class ServerKeyError extends Error {}

const toServerKey = (secret: Buffer): ServerKey => ({
  derive: (purpose) => Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES)),
});

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
  if (key === null) throw new ServerKeyError(`${file} (DATA_DIR) does not hold a key of 64 hexadecimal digits`);
  return key;
}

/** Whole or not at all, and never over one that is there: a command and the service may come at the same time. */
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
  const folder = fs.openSync(path.dirname(file), 'r');
  fs.fsyncSync(folder);
  fs.closeSync(folder);
}

/** The key that was given, else the one in the data folder, which is made when there is none. */
export function openServerKey(options: { dataDir: string; given: Buffer | undefined }): ServerKey {
  if (options.given !== undefined) return toServerKey(options.given);
  const file = path.join(options.dataDir, FILE_NAME);
  const known = readFile(file);
  if (known !== null) return toServerKey(known);
  makeDataDir(options.dataDir);
  try {
    writeFile(file, randomBytes(KEY_BYTES));
  } catch (error) {
    throw new ServerKeyError(`cannot write ${file} (DATA_DIR): ${(error as Error).message}`);
  }
  const made = readFile(file);
  if (made === null) throw new ServerKeyError(`${file} (DATA_DIR) went away while it was read`);
  return toServerKey(made);
}
