import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MEGABYTE_KB = 1024;

function readKb(file: string, name: string): number {
  const found = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(file, 'utf8'))?.[1];
  return Number(found ?? Number.NaN) / MEGABYTE_KB;
}

/** Resident memory of one process in MB. This file only works on Linux. */
export const residentMb = (pid: number | undefined): number => readKb(`/proc/${pid}/status`, 'VmRSS');

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return new RegExp(`^PPid:\\s+${parent}$`, 'm').test(readFileSync(`/proc/${name}/status`, 'utf8'));
      } catch {
        // The process ended after it was listed.
        return false;
      }
    })
    .map(Number);
}

/** Memory of the postmaster and its children. Counts shared pages once. */
export function postgresMb(dataDir: string): number {
  const postmaster = Number(readFileSync(join(dataDir, 'pg18/postmaster.pid'), 'utf8').split('\n')[0]);
  return [postmaster, ...childrenOf(postmaster)].reduce((sum, pid) => {
    try {
      return sum + readKb(`/proc/${pid}/smaps_rollup`, 'Pss');
    } catch {
      // A worker of PostgreSQL ended after it was listed.
      return sum;
    }
  }, 0);
}

const TICK_MS = 10;

/** User and system time so far; with `withChildren` also of the children, including those that have ended. */
export function processorMs(pid: number | undefined, { withChildren = false } = {}): number {
  const ticks = (of: number, last: number): number => {
    const fields = readFileSync(`/proc/${of}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return fields.slice(11, last).reduce((sum, field) => sum + Number(field), 0);
  };
  if (pid === undefined) return Number.NaN;
  if (!withChildren) return ticks(pid, 13) * TICK_MS;
  return (ticks(pid, 15) + childrenOf(pid).reduce((sum, child) => sum + ticks(child, 13), 0)) * TICK_MS;
}
