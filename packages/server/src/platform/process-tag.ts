import { createHash } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

// Names the process that owns a temporary file, in the file's name, so that no moment exists in which it has no owner.
// A process id alone is not enough: ids are reused, and containers that share a folder have their own.

/** Whether the owner has ended; unknown for a process of another machine, container or boot. */
export type OwnerState = 'alive' | 'gone' | 'unknown';

const NO_START = '0';
const TAG = /^([0-9a-f]{12})-(\d+)-(\d+)$/;

/** Ticks between boot and the start of the process; undefined when there is no such process. */
function startOf(pid: string): string | undefined {
  try {
    // The name in parentheses may contain anything, so the fields are counted from its end. Z: only its parent keeps it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** Within one such space, a process id and a start time belong to one process. Undefined where this cannot be told. */
function readProcessSpace(): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    return createHash('sha256')
      .update(`${hostname()}\n${boot}\n${readlinkSync('/proc/self/ns/pid')}`)
      .digest('hex')
      .slice(0, 12);
  } catch {
    return undefined;
  }
}

const space = readProcessSpace();

/** The name of this process: letters, digits and hyphens. */
export const processTag = `${space ?? '0'.repeat(12)}-${process.pid}-${startOf('self') ?? NO_START}`;

export function ownerState(tag: string): OwnerState {
  const [, where, pid = '', start] = TAG.exec(tag) ?? [];
  if (space === undefined || where !== space || start === NO_START) return 'unknown';
  return startOf(pid) === start ? 'alive' : 'gone';
}
