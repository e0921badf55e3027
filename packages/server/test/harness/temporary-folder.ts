import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** The temporary folders of a run, by the process that starts its workers. */
export const temporaryFolders = (runner: number): string => path.join(os.tmpdir(), `fw-${runner}`);

/** A new folder, which is removed at the end of the run. */
export function temporaryFolder(): string {
  const parent = temporaryFolders(process.ppid);
  fs.mkdirSync(parent, { recursive: true });
  return fs.realpathSync(fs.mkdtempSync(path.join(parent, 'f-')));
}
