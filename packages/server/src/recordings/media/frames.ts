import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Engine, EngineFailure } from './engine/engine.ts';
import { type FrameLook, type FrameSize, measureLooks } from './still.ts';

export interface VideoSource {
  readonly file: string;
  readonly demuxer: string;
  readonly index: number;
  readonly durationS: number;
  readonly width: number;
  readonly height: number;
}

export interface MeasuredFrame extends FrameLook {
  readonly isKeyFrame: boolean;
}

const TIMES_FILE = 'frames.txt';
const FRAMES_FILE = 'frames.gray';
/** Motion blur of a speaking face is visible at this size, and sensor noise is not. */
const LONG_SIDE = 384;
/** Our recorder writes a key frame per second; others write one per frame, which would be thousands. */
const MIN_GAP_S = 0.45;
/** With fewer key frames than this, other frames are measured too. */
const ENOUGH_FRAMES = 4;
/** Decoding other frames is expensive, so only those of the first seconds are. */
const SAMPLED_S = 6;

/** Measures key frames first, because they cost almost nothing to decode. */
export async function measureFrames(engine: Engine, into: string, source: VideoSource): Promise<MeasuredFrame[]> {
  const keyFrames = await measure(engine, into, source, true).catch((error: unknown) => {
    // Some FFmpeg versions fail on a stream without key frames.
    if (error instanceof EngineFailure && !error.killed) return [];
    throw error;
  });
  if (keyFrames.length >= ENOUGH_FRAMES) return keyFrames;
  return [...keyFrames, ...(await measure(engine, into, source, false))];
}

/** Both engines only scale frames; they are measured here, so that both lead to the same choice. */
async function measure(
  engine: Engine,
  into: string,
  source: VideoSource,
  isKeyFrame: boolean,
): Promise<MeasuredFrame[]> {
  const size = fit(source);
  const filter =
    `select='isnan(prev_selected_t)+gte(t-prev_selected_t,${MIN_GAP_S})',` +
    `scale=${size.width}:${size.height}:flags=area,format=gray,` +
    // The filter prints the time of a frame only with metadata.
    `metadata=add:key=frame:value=1,metadata=print:file=${TIMES_FILE}`;
  const [timesFile, framesFile] = [join(into, TIMES_FILE), join(into, FRAMES_FILE)];
  try {
    await engine.run({
      input: {
        file: source.file,
        demuxer: source.demuxer,
        ...(isKeyFrame ? { keyFramesOnly: true } : { lengthS: SAMPLED_S }),
      },
      video: { index: source.index, filter, codec: 'rawvideo', options: {} },
      output: { file: FRAMES_FILE, muxer: 'rawvideo' },
    });
    const times = readTimes(await readFile(timesFile, 'utf8').catch(() => ''));
    const frames = splitFrames(await readFile(framesFile), size);
    return measureLooks(pair(times, frames), size).map((look) => ({ ...look, isKeyFrame }));
  } finally {
    await Promise.all([timesFile, framesFile].map((file) => rm(file, { force: true })));
  }
}

function fit({ width, height }: VideoSource): FrameSize {
  const ratio = Math.min(1, LONG_SIDE / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * ratio)), height: Math.max(1, Math.round(height * ratio)) };
}

const readTimes = (text: string): number[] =>
  [...text.matchAll(/^frame:.*pts_time:(\S+)/gm)].map(([, seconds]) => Number(seconds));

function splitFrames(bytes: Uint8Array, { width, height }: FrameSize): Uint8Array[] {
  const length = width * height;
  return Array.from({ length: Math.floor(bytes.length / length) }, (_, at) =>
    bytes.subarray(at * length, (at + 1) * length),
  );
}

/** When a stream changes its frame size, FFmpeg starts the file of times again: it then has those of the last frames. */
function pair(times: readonly number[], frames: readonly Uint8Array[]): { seconds: number; gray: Uint8Array }[] {
  const count = Math.min(times.length, frames.length);
  const gray = frames.slice(frames.length - count);
  return times.slice(times.length - count).flatMap((seconds, at) => {
    const pixels = gray[at];
    return pixels === undefined || !Number.isFinite(seconds) ? [] : [{ seconds, gray: pixels }];
  });
}
