import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findSpeech, fitsScript } from '@foreword/contract';
import type { Services } from '../../app/services.ts';
import { loadOnce } from '../../platform/bounded-map.ts';
import {
  findIsolation,
  type Isolation,
  noIsolation,
  readableFor,
  readableForProgram,
} from '../../platform/isolation.ts';
import { type Chosen, locateProgram } from './engine/choose.ts';
import { CHILD, createJobRunner, type MediaJob, NODE_FLAGS, type Outcome } from './job-runner.ts';
import { cpuLimitMs, isRefusalCode, TakeRefused, WORK_LIMITS, type WorkLimits } from './limits.ts';
import { readPicture, type Shape, shapeFile } from './pictures.ts';
import type { Trim } from './plan.ts';
import { writeCaptions } from './sound.ts';
import type { TakeDetails } from './take.ts';
import { drawVector, looksLikeVector } from './vector.ts';

/** The folder of all sources; in the npm package, of the JavaScript. */
const SOURCES = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** The strictest isolation in which a media process can start and read its programs. */
async function findMediaIsolation(options: {
  isWanted: boolean;
  ffmpegPath: string | undefined;
  folder: string;
}): Promise<Isolation> {
  const { isWanted, ffmpegPath, folder } = options;
  if (!isWanted) return noIsolation('MEDIA_ISOLATION is off');
  const program = await locateProgram(ffmpegPath);
  const programs = program === undefined ? [] : await readableForProgram(program);
  const job: MediaJob = { kind: 'start', into: '.' };
  return findIsolation({
    trial: [process.execPath, ...NODE_FLAGS, CHILD, JSON.stringify(job)],
    readable: [...(await readableFor(SOURCES)), ...programs],
    folder,
  });
}

export interface Video {
  readonly file: string;
  readonly into: string;
  readonly signal: AbortSignal;
}

export interface Take extends Video {
  /** Becomes the captions if the voice fits it. */
  readonly script: string | null;
  /** Captions that the member chose instead of this rule; empty: none. */
  readonly captions?: string | null;
  /** Cuts the start and end off. */
  readonly trim?: Trim | null;
  onProgress(percent: number): void;
  /** CPU time of earlier attempts, and how many of them ended because their worker died. */
  readonly cpu?: { readonly spentMs: number; readonly workerDeaths: number };
  /** CPU time of this attempt so far. */
  onCpuTime?(ms: number): void;
  /** Before encoding: whether it costs more than that of 30 s of 1080p. */
  onInspected?(isHeavy: boolean): void;
}

export interface UntrustedPicture {
  readonly bytes: Buffer;
  readonly shape: Shape;
}

export type Encoder = ReturnType<typeof createEncoder>;

/** For running ffmpeg to read its version. */
const CHOOSING_MS = 60_000;

export function createEncoder(
  options: Pick<Services, 'log' | 'workFolders'> & {
    ffmpegPath: string | undefined;
    isolate: boolean;
    limits?: Partial<WorkLimits>;
  },
) {
  const { ffmpegPath, log, workFolders } = options;
  const limits = { ...WORK_LIMITS, ...options.limits };
  const isolation = loadOnce(() =>
    workFolders.use('trial', (folder) => findMediaIsolation({ isWanted: options.isolate, ffmpegPath, folder })),
  );
  const run = createJobRunner(log, limits, isolation);

  const choose = loadOnce(async (): Promise<Chosen> => {
    const outcome = await workFolders.use('choose', (into) =>
      run({ kind: 'choose', ffmpegPath: ffmpegPath ?? null, into }, { timeoutMs: CHOOSING_MS }),
    );
    if (outcome.kind !== 'chosen') throw unexpected(outcome);
    return outcome.chosen;
  });

  async function redrawIn(into: string, { bytes, shape }: UntrustedPicture) {
    const source = readPicture(bytes);
    if ('refused' in source) return source;
    const { choice } = await choose();
    const file = join(into, 'picture');
    await writeFile(file, source.bytes);
    const { demuxer, orient } = source;
    const job: MediaJob = { kind: 'picture', choice, file, into, shape, demuxer, orient };
    const outcome = await run(job, { timeoutMs: limits.previewMs });
    if (outcome.kind === 'refused') return { refused: 'is damaged' };
    if (outcome.kind !== 'picture') throw unexpected(outcome);
    return { picture: await readFile(join(into, shapeFile(shape))) };
  }

  return {
    /**
     * Checks a take, which must be in the folder `into`, and writes files that every phone shows into `into`: video.mp4,
     * poster.jpg, card.jpg, thumbnail.jpg, captions.vtt.
     */
    async process(take: Take): Promise<TakeDetails> {
      const { file, into, script, captions = null, trim = null } = take;
      const { spentMs, workerDeaths } = take.cpu ?? { spentMs: 0, workerDeaths: 0 };
      const { choice } = await choose();
      const overspent = new AbortController();
      let durationS: number | null = null;
      const outcome = await run(
        { kind: 'take', choice, file, into, trim },
        {
          timeoutMs: limits.processMs,
          signal: AbortSignal.any([take.signal, overspent.signal]),
          onProgress: take.onProgress,
          onInspected(inspected) {
            durationS = inspected.durationS;
            take.onInspected?.(inspected.isHeavy);
          },
          onCpuTime(ms) {
            take.onCpuTime?.(ms);
            if (spentMs + ms > cpuLimitMs(durationS, workerDeaths)) overspent.abort(new TakeRefused('too_demanding'));
          },
        },
      );
      if (outcome.kind === 'refused' && isRefusalCode(outcome.code)) throw new TakeRefused(outcome.code);
      if (outcome.kind !== 'take') throw unexpected(outcome);
      const { details, moments } = outcome.result;
      const speech = findSpeech(moments);
      const said = captions ?? (script !== null && fitsScript(script, speech) ? script : '');
      if (said.trim() !== '') {
        await writeFile(join(into, 'captions.vtt'), writeCaptions(said, speech, details.durationMs / 1000));
      }
      return details;
    },
    /** Writes preview.webp from a video in `into` that `process` produced. */
    async preview({ file, into, signal }: Video): Promise<void> {
      const { choice } = await choose();
      const outcome = await run({ kind: 'preview', choice, file, into }, { timeoutMs: limits.previewMs, signal });
      if (outcome.kind !== 'preview') throw unexpected(outcome);
    },
    /**
     * Re-encodes an untrusted PNG or JPEG as a logo (PNG, at most 400 x 160) or a face (JPEG, 320 x 320). A logo may be an
     * SVG, too. A refusal completes a sentence that starts with the file's name.
     */
    redraw: ({ bytes, shape }: UntrustedPicture): Promise<{ picture: Buffer } | { refused: string }> =>
      workFolders.use('picture', async (into) => {
        const drawn =
          shape === 'logo' && looksLikeVector(bytes)
            ? await drawVector(bytes, into, await isolation())
            : { picture: bytes };
        return 'refused' in drawn ? drawn : redrawIn(into, { bytes: drawn.picture, shape });
      }),
    describe: async (): Promise<string> => (await choose()).description,
    /** How the processes that open files of strangers are isolated on this machine. */
    isolation,
  };
}

const unexpected = ({ kind }: Outcome): Error => new Error(`the media process returned an unexpected ${kind}`);
