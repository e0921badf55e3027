import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, statSync } from 'node:fs';
import { type Account, CHILD_ENVIRONMENT } from './account.ts';

/** Whether the account can enter the folder. Asked of the kernel, since only it knows of access lists and mounts. */
export function canReach(account: Account, folder: string): boolean {
  if (account.uid === undefined) return true;
  const attempt = spawnSync('/bin/sh', ['-c', 'cd "$0"', folder], {
    ...account,
    cwd: '/',
    env: CHILD_ENVIRONMENT,
    stdio: 'ignore',
  });
  return attempt.status === 0;
}

/** A DATA_DIR of root alone is opened to the account's group for passing through: nobody gains a look at its content. */
export function letThrough(account: Account, folder: string): void {
  if (account.gid === undefined || canReach(account, folder)) return;
  const { uid, mode } = statSync(folder);
  const isForRootAlone = uid === 0 && (mode & 0o077) === 0;
  if (!isForRootAlone) return;
  chownSync(folder, 0, account.gid);
  chmodSync(folder, 0o710);
}

/**
 * How a child that starts in `folder` names it. Below a folder of root alone (/root, usually) its path leads nowhere for
 * the account. But root can put the child into it before it gives up its rights, and there it stays.
 */
export function folderAsSeenBy(account: Account, folder: string): string {
  return canReach(account, folder) ? folder : '/proc/self/cwd';
}
