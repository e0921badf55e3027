import fs from 'node:fs';
import { clusterIn } from '../../src/db/embedded-postgres/cluster.ts';

const commandOf = (pid: string): string => {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
};

/** The postmaster and its children in this data folder, without their watchdog. */
export function postgresPids(dataDir: string): number[] {
  const { name } = clusterIn(dataDir);
  const isPostgres = (command: string) => command.includes(name) && !command.includes('foreword-watchdog');
  return fs
    .readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry) && isPostgres(commandOf(entry)))
    .map(Number);
}

export function signalPostgres(dataDir: string, signal: 'SIGSTOP' | 'SIGCONT'): void {
  const pids = postgresPids(dataDir);
  if (pids.length === 0) throw new Error(`no PostgreSQL runs in ${dataDir}`);
  for (const pid of pids) process.kill(pid, signal);
}
