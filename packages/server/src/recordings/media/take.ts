import { type FileHandle, open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Moment } from '@foreword/contract';
import { type CopiedTrack, type Engine, EngineFailure, type Track } from './engine/engine.ts';
import { inspectFile } from './inspection.ts';
import { MAX_DURATION_S, TakeRefused } from './limits.ts';
import { makePictures } from './pictures.ts';
import {
  continuousAudio,
  findKeptPart,
  isHeavy,
  type KeptPart,
  planSound,
  planVideo,
  type SoundDetails,
  type SourceDetails,
  type Trim,
} from './plan.ts';
import { LEVELS_FILE, MEASURE_FILTER, readLevels } from './sound.ts';

export interface TakeDetails {
  readonly width: number;
  readonly height: number;
  readonly durationMs: number;
  readonly hasAudio: boolean;
  readonly bytes: number;
  readonly copied: boolean;
}

/** Needed before a take is encoded. */
export interface Inspected {
  readonly durationS: number;
  readonly isHeavy: boolean;
}

export interface TranscodedTake {
  readonly details: TakeDetails;
  readonly moments: readonly Moment[];
}

/** Inspection refuses longer files; a stream that is longer than its tables claim is cut here. */
const CUT_S = MAX_DURATION_S + 1;
/** Percent done after each step, by what the steps cost. */
const PROGRESS = { inspected: 3, measured: 8, encoded: 92 } as const;

interface Work {
  readonly engine: Engine;
  readonly file: string;
  readonly into: string;
  readonly trim: Trim | null;
  onInspected(inspected: Inspected): void;
  onProgress(percent: number): void;
}

export async function transcodeTake(work: Work): Promise<TranscodedTake> {
  const source = await inspectFile(work.file);
  work.onInspected({ durationS: source.durationS, isHeavy: isHeavy(source) });
  work.onProgress(PROGRESS.inspected);
  try {
    return await produce(work, source);
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.killed) throw error;
    throw (await canDecode(work, source)) ? error : new TakeRefused('broken');
  }
}

async function produce(work: Work, source: SourceDetails): Promise<TranscodedTake> {
  const { engine, into } = work;
  const kept = findKeptPart(work.trim, source.durationS);
  const video = planVideo(source.video, kept);
  const copied = 'copy' in video;
  const makeVideo = async (): Promise<readonly Moment[]> => {
    const measured = source.sound === null ? null : await measureSound(work, source.demuxer, source.sound, kept);
    work.onProgress(PROGRESS.measured);
    const audio = measured === null ? undefined : planSound(measured.sound, measured.loudness, kept);
    await writeVideo(work, source, kept, { video, ...(audio === undefined ? {} : { audio }) });
    return measured === null ? [] : measured.moments;
  };
  // Copied frames equal the source's, so the pictures can be made from the source at the same time.
  const pictures = copied
    ? makePictures(engine, into, { file: work.file, demuxer: source.demuxer, ...source.video })
    : undefined;
  const [moments] = await Promise.all([makeVideo(), pictures]);
  if (copied) await declareMainProfile(join(into, 'video.mp4'));
  const output = await inspectOutput(join(into, 'video.mp4'));
  if (!copied) await makePictures(engine, into, { file: join(into, 'video.mp4'), demuxer: 'mov', ...output.video });
  work.onProgress(100);
  const { width, height, durationS } = output.video;
  const { size: bytes } = await stat(join(into, 'video.mp4'));
  const details = {
    width,
    height,
    durationMs: Math.round(durationS * 1000),
    hasAudio: output.sound !== null,
    bytes,
    copied,
  };
  return { details, moments };
}

/** The output is inspected too: damaged frames may leave nothing to play, and FFmpeg does not always report a full disk. */
async function inspectOutput(path: string): Promise<SourceDetails> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (!(await isWhole(file, size))) throw new EngineFailure('the output is truncated', { killed: false });
  } finally {
    await file.close();
  }
  return inspectFile(path).catch((error: unknown) => {
    throw error instanceof TakeRefused
      ? new EngineFailure(`the output is invalid: ${error.code}`, { killed: false })
      : error;
  });
}

async function measureSound(work: Work, demuxer: string, sound: SoundDetails, kept: KeptPart | null) {
  await work.engine.run({
    input: { file: work.file, demuxer, lengthS: kept?.endS ?? CUT_S },
    audio: {
      index: sound.index,
      filter: `${continuousAudio(sound, kept)},${MEASURE_FILTER}`,
      codec: 'pcm_s16le',
      options: {},
    },
    output: { file: '-', muxer: 'null' },
  });
  const path = join(work.into, LEVELS_FILE);
  const { loudness, moments } = readLevels(await readFile(path, 'utf8').catch(() => ''));
  await rm(path, { force: true });
  // A declared track without any samples counts as no sound.
  return moments.length === 0 ? null : { sound, loudness, moments };
}

async function writeVideo(
  work: Work,
  source: SourceDetails,
  kept: KeptPart | null,
  tracks: { video: Track | CopiedTrack; audio?: Track | CopiedTrack },
): Promise<void> {
  const share = PROGRESS.encoded - PROGRESS.measured;
  await work.engine.run(
    {
      // Sound after the end of the picture is useless, and the muxer would buffer all of it.
      input: {
        file: work.file,
        demuxer: source.demuxer,
        lengthS: kept?.endS ?? Math.min(CUT_S, source.durationS + 1),
      },
      ...tracks,
      output: { file: 'video.mp4', muxer: 'mp4', options: { movflags: '+faststart' } },
    },
    {
      onSeconds: (seconds) =>
        work.onProgress(
          Math.floor(PROGRESS.measured + share * Math.min(1, seconds / (kept?.endS ?? source.durationS))),
        ),
    },
  );
}

/** Tells whose fault a failure is: if decoding alone fails too, the file's; otherwise a retry may help. */
async function canDecode({ engine, file }: Work, { demuxer, video, sound }: SourceDetails): Promise<boolean> {
  try {
    const { pictures } = await engine.run({
      input: { file, demuxer, lengthS: CUT_S },
      video: { index: video.index, filter: 'null', codec: 'wrapped_avframe', options: {} },
      ...(sound === null
        ? {}
        : {
            audio: {
              index: sound.index,
              filter: `${continuousAudio(sound, null)},aformat=sample_fmts=s16`,
              codec: 'pcm_s16le',
              options: {},
            },
          }),
      output: { file: '-', muxer: 'null' },
    });
    return pictures > 0;
  } catch (error) {
    if (error instanceof EngineFailure && !error.killed) return false;
    throw error;
  }
}

const BASELINE = 66;
const MAIN = 77;
/** With `moov` first, the codec configuration is near the start of the file. */
const HEAD_BYTES = 65_536;
/** Offsets of the two profile bytes in avcC: its own, and the one in the first parameter set. */
const PROFILE = 1;
const SET_PROFILE = 9;

/**
 * Declares a Constrained Baseline stream as Main, because some players check only the profile number. The declaration is
 * true: only Baseline streams that also satisfy Main are copied.
 */
async function declareMainProfile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    const head = Buffer.alloc(HEAD_BYTES);
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0);
    const at = head.indexOf('avcC') + 4;
    if (at < 4 || at + SET_PROFILE >= bytesRead) return;
    if (head[at + PROFILE] !== BASELINE || head[at + SET_PROFILE] !== BASELINE) return;
    for (const offset of [at + PROFILE, at + SET_PROFILE]) await file.write(Buffer.from([MAIN]), 0, 1, offset);
  } finally {
    await file.close();
  }
}

/** An honest file has a few dozen. */
const MAX_BOXES = 2_000;

/**
 * Whether the outermost boxes fill the file to its last byte. A full disk truncates the file, while the tables at its start
 * still look valid.
 */
async function isWhole(file: FileHandle, size: number): Promise<boolean> {
  let at = 0;
  for (let seen = 0; at < size && seen < MAX_BOXES; seen++) {
    const length = await readLength(file, at);
    if (length === null) return false;
    at += length;
  }
  return at === size && size > 0;
}

async function readLength(file: FileHandle, at: number): Promise<number | null> {
  const head = Buffer.alloc(16);
  await file.read(head, 0, 16, at);
  const short = head.readUInt32BE(0);
  const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
  return length < (short === 1 ? 16 : 8) ? null : length;
}
