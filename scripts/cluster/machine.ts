import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const CONFIGURATIONS = path.join(import.meta.dirname, '../../deploy/cluster');
/** Servers are often in sbin, which only root has on its PATH. */
const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin', '/sbin'];

/** A message for the person who started the script. */
export class ClusterError extends Error {}

export function findProgram(name: string): string {
  const found = FOLDERS.map((folder) => path.resolve(folder, name)).find((file) => fs.existsSync(file));
  if (found === undefined)
    throw new ClusterError(`${name} not found: docs/self-hosting/cluster.md lists the packages of Debian to install`);
  return found;
}

export interface Identity {
  readonly uid?: number;
  readonly gid?: number;
}

/** As root, the user `postgres`: PostgreSQL and PgBouncer refuse to run as root. */
export function chooseIdentity(): Identity {
  if (process.getuid?.() !== 0) return {};
  const read = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: read('-u'), gid: read('-g') };
}

/** A folder that only this user can read. */
export function makeFolder(folder: string, { uid, gid }: Identity): string {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (uid !== undefined && gid !== undefined) fs.chownSync(folder, uid, gid);
  return folder;
}

export function writeFile(file: string, content: string, { uid, gid }: Identity): string {
  fs.writeFileSync(file, content, { mode: 0o600 });
  if (uid !== undefined && gid !== undefined) fs.chownSync(file, uid, gid);
  return file;
}

/** The configuration that we ship, with the words between @ signs replaced. */
export function fillIn(name: string, values: Readonly<Record<string, string | number>>): string {
  const text = fs.readFileSync(path.join(CONFIGURATIONS, name), 'utf8');
  // In comments the words stay.
  return text.replaceAll(/@([A-Z_]+)@/g, (found, word) => String(values[word] ?? found));
}
