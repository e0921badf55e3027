import { fileURLToPath } from 'node:url';
import type { Logger } from '../../platform/log.ts';
import { runGuarded } from './guarded-process.ts';
import { CHILD_HEAP_MB, type WorkLimits } from './limits.ts';
import type { MediaJob, Outcome, Report } from './media-child.ts';
import { requireFreeSpace } from './scratch-folder.ts';

interface RunOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (percent: number) => void;
}

const CHILD = fileURLToPath(new URL('media.child.ts', import.meta.url));
/** Shell exit statuses of SIGABRT, SIGSEGV, SIGXCPU and SIGXFSZ: a hostile file can cause each of them. */
const CRASH_STATUSES = new Set([128 + 6, 128 + 11, 128 + 24, 128 + 25]);

export type JobRunner = (job: MediaJob, options: RunOptions) => Promise<Outcome>;

/** Runs each job in its own process with resource limits. */
export function createJobRunner(log: Logger, limits: WorkLimits): JobRunner {
  async function runChild(job: MediaJob, { onProgress, ...options }: RunOptions): Promise<Outcome> {
    let outcome: Outcome | undefined;
    let isInspected = false;
    const { status, stderr } = await runGuarded({
      command: process.execPath,
      args: [`--max-old-space-size=${CHILD_HEAP_MB}`, CHILD, JSON.stringify(job)],
      cwd: job.into,
      ...limits,
      // These jobs are short, and the first take or a person waits for them.
      ...(job.kind === 'choose' || job.kind === 'picture' ? { niceness: 0 } : {}),
      ...options,
      onLine: (line) => {
        const report = JSON.parse(line) as Report;
        if (report.kind !== 'progress') outcome = report;
        else {
          isInspected = true;
          onProgress?.(report.percent);
        }
      },
    });
    if (stderr !== '') log.debug({ job: job.kind, stderr }, 'media child');
    if (outcome !== undefined) return outcome;
    if (job.kind === 'take' && !isInspected && CRASH_STATUSES.has(status)) return { kind: 'refused', code: 'broken' };
    throw new Error(`the media process exited with ${status}: ${stderr.slice(-500)}`);
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
