import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CLUSTER_FOLDER, chooseAccount, clusterIn } from '../../db/embedded-postgres/cluster.ts';
import { ownerState, processTag } from '../../platform/process.ts';
import { readServerKeys } from '../../platform/server-key.ts';
import { giveTo, type Inspection, inspectDatabase } from './inspect.ts';
import type { Manifest } from './manifest.ts';
import { placeOf, readHeaderOf, requireKey, unpack } from './restore.ts';

const PREFIX = 'foreword-verify-';

export interface Verification extends Inspection {
  readonly manifest: Manifest;
}

/** Checks every byte of a backup, then starts its database in a temporary folder and reads all of it. */
export async function verifyBackup(options: {
  file: string;
  postgresMajor: number;
  onProgress: (bytes: number, total: number) => void;
}): Promise<Verification> {
  const { file, postgresMajor } = options;
  await readHeaderOf(file, postgresMajor);
  await removeLeftovers();
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
    const { uid, gid } = process.getuid?.() === 0 ? chooseAccount(clusterIn(folder)) : {};
    if (uid !== undefined && gid !== undefined) await giveTo({ uid, gid }, database);
    return { manifest, ...(await inspectDatabase(folder, manifest, { readsEverything: true })) };
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A killed verification leaves a copy of the database. */
async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const [tag = ''] = name.startsWith(PREFIX) ? name.slice(PREFIX.length).split('.') : [];
    if (ownerState(tag) !== 'gone') continue;
    await rm(path.join(tmpdir(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}
