import { readFileSync } from 'node:fs';

/** The unit of CPU time in /proc, on every architecture. */
const TICK_MS = 10;
/** Positions after the command's name: user and system time, then those of children that have ended. */
const TIMES = [11, 12, 13, 14];

/** CPU time of a process and its descendants, dead ones included. 0 without Linux's /proc. */
export function cpuTimeMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    const own = TIMES.reduce((sum, at) => sum + Number(fields[at]), 0) * TICK_MS;
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean);
    return children.reduce((sum, child) => sum + cpuTimeMs(Number(child)), own);
  } catch {
    // It has just ended: its parent has counted it, or will.
    return 0;
  }
}
