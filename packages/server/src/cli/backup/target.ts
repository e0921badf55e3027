import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { CLUSTER_FOLDER } from '../../db/embedded-postgres/cluster.ts';
import { LOCK_FILES, LOCK_NAMES } from '../../db/embedded-postgres/locks.ts';
import { UNFINISHED_RESTORE } from '../../platform/data-dir.ts';
import { giveTo, type Owner } from './inspect.ts';
import { BackupError, KEY_PATH } from './manifest.ts';

/** In the folder of the objects. Hidden, so that no object has this name. */
const UNFINISHED_OBJECTS = '.restoring';
/** Error codes of the store and of file systems. */
const IGNORED_IN_OBJECTS = new Set([UNFINISHED_OBJECTS, '.tmp', 'lost+found']);
const SYNCS_AT_ONCE = 16;
/** The database of a killed restore may still be shutting down. */
const REMOVAL = { recursive: true, force: true, maxRetries: 10, retryDelay: 100 };

/** The folders that a restore fills. Until it is complete, everything is in subfolders and no service starts on them. */
export interface Target {
  readonly dataDir: string;
  /** Holds everything but the objects. While it exists, the service refuses to start. */
  readonly staging: string;
  readonly objectsRoot: string;
  readonly stagedObjects: string;
  /** Null unless started by root: then everything gets the owner of DATA_DIR. */
  readonly owner: Owner | null;
}

/** Checks that both folders are empty, and marks them as unfinished. Removes what an interrupted restore left. */
export async function prepareTarget(dataDir: string, objectsRoot: string): Promise<Target> {
  const staging = path.join(dataDir, UNFINISHED_RESTORE);
  await rm(staging, REMOVAL);
  await mkdir(objectsRoot, { recursive: true, mode: 0o700 });
  const stagedObjects = path.join(objectsRoot, UNFINISHED_OBJECTS);
  await rm(stagedObjects, REMOVAL);
  await refuseContent(objectsRoot, IGNORED_IN_OBJECTS);
  const objectsName = path.dirname(objectsRoot) === dataDir ? [path.basename(objectsRoot)] : [];
  await refuseContent(dataDir, new Set([...LOCK_NAMES, ...objectsName, KEY_PATH, 'lost+found']));
  // The first write: from here on no service starts.
  await mkdir(staging, { mode: 0o700 });
  await mkdir(stagedObjects, { mode: 0o700 });
  await syncFolder(dataDir);
  const { uid, gid } = await stat(dataDir);
  return { dataDir, staging, objectsRoot, stagedObjects, owner: process.getuid?.() === 0 ? { uid, gid } : null };
}

async function refuseContent(folder: string, ignored: ReadonlySet<string>): Promise<void> {
  const content = (await readdir(folder)).filter((name) => !ignored.has(name)).sort();
  if (content.length === 0) return;
  throw new BackupError(`${folder} is not empty: it contains ${content[0]}. Restore into an empty folder`);
}

/** Moves everything into place. Only the last step lets the service start. */
export async function complete({ dataDir, staging, objectsRoot, stagedObjects, owner }: Target): Promise<void> {
  await syncTree(stagedObjects);
  for (const name of await readdir(stagedObjects)) {
    await rename(path.join(stagedObjects, name), path.join(objectsRoot, name));
  }
  await rm(stagedObjects, { recursive: true });
  await syncFolder(objectsRoot);
  for (const name of [KEY_PATH, CLUSTER_FOLDER]) {
    const from = path.join(staging, name);
    if (!existsSync(from)) continue;
    if (name === KEY_PATH) await giveTo(owner, from);
    await rename(from, path.join(dataDir, name));
  }
  for (const name of LOCK_FILES) await giveTo(owner, path.join(dataDir, name));
  await giveTo(owner, objectsRoot);
  await syncFolder(dataDir);
  await rm(staging, { recursive: true });
  await syncFolder(dataDir);
}

/** Leaves both folders as empty as they were. */
export async function removeUnfinished({ dataDir, staging, stagedObjects }: Target): Promise<void> {
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

/** Also syncs a file. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
