import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

const CONFIGURATIONS = path.join(import.meta.dirname, '../../deploy/cluster');
/** Servers are often in sbin, which only root has on its PATH. */
const FOLDERS = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/sbin', '/sbin'];
export const HOST = '127.0.0.1';

/** A message for the person who started the script. */
export class ClusterError extends Error {}

const PACKAGES: Readonly<Record<string, string>> = {
  etcd: 'etcd-server',
  patroni: 'patroni',
  haproxy: 'haproxy',
  pgbouncer: 'pgbouncer',
  nginx: 'nginx',
};
export const POSTGRES_BIN = '/usr/lib/postgresql/15/bin';

function findFile(name: string): string | undefined {
  return FOLDERS.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file));
}

export function findProgram(name: string): string {
  const found = findFile(name);
  if (found === undefined) throw new ClusterError(`${name} not found: apt-get install ${PACKAGES[name] ?? name}`);
  return found;
}

/** All at once, so that one `apt-get install` is enough. */
export function requirePrograms(): void {
  const missing = Object.entries(PACKAGES).flatMap(([name, found]) => (findFile(name) === undefined ? [found] : []));
  if (!fs.existsSync(`${POSTGRES_BIN}/postgres`)) missing.push('postgresql-15');
  if (missing.length === 0) return;
  throw new ClusterError(`the cluster needs more of Debian: apt-get install ${[...new Set(missing)].join(' ')}`);
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
  return text.replaceAll(/^([ \t]*)@([A-Z_]+)@$|@([A-Z_]+)@/gm, (found, indent, line, word) => {
    const value = values[line ?? word];
    // In comments the words stay.
    if (value === undefined) return found;
    return line === undefined ? String(value) : String(value).replaceAll(/^/gm, indent);
  });
}
