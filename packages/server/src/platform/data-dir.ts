import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The folder cannot be used: wrong configuration rather than a busy or broken database. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError';
}

/** Exists in DATA_DIR while a backup is restored into it. */
export const UNFINISHED_RESTORE = 'restoring';

/** Not `recursive`, because Node then never returns below /proc. Only the last folder is private; its parents follow the umask. */
function makeFolders(folder: string, mode?: number): void {
  if (existsSync(folder) && statSync(folder).isDirectory()) return;
  if (dirname(folder) !== folder) makeFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another process may have created it in the meantime.
    if (!existsSync(folder) || !statSync(folder).isDirectory()) throw error;
  }
}

/** Also refuses a folder with only a part of a backup. */
export function makeDataDir(dataDir: string, { mayBeUnfinished = false } = {}): void {
  if (!mayBeUnfinished && existsSync(join(dataDir, UNFINISHED_RESTORE))) {
    throw new DataDirError(
      `a backup is being restored into ${dataDir} (DATA_DIR), or that was interrupted. Wait, or run foreword restore again`,
    );
  }
  try {
    makeFolders(resolve(dataDir), 0o700);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DataDirError(`cannot create ${dataDir} (DATA_DIR): ${reason}`, { cause: error });
  }
}
