import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, statSync } from 'node:fs';
import { type Account, CHILD_ENVIRONMENT } from './account.ts';

/** True when the account can enter the folder. Tries it, because only the kernel knows about access lists and mounts. */
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

/** Lets the account's group traverse a DATA_DIR that is private to root, without letting it list the content. */
export function letThrough(account: Account, folder: string): void {
  if (account.gid === undefined || canReach(account, folder)) return;
  const { uid, mode } = statSync(folder);
  const isForRootAlone = uid === 0 && (mode & 0o077) === 0;
  if (!isForRootAlone) return;
  chownSync(folder, 0, account.gid);
  chmodSync(folder, 0o710);
}

/**
 * The path under which a child that starts in `folder` can use it. Below a private folder of root (usually /root) the account
 * cannot resolve the path, but root can start the child in it before dropping privileges.
 */
export function folderAsSeenBy(account: Account, folder: string): string {
  return canReach(account, folder) ? folder : '/proc/self/cwd';
}
