import { chownSync, closeSync, fsyncSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Account } from './account.ts';
import type { Cluster } from './cluster.ts';
import { CLUSTER_USER } from './connection.ts';
import { EmbeddedPostgresError } from './error.ts';
import { folderAsSeenBy } from './reach.ts';
import { spawnWatched } from './watched-process.ts';

const halfMadePrefix = (cluster: Cluster): string => `${basename(cluster.folder)}.initdb-`;

/** What an initdb that was killed in the middle left behind. To be called by the holder of the start lock only. */
export function removeHalfMadeClusters(cluster: Cluster): void {
  for (const entry of readdirSync(cluster.root)) {
    if (entry.startsWith(halfMadePrefix(cluster))) {
      rmSync(join(cluster.root, entry), { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

/** Makes the cluster beside its final place and renames it: the final name never holds half a cluster. */
export async function initialiseCluster(cluster: Cluster, account: Account, initdb: string): Promise<void> {
  const folder = mkdtempSync(join(cluster.root, halfMadePrefix(cluster)));
  try {
    if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid);
    await runInitdb(cluster, folder, account, initdb);
    // rename() replaces an empty folder and refuses one with content, which is exactly what is wanted here.
    renameSync(folder, cluster.folder);
    syncFolder(cluster.root);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  }
}

async function runInitdb(cluster: Cluster, folder: string, account: Account, initdb: string): Promise<void> {
  const child = spawnWatched({
    command: initdb,
    args: [
      ...['-D', folderAsSeenBy(account, folder)],
      ...['-U', CLUSTER_USER, '--auth-local=trust', '--auth-host=reject'],
      ...['-E', 'UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      ...['--data-checksums', '--no-instructions'],
      // Makes an initdb whose parent died an occupant: nobody removes its folder while it still writes there.
      ...['-c', `cluster_name=${cluster.name}`],
    ],
    account,
    cwd: folder,
  });
  const { how, succeeded } = await child.ended;
  if (!succeeded) {
    throw new EmbeddedPostgresError(
      `could not create a database in ${cluster.root} (DATA_DIR): initdb ${how}\n${child.log()}`,
    );
  }
}

/** Without this a power cut could undo the rename, and with it rows that were acknowledged since. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
