import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../platform/log.ts';
import { writeCaptions } from './captions.ts';
import type { Chosen } from './engine/choose.ts';
import type { Errand, Outcome, Report } from './errand.ts';
import { runGuarded } from './guarded-process.ts';
import { CHILD_HEAP_MB, WORK_LIMITS, type WorkLimits } from './limits.ts';
import { readPicture } from './picture-file.ts';
import { type Shape, shapeFile } from './pictures.ts';
import { isRefusalCode, TakeRefused } from './refusals.ts';
import { proveRoom } from './room.ts';
import type { TakeFacts } from './take.ts';

export interface Encoder {
  /** Proves one take and turns it into what every phone plays: video.mp4, poster.jpg, card.jpg, captions.vtt in `into`. */
  process(take: {
    file: string;
    into: string;
    script: string | null;
    signal: AbortSignal;
    onProgress(percent: number): void;
  }): Promise<TakeFacts>;
  /** Writes preview.webp, from a video that `process` made. */
  preview(video: { file: string; into: string; signal: AbortSignal }): Promise<void>;
  /**
   * A PNG or JPEG from anybody, as a logo (PNG, at most 400 x 160) or a face (JPEG, 320 x 320). Works in `into`. What is
   * wrong with a refused one completes a sentence that begins with its name.
   */
  redraw(picture: Unproved): Promise<{ picture: Buffer } | { refused: string }>;
  describe(): Promise<string>;
}

interface Sending {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (percent: number) => void;
}

interface Unproved {
  readonly bytes: Buffer;
  readonly shape: Shape;
  readonly into: string;
  readonly signal: AbortSignal;
}

const CHILD = fileURLToPath(new URL('errand.child.ts', import.meta.url));
/** Asking a program for its version. */
const CHOOSING_MS = 60_000;
/** By these a process dies of what it read: out of memory, out of processor time, a crash. As a shell counts. */
const DEATHS_BY_FILE = new Set([128 + 6, 128 + 11, 128 + 24, 128 + 25]);

export function createEncoder(options: {
  ffmpegPath: string | undefined;
  log: Logger;
  limits?: Partial<WorkLimits>;
}): Encoder {
  const { ffmpegPath, log } = options;
  const limits = { ...WORK_LIMITS, ...options.limits };
  let choosing: Promise<Chosen> | undefined;

  /** Once for the life of the process; a failure is not kept, as an operator may be mending it. */
  function choose(): Promise<Chosen> {
    choosing ??= askWhich().catch((error: unknown) => {
      choosing = undefined;
      throw error;
    });
    return choosing;
  }

  async function askWhich(): Promise<Chosen> {
    const errand: Errand = { kind: 'choose', ffmpegPath: ffmpegPath ?? null, into: tmpdir() };
    const outcome = await send(errand, { timeoutMs: CHOOSING_MS, signal: new AbortController().signal });
    if (outcome.kind !== 'chosen') throw unexpected(outcome);
    return outcome.chosen;
  }

  /** What was done or refused. A failure says so by throwing: the disk's, when that is full. */
  async function send(errand: Errand, how: Sending): Promise<Outcome> {
    try {
      const outcome = await run(errand, how);
      if (outcome.kind === 'failed') throw new Error(outcome.message);
      return outcome;
    } catch (failure) {
      how.signal.throwIfAborted();
      await proveRoom(errand.into, failure);
      throw failure;
    }
  }

  async function run(errand: Errand, how: Sending): Promise<Outcome> {
    let outcome: Outcome | undefined;
    let gated = false;
    const { status, stderr } = await runGuarded({
      command: process.execPath,
      args: [`--max-old-space-size=${CHILD_HEAP_MB}`, CHILD, JSON.stringify(errand)],
      cwd: errand.into,
      ...limits,
      // Choosing is quick and trusted, and the first take waits for it. A picture is quick, and a person waits.
      ...(errand.kind === 'choose' || errand.kind === 'picture' ? { niceness: 0 } : {}),
      ...how,
      onLine: (line) => {
        const report = JSON.parse(line) as Report;
        if (report.kind !== 'progress') outcome = report;
        else {
          gated = true;
          how.onProgress?.(report.percent);
        }
      },
    });
    if (stderr !== '') log.debug({ errand: errand.kind, stderr }, 'media child');
    if (outcome !== undefined) return outcome;
    if (errand.kind === 'take' && !gated && DEATHS_BY_FILE.has(status)) return { kind: 'refused', code: 'broken' };
    throw new Error(`the media child ended with ${status}: ${stderr.slice(-500)}`);
  }

  return {
    process: async ({ file, into, script, signal, onProgress }) => {
      const { choice } = await choose();
      const errand: Errand = { kind: 'take', choice, file, into };
      const outcome = await send(errand, { timeoutMs: limits.processMs, signal, onProgress });
      if (outcome.kind === 'refused' && isRefusalCode(outcome.code)) throw new TakeRefused(outcome.code);
      if (outcome.kind !== 'take') throw unexpected(outcome);
      const { facts, speech } = outcome.worked;
      if (script !== null && script.trim() !== '') {
        await writeFile(join(into, 'captions.vtt'), writeCaptions(script, speech, facts.durationMs / 1000));
      }
      return facts;
    },
    preview: async ({ file, into, signal }) => {
      const { choice } = await choose();
      const outcome = await send({ kind: 'preview', choice, file, into }, { timeoutMs: limits.previewMs, signal });
      if (outcome.kind !== 'preview') throw unexpected(outcome);
    },
    redraw: async ({ bytes, shape, into, signal }) => {
      const source = readPicture(bytes);
      if ('refused' in source) return source;
      const { choice } = await choose();
      const file = join(into, 'picture');
      await writeFile(file, source.bytes);
      const { demuxer, turn } = source;
      const errand: Errand = { kind: 'picture', choice, file, into, shape, demuxer, turn };
      const outcome = await send(errand, { timeoutMs: limits.previewMs, signal });
      if (outcome.kind === 'refused') return { refused: 'is damaged' };
      if (outcome.kind !== 'picture') throw unexpected(outcome);
      return { picture: await readFile(join(into, shapeFile(shape))) };
    },
    describe: async () => (await choose()).description,
  };
}

const unexpected = ({ kind }: Outcome): Error => new Error(`the media child answered ${kind}`);
