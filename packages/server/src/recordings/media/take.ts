import { open, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { declareMain } from './declare-main.ts';
import { type CopiedTrack, type Engine, EngineFailure, type Track } from './engine/engine.ts';
import { passGate } from './gate.ts';
import { MAX_DURATION_S } from './limits.ts';
import { isWhole } from './mp4-boxes.ts';
import { makePictures } from './pictures.ts';
import { planSound, planVideo, type SoundFacts, type SourceFacts, steady } from './plan.ts';
import { TakeRefused } from './refusals.ts';
import { findSpeech, LISTEN_FILTER, LISTENING, type Loudness, readListening, type Span } from './sound.ts';

export interface TakeFacts {
  readonly width: number;
  readonly height: number;
  readonly durationMs: number;
  readonly hasAudio: boolean;
  readonly bytes: number;
  readonly copied: boolean;
}

export interface WorkedTake {
  readonly facts: TakeFacts;
  readonly speech: readonly Span[];
}

/** Nothing that passed the gate is longer; a stream that turns out so is cut, whatever its tables said. */
const CUT_S = MAX_DURATION_S + 1;
/** Shares of the whole, by what they cost. */
const PROGRESS = { gate: 3, heard: 8, encoded: 92 } as const;

interface Work {
  readonly engine: Engine;
  readonly file: string;
  readonly into: string;
  onProgress(percent: number): void;
}

export async function workOnTake(work: Work): Promise<WorkedTake> {
  const source = await passGate(work.file);
  work.onProgress(PROGRESS.gate);
  try {
    return await produce(work, source);
  } catch (error) {
    if (!(error instanceof EngineFailure) || error.killed) throw error;
    throw (await canDecode(work, source)) ? error : new TakeRefused('broken');
  }
}

async function produce(work: Work, source: SourceFacts): Promise<WorkedTake> {
  const { engine, into } = work;
  const video = planVideo(source.video);
  const copied = 'copy' in video;
  const makeVideo = async (): Promise<Span[]> => {
    const heard = source.sound === null ? null : await listen(work, source.demuxer, source.sound);
    work.onProgress(PROGRESS.heard);
    const audio = heard === null ? undefined : planSound(heard.sound, heard.loudness);
    await writeVideo(work, source, video, audio);
    return heard === null ? [] : heard.speech;
  };
  // Copied frames are the source's own, so that the pictures need not wait for them.
  const pictures = copied
    ? makePictures(engine, into, { file: work.file, demuxer: source.demuxer, ...source.video })
    : undefined;
  const [speech] = await Promise.all([makeVideo(), pictures]);
  if (copied) await declareMain(join(into, 'video.mp4'));
  const made = await inspect(join(into, 'video.mp4'));
  if (!copied) await makePictures(engine, into, { file: join(into, 'video.mp4'), demuxer: 'mov', ...made.video });
  work.onProgress(100);
  const { width, height, durationS } = made.video;
  const { size: bytes } = await stat(join(into, 'video.mp4'));
  const facts = {
    width,
    height,
    durationMs: Math.round(durationS * 1000),
    hasAudio: made.sound !== null,
    bytes,
    copied,
  };
  return { facts, speech };
}

/** Ours is held to the gate as well: damaged frames leave nothing to play, and a full disk is not always told. */
async function inspect(path: string): Promise<SourceFacts> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    if (!(await isWhole(file, size)))
      throw new EngineFailure('the video was not written to its end', { killed: false });
  } finally {
    await file.close();
  }
  return passGate(path).catch((error: unknown) => {
    throw error instanceof TakeRefused ? new EngineFailure(`the video made: ${error.code}`, { killed: false }) : error;
  });
}

interface Heard {
  readonly sound: SoundFacts;
  readonly loudness: Loudness;
  readonly speech: Span[];
}

async function listen(work: Work, demuxer: string, sound: SoundFacts): Promise<Heard | null> {
  await work.engine.run({
    input: { file: work.file, demuxer, lengthS: CUT_S },
    audio: { index: sound.index, filter: `${steady(sound)},${LISTEN_FILTER}`, codec: 'pcm_s16le', options: {} },
    output: { file: '-', muxer: 'null' },
  });
  const path = join(work.into, LISTENING);
  const { loudness, moments } = readListening(await readFile(path, 'utf8').catch(() => ''));
  await rm(path, { force: true });
  // A declared track of which nothing could be heard is no sound.
  return moments.length === 0 ? null : { sound, loudness, speech: findSpeech(moments) };
}

async function writeVideo(
  work: Work,
  source: SourceFacts,
  video: Track | CopiedTrack,
  audio: Track | CopiedTrack | undefined,
): Promise<void> {
  const share = PROGRESS.encoded - PROGRESS.heard;
  await work.engine.run(
    {
      // Sound that goes on after the picture has ended is of no use, and the muxer would gather all of it.
      input: { file: work.file, demuxer: source.demuxer, lengthS: Math.min(CUT_S, source.durationS + 1) },
      video,
      ...(audio === undefined ? {} : { audio }),
      output: { file: 'video.mp4', muxer: 'mp4', options: { movflags: '+faststart' } },
    },
    {
      onSeconds: (seconds) =>
        work.onProgress(Math.floor(PROGRESS.heard + share * Math.min(1, seconds / source.durationS))),
    },
  );
}

/** Whose fault a failure is: when even reading the frames fails, the file's; else ours, and another try may help. */
async function canDecode({ engine, file }: Work, { demuxer, video, sound }: SourceFacts): Promise<boolean> {
  try {
    const { pictures } = await engine.run({
      input: { file, demuxer, lengthS: CUT_S },
      video: { index: video.index, filter: 'null', codec: 'wrapped_avframe', options: {} },
      ...(sound === null
        ? {}
        : {
            audio: {
              index: sound.index,
              filter: `${steady(sound)},aformat=sample_fmts=s16`,
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
