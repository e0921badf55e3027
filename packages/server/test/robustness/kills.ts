import fs from 'node:fs';
import { sleep } from '../harness/index.ts';

const POLL_MS = 2;

export const MOMENTS = ['idle', 'under load', 'while stopping', 'while starting'] as const;
export const VICTIMS = ['everything', 'the service', 'the postmaster', 'all but PostgreSQL'] as const;

export interface Kill {
  readonly moment: (typeof MOMENTS)[number];
  readonly victim: (typeof VICTIMS)[number];
  /** How far into the moment, from 0 to 1. */
  readonly progress: number;
}

/** Random numbers from 0 to 1 that repeat with the seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Every combination of moment and victim about equally often, in random order and at random points. */
export function planKills(seed: number, count: number): Kill[] {
  const random = randomFrom(seed);
  const combinations = VICTIMS.flatMap((victim) => MOMENTS.map((moment) => ({ moment, victim })));
  const repeated = Array.from({ length: Math.ceil(count / combinations.length) }, () => combinations).flat();
  return repeated
    .map((combination) => ({ kill: { ...combination, progress: random() }, order: random() }))
    .sort((a, b) => a.order - b.order)
    .slice(0, count)
    .map(({ kill }) => kill);
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

/** Null for a zombie and for a process that has ended since it was listed. */
function readProcess(pid: string): Process | null {
  try {
    const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    const [, parent] = fs
      .readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return command === '' ? null : { pid: Number(pid), parent: Number(parent), command };
  } catch {
    return null;
  }
}

function listProcesses(): Process[] {
  const pids = fs.readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  return pids.map(readProcess).filter((found) => found !== null);
}

function worksBelow(folder: string, pid: number): boolean {
  try {
    return fs.readlinkSync(`/proc/${pid}/cwd`).startsWith(folder);
  } catch {
    return false;
  }
}

/** The service, its descendants, and every process of its database, with any parent. */
function processesOf(service: number, dataDir: string): Process[] {
  const all = listProcesses();
  // Unless it is our child, it has ended and an unrelated process has its pid.
  const isService = ({ pid, parent }: Process) => pid === service && parent === process.pid;
  const found = new Set(all.filter((one) => isService(one) || worksBelow(dataDir, one.pid)));
  for (let before = -1; before < found.size; ) {
    before = found.size;
    const pids = new Set([...found].map(({ pid }) => pid));
    for (const candidate of all) if (pids.has(candidate.parent)) found.add(candidate);
  }
  return [...found];
}

function signal({ pid }: Process, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended.
  }
}

const isWatchdog = ({ command }: Process) => command.includes('foreword-watchdog');
const isPostmaster = ({ command }: Process) => /^\S+\/postgres .*-D /.test(command);
const isDatabase = (one: Process) =>
  isPostmaster(one) || /^postgres: /.test(one.command) || /initdb /.test(one.command);

const CHOICES: Record<Kill['victim'], (one: Process, service: number) => boolean> = {
  everything: () => true,
  'the service': ({ pid }, service) => pid === service,
  'the postmaster': (one) => !isWatchdog(one) && isPostmaster(one),
  'all but PostgreSQL': (one) => isWatchdog(one) || !isDatabase(one),
};

/** Kills the victims at one moment: stops all first, so that none reacts to the death of another or starts a new one. */
export async function killNow(service: number, dataDir: string, victim: Kill['victim']): Promise<void> {
  let stopped: Process[] = [];
  for (let before = -1; before < stopped.length; ) {
    before = stopped.length;
    stopped = processesOf(service, dataDir);
    for (const one of stopped) signal(one, 'SIGSTOP');
  }
  const isVictim = CHOICES[victim];
  // There is no postmaster at the beginning of a start and at the end of a stop.
  const victims = stopped.filter((one) => isVictim(one, service));
  const killed = victims.length > 0 ? victims : stopped;
  for (const one of killed) signal(one, 'SIGKILL');
  for (const one of stopped) if (!killed.includes(one)) signal(one, 'SIGCONT');
  while (killed.some(({ pid }) => readProcess(String(pid)) !== null)) await sleep(POLL_MS);
}
