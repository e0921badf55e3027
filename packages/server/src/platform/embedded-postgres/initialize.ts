import { chownSync, closeSync, fsyncSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Account, folderAsSeenBy } from './account.ts';
import { type Cluster, EmbeddedPostgresError } from './cluster.ts';
import { CLUSTER_USER } from './connection.ts';
import { spawnWatched } from './watched-process.ts';

const partialPrefix = (cluster: Cluster): string => `${basename(cluster.folder)}.initdb-`;

/** Removes the folders of initdb runs that were killed. The caller must hold the start lock. */
export function removePartialClusters(cluster: Cluster): void {
  for (const entry of readdirSync(cluster.root)) {
    if (entry.startsWith(partialPrefix(cluster))) {
      rmSync(join(cluster.root, entry), { recursive: true, force: true, maxRetries: 5 });
    }
  }
}

/** Creates the cluster under a temporary name and renames it, so that the final name never holds a partial cluster. */
export async function initializeCluster(cluster: Cluster, account: Account, initdb: string): Promise<void> {
  const folder = mkdtempSync(join(cluster.root, partialPrefix(cluster)));
  try {
    if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid);
    await runInitdb(cluster, folder, account, initdb);
    // rename() replaces an empty folder but fails for one with content.
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
      // Marks an initdb whose parent died as an occupant, so that its folder is not removed while it still writes.
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

/** Without this, a power failure could undo the rename and lose rows acknowledged since. */
function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
