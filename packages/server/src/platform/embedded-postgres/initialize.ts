import { chownSync, closeSync, fsyncSync, mkdtempSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Account, folderAsSeenBy } from './account.ts';
import { type Cluster, EmbeddedPostgresError } from './cluster.ts';
import { CLUSTER_USER } from './connection.ts';
import { spawnWatched, type WatchedProcess } from './watched-process.ts';

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
export async function initializeCluster(options: {
  cluster: Cluster;
  account: Account;
  initdb: string;
  onSpawn: (() => void) | undefined;
}): Promise<void> {
  const { cluster, account, initdb, onSpawn } = options;
  const folder = mkdtempSync(join(cluster.root, partialPrefix(cluster)));
  try {
    if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid);
    const run = startInitdb({ cluster, account, initdb, folder });
    onSpawn?.();
    await untilCreated(run, cluster);
    // rename() replaces an empty folder but fails for one with content.
    renameSync(folder, cluster.folder);
    syncFolder(cluster.root);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  }
}

function startInitdb(options: { cluster: Cluster; account: Account; initdb: string; folder: string }): WatchedProcess {
  const { cluster, account, initdb, folder } = options;
  return spawnWatched({
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
}

async function untilCreated(child: WatchedProcess, cluster: Cluster): Promise<void> {
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
