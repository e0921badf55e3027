import { existsSync } from 'node:fs';
import path from 'node:path';

// Servers are often in sbin, which only root has on its PATH.
const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin', '/sbin'];

/** The path of a program. A missing one is a failure, never a skipped test. */
export function findProgram(name: string, debianPackage: string): string {
  const found = FOLDERS.map((folder) => path.join(folder, name)).find((file) => existsSync(file));
  if (found === undefined) throw new Error(`${name} not found: apt-get install ${debianPackage}`);
  return found;
}
