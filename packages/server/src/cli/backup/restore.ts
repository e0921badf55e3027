import { createHash, hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Account, CLUSTER_FOLDER, chooseAccount, clusterIn, giveTo } from '../../db/embedded-postgres/cluster.ts';
import { LOCK_FILES, LOCK_NAMES, tryInstanceLock, withStartLock } from '../../db/embedded-postgres/locks.ts';
import {
  ArchiveError,
  CHECKSUM_PATH,
  type Entry,
  MANIFEST_PATH,
  readArchive,
  writeChecksum,
} from '../../platform/archive.ts';
import { makeDataDir, syncFolder, UNFINISHED_RESTORE } from '../../platform/data-dir.ts';
import { processTag, removeAbandoned } from '../../platform/process.ts';
import { fingerprintOf, readServerKeys } from '../../platform/server-key.ts';
import { inspectDatabase } from './inspect.ts';
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

/** In the folder of the objects. Hidden, so that no object has this name. */
const UNFINISHED_OBJECTS = '.restoring';
/** Error codes of the store and of file systems. */
const IGNORED_IN_OBJECTS = new Set([UNFINISHED_OBJECTS, '.tmp', 'lost+found']);
const SYNCS_AT_ONCE = 16;
/** The database of a killed restore may still be shutting down. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };

/** The folders that a restore fills. Until it is complete, everything is in subfolders and no service starts on them. */
interface Target {
  readonly dataDir: string;
  /** Holds everything but the objects. While it exists, the service refuses to start. */
  readonly staging: string;
  readonly objectsRoot: string;
  readonly stagedObjects: string;
  /** Empty unless started by root: then everything gets the owner of DATA_DIR. */
  readonly owner: Account;
}

/** Checks that both folders are empty, and marks them as unfinished. Removes what an interrupted restore left. */
async function prepareTarget(dataDir: string, objectsRoot: string): Promise<Target> {
  const staging = path.join(dataDir, UNFINISHED_RESTORE);
  await mkdir(objectsRoot, { recursive: true, mode: 0o700 });
  const stagedObjects = path.join(objectsRoot, UNFINISHED_OBJECTS);
  // Together they mark both folders as empty but for what a restore has moved into place.
  if (existsSync(staging) && existsSync(stagedObjects)) {
    const moved = (await readdir(objectsRoot)).filter((name) => !IGNORED_IN_OBJECTS.has(name));
    for (const name of moved) await rm(path.join(objectsRoot, name), REMOVAL);
    await rm(path.join(dataDir, CLUSTER_FOLDER), REMOVAL);
  }
  await rm(staging, REMOVAL);
  await rm(stagedObjects, REMOVAL);
  await refuseContent(objectsRoot, IGNORED_IN_OBJECTS);
  // DATA_DIR may be a link.
  const isBelow = (await realpath(path.dirname(objectsRoot))) === dataDir;
  const objectsName = isBelow ? [path.basename(objectsRoot)] : [];
  await refuseContent(dataDir, new Set([...LOCK_NAMES, ...objectsName, KEY_PATH, 'lost+found']));
  // The first write: from here on no service starts.
  await mkdir(staging, { mode: 0o700 });
  await mkdir(stagedObjects, { mode: 0o700 });
  await syncFolder(dataDir);
  const { uid, gid } = await stat(dataDir);
  return { dataDir, staging, objectsRoot, stagedObjects, owner: process.getuid?.() === 0 ? { uid, gid } : {} };
}

async function refuseContent(folder: string, ignored: ReadonlySet<string>): Promise<void> {
  const content = (await readdir(folder)).filter((name) => !ignored.has(name)).sort();
  if (content.length === 0) return;
  throw new BackupError(`${folder} is not empty: it contains ${content[0]}. Restore into an empty folder`);
}

/** Moves everything into place. Only the last step lets the service start. */
async function complete({ dataDir, staging, objectsRoot, stagedObjects, owner }: Target): Promise<void> {
  await syncTree(stagedObjects);
  for (const name of await readdir(stagedObjects)) {
    await rename(path.join(stagedObjects, name), path.join(objectsRoot, name));
  }
  await syncFolder(objectsRoot);
  for (const name of [KEY_PATH, CLUSTER_FOLDER]) {
    const from = path.join(staging, name);
    if (!existsSync(from)) continue;
    if (name === KEY_PATH) giveTo(owner, from);
    await rename(from, path.join(dataDir, name));
  }
  for (const name of LOCK_FILES) giveTo(owner, path.join(dataDir, name));
  giveTo(owner, objectsRoot);
  await syncFolder(dataDir);
  await rm(staging, { recursive: true });
  await rm(stagedObjects, { recursive: true });
  await syncFolder(dataDir);
}

/** Leaves both folders as empty as they were. */
async function removeUnfinished({ dataDir, staging, stagedObjects }: Target): Promise<void> {
  await rm(stagedObjects, REMOVAL);
  await rm(staging, REMOVAL);
  await syncFolder(dataDir);
}

/** PostgreSQL has synced its own files. */
async function syncTree(folder: string): Promise<void> {
  const entries = (await readdir(folder, { recursive: true })).values();
  const syncNext = async () => {
    for (const entry of entries) await syncFolder(path.join(folder, entry));
  };
  await Promise.all(Array.from({ length: SYNCS_AT_ONCE }, syncNext));
  await syncFolder(folder);
}

/** Small entries that are read into memory. A manifest has a hundred bytes for each file. */
const MEMORY_LIMIT_BYTES = 512 * 1024 * 1024;
const IN_MEMORY = new Set([HEADER_PATH, MANIFEST_PATH, CHECKSUM_PATH]);

interface Unpacked {
  readonly manifest: Manifest;
  /** Paths of objects that were replaced while the backup was made. They do not belong to it. */
  readonly superseded: readonly string[];
}

interface UnpackOptions extends Pick<RestoreOptions, 'file' | 'onProgress'> {
  /** Where an entry is written; null if it is only checked. */
  readonly locate: (entry: string) => string | null;
}

/** Whether the archive can be restored here. Reads only its first entry. */
export const readHeaderOf = (file: string, postgresMajor: number): Promise<Header> =>
  readFirst(file, postgresMajor).catch((error) => describe(file, error));

async function readFirst(file: string, postgresMajor: number): Promise<Header> {
  for await (const entry of readArchive(file)) {
    if (entry.path !== HEADER_PATH) break;
    return readHeader(await readWhole(entry), postgresMajor);
  }
  throw new BackupError('it is not a backup of Foreword');
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
export const unpack = (options: UnpackOptions): Promise<Unpacked> =>
  readAll(options).catch((error) => describe(options.file, error));

function describe(file: string, error: unknown): never {
  if (error instanceof ArchiveError || error instanceof BackupError) {
    throw new BackupError(`cannot use ${file}: ${error.message}`);
  }
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') throw new BackupError(`there is no space left to unpack ${file}`);
  if (syscall === 'open' && (code === 'ENOENT' || code === 'EACCES' || code === 'EISDIR'))
    throw new BackupError(`cannot read ${file} (${code})`);
  throw error;
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

const LOCK_WAIT_MS = 1_000;

interface RestoreOptions {
  readonly file: string;
  readonly dataDir: string;
  /** Null: OBJECTS_URL is in S3. */
  readonly objectsRoot: string | null;
  /** Those of SERVER_KEY. */
  readonly givenKeys: readonly Buffer[];
  readonly postgresMajor: number;
  readonly onProgress: (bytes: number, total: number) => void;
}

/** Restores a backup into empty folders. Until everything was checked, no service starts on them. */
export async function restoreBackup(options: RestoreOptions) {
  const { file, postgresMajor } = options;
  // Reads only the beginning, so that nothing is created for a file that cannot be restored here.
  const header = await readHeaderOf(file, postgresMajor);
  if (header.includes_objects && options.objectsRoot === null) {
    throw new BackupError(
      `${file} contains objects, but OBJECTS_URL is in S3. Restore without OBJECTS_URL, and copy DATA_DIR/objects into the bucket`,
    );
  }
  const dataDir = path.resolve(options.dataDir);
  makeDataDir(dataDir, { mayBeUnfinished: true });
  const cluster = clusterIn(dataDir);
  return withStartLock(cluster, Date.now() + LOCK_WAIT_MS, async () => {
    const lock = tryInstanceLock(cluster);
    if (lock === null) throw new BackupError(`${dataDir} (DATA_DIR) is in use by a running service`);
    const target = await prepareTarget(cluster.root, options.objectsRoot ?? path.join(cluster.root, 'objects'));
    try {
      return await fill(target, header, options);
    } catch (error) {
      await removeUnfinished(target);
      throw error;
    } finally {
      lock.release();
    }
  });
}

async function fill(target: Target, header: Header, options: RestoreOptions) {
  const { dataDir, staging, stagedObjects, owner } = target;
  const knownKeys = readServerKeys({ dataDir, given: options.givenKeys });
  if (knownKeys.length === 0 && !header.includes_server_key) {
    throw new BackupError(
      'the backup does not contain the server key: set SERVER_KEY, or put server.key into DATA_DIR',
    );
  }
  const { manifest, superseded } = await unpack({
    ...options,
    locate: (entry) =>
      placeOf(entry, { database: path.join(staging, CLUSTER_FOLDER), objects: stagedObjects, staging }),
  });
  for (const name of superseded) await rm(path.join(stagedObjects, name.slice(OBJECTS_FOLDER.length + 1)));
  requireKey(knownKeys.length > 0 ? knownKeys : readServerKeys({ dataDir: staging, given: [] }), manifest);
  if (knownKeys.length > 0) await rm(path.join(staging, KEY_PATH), { force: true });
  giveTo(databaseOwner(target), path.join(staging, CLUSTER_FOLDER));
  giveTo(owner, stagedObjects);
  const { counts, missing } = await inspectDatabase(staging, manifest, { readsEverything: false });
  await complete(target);
  return { manifest, counts, missing };
}

/** PostgreSQL refuses to run as root. */
const databaseOwner = ({ dataDir, owner }: Target): Account =>
  owner.uid === 0 ? chooseAccount(clusterIn(dataDir)) : owner;

/** Links and sealed secrets of the backup work only with its own key. */
function requireKey(keys: readonly Buffer[], manifest: Manifest): void {
  const expected = manifest.server_key_fingerprint;
  if (keys.some((key) => fingerprintOf(key) === expected)) return;
  throw new BackupError(
    'the server key (SERVER_KEY, or server.key in DATA_DIR) is not the one that the backup was made with',
  );
}

const PREFIX = 'foreword-verify-';

/** Checks every byte of a backup, then starts its database in a temporary folder and reads all of it. */
export async function verifyBackup(options: Pick<RestoreOptions, 'file' | 'postgresMajor' | 'onProgress'>) {
  const { file, postgresMajor } = options;
  await readHeaderOf(file, postgresMajor);
  // A killed verification leaves a copy of the database.
  await removeAbandoned(tmpdir(), (name) => name.split('.')[0]?.split(PREFIX)[1]);
  const folder = await mkdtemp(path.join(tmpdir(), `${PREFIX}${processTag}.`));
  const end = () => void rm(folder, { recursive: true, force: true }).finally(() => process.exit(1));
  process.once('SIGINT', end).once('SIGTERM', end);
  try {
    const database = path.join(folder, CLUSTER_FOLDER);
    const { manifest } = await unpack({
      ...options,
      locate: (entry) => placeOf(entry, { database, objects: null, staging: folder }),
    });
    if (manifest.header.includes_server_key) requireKey(readServerKeys({ dataDir: folder, given: [] }), manifest);
    giveTo(chooseAccount(clusterIn(folder)), database);
    return { manifest, ...(await inspectDatabase(folder, manifest, { readsEverything: true })) };
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
