import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../platform/log.ts';
import { writeCaptions } from './captions.ts';
import type { Chosen } from './engine/choose.ts';
import { runGuarded } from './guarded-process.ts';
import { CHILD_HEAP_MB, WORK_LIMITS, type WorkLimits } from './limits.ts';
import type { MediaJob, Outcome, Report } from './media-child.ts';
import { readPicture } from './picture-file.ts';
import { type Shape, shapeFile } from './pictures.ts';
import { isRefusalCode, TakeRefused } from './refusals.ts';
import { requireFreeSpace } from './scratch-folder.ts';
import type { TakeDetails } from './take.ts';

export interface Encoder {
  /** Checks a take and writes files that every phone plays into `into`: video.mp4, poster.jpg, card.jpg, captions.vtt. */
  process(take: {
    file: string;
    into: string;
    script: string | null;
    signal: AbortSignal;
    onProgress(percent: number): void;
  }): Promise<TakeDetails>;
  /** Writes preview.webp from a video that `process` produced. */
  preview(video: { file: string; into: string; signal: AbortSignal }): Promise<void>;
  /**
   * Re-encodes an untrusted PNG or JPEG as a logo (PNG, at most 400 x 160) or a face (JPEG, 320 x 320), working in `into`.
   * A refusal completes a sentence that starts with the file's name.
   */
  redraw(picture: UntrustedPicture): Promise<{ picture: Buffer } | { refused: string }>;
  describe(): Promise<string>;
}

interface RunOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (percent: number) => void;
}

interface UntrustedPicture {
  readonly bytes: Buffer;
  readonly shape: Shape;
  readonly into: string;
  readonly signal: AbortSignal;
}

const CHILD = fileURLToPath(new URL('media.child.ts', import.meta.url));
/** Running ffmpeg to read its version. */
const CHOOSING_MS = 60_000;
/** Shell exit statuses of SIGABRT, SIGSEGV, SIGXCPU and SIGXFSZ: a hostile file can cause each of them. */
const CRASH_STATUSES = new Set([128 + 6, 128 + 11, 128 + 24, 128 + 25]);

export function createEncoder(options: {
  ffmpegPath: string | undefined;
  log: Logger;
  limits?: Partial<WorkLimits>;
}): Encoder {
  const { ffmpegPath, log } = options;
  const limits = { ...WORK_LIMITS, ...options.limits };
  let choosing: Promise<Chosen> | undefined;

  /** Runs once per process, but a failure is not cached: the operator may be fixing it. */
  function choose(): Promise<Chosen> {
    choosing ??= runChoose().catch((error: unknown) => {
      choosing = undefined;
      throw error;
    });
    return choosing;
  }

  async function runChoose(): Promise<Chosen> {
    const job: MediaJob = { kind: 'choose', ffmpegPath: ffmpegPath ?? null, into: tmpdir() };
    const outcome = await run(job, { timeoutMs: CHOOSING_MS, signal: new AbortController().signal });
    if (outcome.kind !== 'chosen') throw unexpected(outcome);
    return outcome.chosen;
  }

  /** Throws when the job fails; if the disk is full, throws the disk's error instead. */
  async function run(job: MediaJob, runOptions: RunOptions): Promise<Outcome> {
    try {
      const outcome = await runChild(job, runOptions);
      if (outcome.kind === 'failed') throw new Error(outcome.message);
      return outcome;
    } catch (failure) {
      runOptions.signal.throwIfAborted();
      await requireFreeSpace(job.into, failure);
      throw failure;
    }
  }

  async function runChild(job: MediaJob, { onProgress, ...runOptions }: RunOptions): Promise<Outcome> {
    let outcome: Outcome | undefined;
    let isInspected = false;
    const { status, stderr } = await runGuarded({
      command: process.execPath,
      args: [`--max-old-space-size=${CHILD_HEAP_MB}`, CHILD, JSON.stringify(job)],
      cwd: job.into,
      ...limits,
      // These jobs are short, and the first take or a person waits for them.
      ...(job.kind === 'choose' || job.kind === 'picture' ? { niceness: 0 } : {}),
      ...runOptions,
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

  return {
    process: async ({ file, into, script, signal, onProgress }) => {
      const { choice } = await choose();
      const outcome = await run(
        { kind: 'take', choice, file, into },
        { timeoutMs: limits.processMs, signal, onProgress },
      );
      if (outcome.kind === 'refused' && isRefusalCode(outcome.code)) throw new TakeRefused(outcome.code);
      if (outcome.kind !== 'take') throw unexpected(outcome);
      const { details, speech } = outcome.result;
      if (script !== null && script.trim() !== '') {
        await writeFile(join(into, 'captions.vtt'), writeCaptions(script, speech, details.durationMs / 1000));
      }
      return details;
    },
    preview: async ({ file, into, signal }) => {
      const { choice } = await choose();
      const outcome = await run({ kind: 'preview', choice, file, into }, { timeoutMs: limits.previewMs, signal });
      if (outcome.kind !== 'preview') throw unexpected(outcome);
    },
    redraw: async ({ bytes, shape, into, signal }) => {
      const source = readPicture(bytes);
      if ('refused' in source) return source;
      const { choice } = await choose();
      const file = join(into, 'picture');
      await writeFile(file, source.bytes);
      const { demuxer, orient } = source;
      const job: MediaJob = { kind: 'picture', choice, file, into, shape, demuxer, orient };
      const outcome = await run(job, { timeoutMs: limits.previewMs, signal });
      if (outcome.kind === 'refused') return { refused: 'is damaged' };
      if (outcome.kind !== 'picture') throw unexpected(outcome);
      return { picture: await readFile(join(into, shapeFile(shape))) };
    },
    describe: async () => (await choose()).description,
  };
}

const unexpected = ({ kind }: Outcome): Error => new Error(`the media process returned an unexpected ${kind}`);
