import { hkdfSync, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { sql } from 'kysely';
import type { Queryable } from './db.ts';
import { makeDataDir } from './embedded-postgres/cluster.ts';

const KEY_BYTES = 32;
const FILE_NAME = 'server.key';

/** The only secret stored outside the database. It is never used directly: each purpose has its own derived key. */
export interface ServerKey {
  derive(purpose: string): Buffer;
}

export class ServerKeyError extends Error {}

export const toServerKey = (secret: Buffer): ServerKey => ({
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
  if (key === null) throw new ServerKeyError(`${file} (DATA_DIR) does not contain a key of 64 hexadecimal digits`);
  return key;
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
  const folder = fs.openSync(path.dirname(file), 'r');
  fs.fsyncSync(folder);
  fs.closeSync(folder);
}

/** Uses the given key, otherwise the one in the data folder, creating it if needed. */
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
  const written = readFile(file);
  if (written === null) throw new ServerKeyError(`${file} (DATA_DIR) was deleted while it was read`);
  return toServerKey(written);
}

/** Identifies the key without revealing it. */
export const fingerprintOf = (secret: Buffer): string => toServerKey(secret).derive('fingerprint').toString('hex');

/** The key that a service with these settings uses; null if there is none yet. */
export const findServerKey = (options: { dataDir: string; given: Buffer | undefined }): Buffer | null =>
  options.given ?? readFile(path.join(options.dataDir, FILE_NAME));

/** All nodes of a database must derive the same links. The first key is recorded; any other one is rejected at startup. */
export async function requireSameKey<Tables>(db: Queryable<Tables>, key: ServerKey): Promise<void> {
  const fingerprint = key.derive('fingerprint');
  await sql`insert into server_key (fingerprint) values (${fingerprint}) on conflict do nothing`.execute(db);
  const { rows } = await sql<{ fingerprint: Buffer }>`select fingerprint from server_key`.execute(db);
  if (rows[0]?.fingerprint.equals(fingerprint)) return;
  throw new ServerKeyError(
    'SERVER_KEY is not the key that this database was set up with. Use the same SERVER_KEY on every node, or copy server.key from the DATA_DIR of the first node',
  );
}
