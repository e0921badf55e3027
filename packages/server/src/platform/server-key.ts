import { createHash, hkdfSync, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type Clock, systemClock } from './clock.ts';
import { makeDataDir } from './data-dir.ts';
import { createdAtOf } from './ids.ts';
import { ConfigError, ownerFor } from './process.ts';

const KEY_BYTES = 32;
/** Distinguishes the few keys of one database. */
const ID_BYTES = 4;

/** A key for one purpose. */
export interface DerivedKey {
  /** Identifies the server key that it derives from. Null: the first one of the database. */
  readonly id: Buffer | null;
  readonly key: Buffer;
}

/** The only secret stored outside the database. It is never used directly: each purpose has its own derived key. */
export interface ServerKey {
  /** Stays the same after rotations, as hashes require that cannot be computed again. Everything else uses the others. */
  derive(purpose: string): Buffer;
  /** For what is created now. */
  current(purpose: string): DerivedKey;
  /** For what was created at any time, newest first. */
  all(purpose: string): readonly DerivedKey[];
  /** From the server key that was current when the object with this id was created, so that its links stay the same. */
  at(purpose: string, id: string): Buffer;
  /** One for each rotation, the latest last: what an installation with the same one created works with these keys. */
  identities(): readonly string[];
}

export class ServerKeyError extends ConfigError {}

/** One secret that was configured or created. */
export interface Root {
  readonly secret: Buffer;
  /** Identifies the key without revealing it. */
  readonly fingerprint: Buffer;
  derive(purpose: string): Buffer;
}

export function createRoot(secret: Buffer): Root {
  const derived = new Map<string, Buffer>();
  function derive(purpose: string): Buffer {
    const known = derived.get(purpose);
    if (known !== undefined) return known;
    const key = Buffer.from(hkdfSync('sha256', secret, '', purpose, KEY_BYTES));
    derived.set(purpose, key);
    return key;
  }
  return { secret, fingerprint: derive('fingerprint'), derive };
}

/** A server key, and the time from which the next one is used. Null: it is current. */
export interface Period {
  readonly root: Root;
  readonly until: Date | null;
}

/** Identifies keys and times. For a key that was never rotated, it is the fingerprint. */
function identitiesOf(periods: readonly Period[]): string[] {
  let identity = '';
  return periods.map(({ root }, position) => {
    const since = periods[position - 1]?.until?.toISOString();
    const own = root.fingerprint.toString('hex');
    identity = since === undefined ? own : createHash('sha256').update(`${identity} ${since} ${own}`).digest('hex');
    return identity;
  });
}

/** The periods, oldest first. Given a time, it may throw because a later key may have been used then. */
type Schedule = (time?: Date) => readonly Period[];

export function scheduledKey(schedule: Schedule, now: Clock): ServerKey {
  const positionAt = (periods: readonly Period[], time: Date): number => {
    const found = periods.findIndex(({ until }) => until === null || time < until);
    return found < 0 ? periods.length - 1 : found;
  };
  const derivedAt = (periods: readonly Period[], position: number, purpose: string): DerivedKey => {
    const root = periods[position]?.root;
    if (root === undefined) throw new Error('there is no server key');
    return { id: position === 0 ? null : root.fingerprint.subarray(0, ID_BYTES), key: root.derive(purpose) };
  };
  return {
    derive: (purpose) => derivedAt(schedule(), 0, purpose).key,
    current(purpose) {
      const periods = schedule();
      return derivedAt(periods, positionAt(periods, now()), purpose);
    },
    all(purpose) {
      const periods = schedule();
      return periods.map((_, position) => derivedAt(periods, position, purpose)).reverse();
    },
    at(purpose, id) {
      const createdAt = createdAtOf(id) ?? new Date(0);
      const periods = schedule(createdAt);
      return derivedAt(periods, positionAt(periods, createdAt), purpose).key;
    },
    identities: () => identitiesOf(schedule()),
  };
}

/** A server key that is never rotated. */
export function toServerKey(secret: Buffer): ServerKey {
  const periods = [{ root: createRoot(secret), until: null }];
  return scheduledKey(() => periods, systemClock);
}

export const fingerprintOf = (secret: Buffer): string => createRoot(secret).fingerprint.toString('hex');

const FILE_NAME = 'server.key';
/** The key that a rotation is about to use. It replaces server.key once the database uses it. */
const NEXT_FILE_NAME = 'server.key.next';

/** Where a process finds its server keys. */
export interface KeySource {
  readonly dataDir: string;
  /** Those of SERVER_KEY. Empty: the files in the data folder. */
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
  fs.writeFileSync(draft, `${key.toString('hex')}\n`, { mode: 0o600, flush: true });
  const owner = ownerFor(path.dirname(file));
  if (owner !== null) fs.chownSync(draft, owner.uid, owner.gid);
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
