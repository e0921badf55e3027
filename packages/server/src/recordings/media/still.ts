import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Engine, EngineFailure } from './engine/engine.ts';

/** How one frame of a take looks. All levels are gray levels from 0 to 255. */
export interface FrameLook {
  readonly seconds: number;
  /** Strength of the edges where the member's face usually is: higher is sharper. */
  readonly sharpness: number;
  readonly brightness: number;
  /** Standard deviation of the brightness. */
  readonly contrast: number;
  /** Difference from the typical frame of the take. */
  readonly difference: number;
}

interface FrameSize {
  readonly width: number;
  readonly height: number;
}

/** At the start and end, the member is reaching for the button. */
const EDGE_S = 0.5;
/** In a short take. */
const EDGE_SHARE = 0.1;
const TOO_DARK = 24;
const TOO_BRIGHT = 240;
const TOO_FLAT = 8;
/** A frame that differs more than this, and twice as much as most, shows something else: a ceiling, a hand, a pocket. */
const ANOTHER_SCENE = 16;
/** Share of its sharpness that counts. */
const WEIGHTS = { badlyLit: 0.02, anotherScene: 0.1, edge: 0.3 } as const;
/** The member is most attentive at the start, so the last frame must be this much sharper. */
const LATE_PENALTY = 0.2;

/** The frame to show as the poster: sharp, well lit, typical for the take, and rather early. */
export function chooseStill<Frame extends FrameLook>(frames: readonly Frame[], durationS: number): Frame | undefined {
  const usual = median(frames.map(({ difference }) => difference));
  const edge = Math.min(EDGE_S, durationS * EDGE_SHARE);
  const score = ({ seconds, sharpness, brightness, contrast, difference }: FrameLook): number => {
    const isBadlyLit = brightness < TOO_DARK || brightness > TOO_BRIGHT || contrast < TOO_FLAT;
    const isAnotherScene = difference > Math.max(ANOTHER_SCENE, 2 * usual);
    const isEdge = seconds < edge || seconds > durationS - edge;
    return (
      (sharpness + Number.EPSILON) *
      (isBadlyLit ? WEIGHTS.badlyLit : 1) *
      (isAnotherScene ? WEIGHTS.anotherScene : 1) *
      (isEdge ? WEIGHTS.edge : 1) *
      (1 - LATE_PENALTY * Math.min(1, seconds / durationS))
    );
  };
  return frames.reduce<Frame | undefined>(
    (best, frame) => (best === undefined || score(frame) > score(best) ? frame : best),
    undefined,
  );
}

/** The middle of the picture without the bottom, so that a sharp wall or shirt does not outweigh a blurred face. */
const FACE_AREA = { left: 0.2, right: 0.8, top: 0.12, bottom: 0.72 } as const;
/** Frames are compared by the brightness of this many blocks per side: small movements do not count. */
const BLOCKS = 12;

/** Measures 8-bit gray frames of one take. */
export function measureLooks(
  frames: readonly { readonly seconds: number; readonly gray: Uint8Array }[],
  size: FrameSize,
): FrameLook[] {
  const blocks = frames.map(({ gray }) => averageBlocks(gray, size));
  const typical = Array.from({ length: BLOCKS * BLOCKS }, (_, at) => median(blocks.map((levels) => levels[at] ?? 0)));
  return frames.map(({ seconds, gray }, index) => {
    const levels = blocks[index] ?? [];
    const difference = levels.reduce((sum, level, at) => sum + Math.abs(level - (typical[at] ?? 0)), 0);
    return { seconds, sharpness: measureSharpness(gray, size), difference: difference / levels.length, ...light(gray) };
  });
}

function light(gray: Uint8Array): Pick<FrameLook, 'brightness' | 'contrast'> {
  let [sum, squares] = [0, 0];
  for (const level of gray) {
    sum += level;
    squares += level * level;
  }
  const brightness = sum / gray.length;
  return { brightness, contrast: Math.sqrt(Math.max(0, squares / gray.length - brightness * brightness)) };
}

/** Mean square of the Laplacian: zero on even areas, high on edges, much lower on blurred ones. */
function measureSharpness(gray: Uint8Array, { width, height }: FrameSize): number {
  const [left, right] = [Math.max(1, Math.round(width * FACE_AREA.left)), Math.round(width * FACE_AREA.right)];
  const [top, bottom] = [Math.max(1, Math.round(height * FACE_AREA.top)), Math.round(height * FACE_AREA.bottom)];
  const level = (at: number): number => gray[at] ?? 0;
  let sum = 0;
  for (let y = top; y < bottom; y++) {
    for (let at = y * width + left; at < y * width + right; at++) {
      const edge = 4 * level(at) - level(at - 1) - level(at + 1) - level(at - width) - level(at + width);
      sum += edge * edge;
    }
  }
  return sum / Math.max(1, (bottom - top) * (right - left));
}

function averageBlocks(gray: Uint8Array, { width, height }: FrameSize): number[] {
  const sums = new Array<number>(BLOCKS * BLOCKS).fill(0);
  const counts = new Array<number>(BLOCKS * BLOCKS).fill(0);
  for (let y = 0; y < height; y++) {
    const row = BLOCKS * Math.floor((y * BLOCKS) / height);
    for (let x = 0; x < width; x++) {
      const block = row + Math.floor((x * BLOCKS) / width);
      sums[block] = (sums[block] ?? 0) + (gray[y * width + x] ?? 0);
      counts[block] = (counts[block] ?? 0) + 1;
    }
  }
  return sums.map((sum, block) => sum / Math.max(1, counts[block] ?? 0));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
}

export interface VideoSource {
  readonly file: string;
  readonly demuxer: string;
  readonly index: number;
  readonly durationS: number;
  readonly width: number;
  readonly height: number;
}

interface MeasuredFrame extends FrameLook {
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
