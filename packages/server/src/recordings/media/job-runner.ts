import { randomBytes } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Isolation } from '../../platform/isolation.ts';
import type { Logger } from '../../platform/log.ts';
import type { Choice, Chosen } from './engine/choose.ts';
import { runGuarded } from './guarded-process.ts';
import { CHILD_HEAP_MB, type RefusalCode, type WorkLimits } from './limits.ts';
import type { PictureSource } from './picture-file.ts';
import type { Shape } from './pictures.ts';
import type { Inspected, TranscodedTake } from './take.ts';
import type { Trim } from './trim.ts';

/** The only argument of the media process. It contains no personal data, because other users can list arguments. */
export type MediaJob =
  /** Tries whether the process can start at all. */
  | { readonly kind: 'start'; readonly into: string }
  | { readonly kind: 'choose'; readonly ffmpegPath: string | null; readonly into: string }
  | {
      readonly kind: 'take';
      readonly choice: Choice;
      readonly file: string;
      readonly into: string;
      readonly trim: Trim | null;
    }
  | { readonly kind: 'preview'; readonly choice: Choice; readonly file: string; readonly into: string }
  | ({
      readonly kind: 'picture';
      readonly choice: Choice;
      readonly file: string;
      readonly into: string;
      readonly shape: Shape;
    } & Pick<PictureSource, 'demuxer' | 'orient'>);

/** One line of JSON on standard output. The last line is an outcome. */
export type Report =
  | { readonly kind: 'progress'; readonly percent: number }
  | ({ readonly kind: 'inspected' } & Inspected)
  | Outcome;

export type Outcome =
  | { readonly kind: 'chosen'; readonly chosen: Chosen }
  | { readonly kind: 'take'; readonly result: TranscodedTake }
  | { readonly kind: 'start' | 'preview' | 'picture' }
  | { readonly kind: 'refused'; readonly code: RefusalCode }
  | { readonly kind: 'failed'; readonly message: string };

interface RunOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (percent: number) => void;
  readonly onInspected?: (inspected: Inspected) => void;
  readonly onCpuTime?: (ms: number) => void;
}

/** In the npm package, it is JavaScript like this file. */
export const CHILD = fileURLToPath(new URL(`media.child${extname(import.meta.url)}`, import.meta.url));
/** Shell exit statuses of SIGABRT, SIGSEGV, SIGXCPU and SIGXFSZ: a hostile file can cause each of them. */
const CRASH_STATUSES = new Set([128 + 6, 128 + 11, 128 + 24, 128 + 25]);

/** An operator or a shutdown ends the child with one of these signals; no file can cause them. */
const INTERRUPTED_STATUSES = new Set([128 + 1, 128 + 2, 128 + 15]);

/** The process received a signal to stop; the file is not at fault. */
export class EncoderInterrupted extends Error {}

export type JobRunner = (job: MediaJob, options: RunOptions) => Promise<Outcome>;

/** The isolated process cannot read OpenSSL's settings, without which Node would not start. */
export const NODE_FLAGS = [`--max-old-space-size=${CHILD_HEAP_MB}`, '--openssl-config=/dev/null'];

/** With paths as the process sees them: the folders above its own may be closed to its user. */
function inFolder(job: MediaJob): MediaJob {
  if (!('file' in job)) return { ...job, into: '.' };
  const file = relative(job.into, job.file);
  if (file.startsWith('..')) throw new Error('the file of a job must be in its folder');
  return { ...job, into: '.', file };
}

/** Runs each job in its own process, isolated and with resource limits. */
export function createJobRunner(log: Logger, limits: WorkLimits, findIsolation: () => Promise<Isolation>): JobRunner {
  async function runChild(job: MediaJob, { onProgress, onInspected, ...options }: RunOptions): Promise<Outcome> {
    let outcome: Outcome | undefined;
    let isInspected = false;
    const { status, stderr } = await runGuarded({
      command: process.execPath,
      args: [...NODE_FLAGS, CHILD, JSON.stringify(inFolder(job))],
      cwd: job.into,
      isolation: await findIsolation(),
      ...limits,
      // These jobs are short, and the first take or a person waits for them.
      ...(job.kind === 'choose' || job.kind === 'picture' ? { niceness: 0 } : {}),
      ...options,
      onLine: (line) => {
        const report = JSON.parse(line) as Report;
        if (report.kind === 'progress') onProgress?.(report.percent);
        else if (report.kind === 'inspected') {
          isInspected = true;
          onInspected?.(report);
        } else outcome = report;
      },
    });
    if (stderr !== '') log.debug({ job: job.kind, stderr }, 'media child');
    if (outcome !== undefined) return outcome;
    if (job.kind === 'take' && !isInspected && CRASH_STATUSES.has(status)) return { kind: 'refused', code: 'broken' };
    const why = `the media process exited with ${status}: ${stderr.slice(-500)}`;
    throw INTERRUPTED_STATUSES.has(status) ? new EncoderInterrupted(why) : new Error(why);
  }

  /** Throws when the job fails; if the disk is full, throws the disk's error instead. */
  return async (job, options) => {
    try {
      const outcome = await runChild(job, options);
      if (outcome.kind === 'failed') throw new Error(outcome.message);
      return outcome;
    } catch (failure) {
      options.signal.throwIfAborted();
      await requireFreeSpace(job.into, failure);
      throw failure;
    }
  };
}

/** Larger than any single write of the encoder. Random bytes, because some file systems store zeros without using space. */
const PROBE_BYTES = 4 * 1024 * 1024;
export const SPACE_PROBE = 'space-probe';

/**
 * Call it after a failure. FFmpeg reports a full disk as a broken file, or not at all; if a probe file cannot be written,
 * this throws the system's error with the original failure as its cause.
 */
async function requireFreeSpace(folder: string, failure: unknown): Promise<void> {
  const path = join(folder, SPACE_PROBE);
  try {
    const file = await open(path, 'w');
    try {
      await file.writeFile(randomBytes(PROBE_BYTES));
      // Some file systems report a full disk only when flushing.
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (fault) {
    throw fault instanceof Error ? Object.assign(fault, { cause: failure }) : fault;
  } finally {
    await rm(path, { force: true });
  }
}
