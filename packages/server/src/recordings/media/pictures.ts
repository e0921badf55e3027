import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Engine, EngineFailure, type Track } from './engine/engine.ts';
import type { PictureSource } from './picture-file.ts';
import { TakeRefused } from './refusals.ts';

export interface Picture {
  readonly seconds: number;
  /** FFmpeg's measure of edge width: lower is sharper. */
  readonly blur: number;
  readonly brightness: number;
  readonly contrast: number;
}

interface Source {
  readonly file: string;
  readonly demuxer: string;
  readonly index: number;
  readonly durationS: number;
  readonly width: number;
  readonly height: number;
}

const FRAMES_FILE = 'frames.txt';
const MEASURE_FILTER =
  'scale=360:360:force_original_aspect_ratio=decrease,format=yuv420p,blurdetect,signalstats,' +
  `metadata=print:file=${FRAMES_FILE}`;
/** With fewer key frames than this, other frames are measured too. */
const ENOUGH_PICTURES = 3;
/** At the start and end of a take, the member is reaching for the button. */
const EDGE_SHARE = 0.1;
const DARK = 32;
const FLAT = 16;

const POSTER_LONG_SIDE = 1080;
/** On a slow connection the recipient waits for the poster: 10 KB cost 50 ms. */
const POSTER_BYTES = 22_000;
const CARD_BYTES = 200_000;
const PREVIEW_BYTES = 250_000;
const PREVIEW_S = 3;
/** From best to worst; the first that fits is used. 118 is FFmpeg's unit for one JPEG quality step. */
const JPEG_QUALITIES = [3, 8, 12, 16, 20, 26].map((step) => String(118 * step));
/** Faces are small: a good one is 20 KB. */
const FACE_QUALITY = String(118 * 3);
const PREVIEW_TRIES = [
  { quality: '55', rate: 10 },
  { quality: '35', rate: 10 },
  { quality: '20', rate: 7 },
  { quality: '5', rate: 5 },
] as const;

/** Writes the poster from the sharpest of several frames, and the card for link previews from the poster. */
export async function makePictures(engine: Engine, into: string, source: Source): Promise<void> {
  const best = chooseBest(await measureFrames(engine, into, source), source.durationS);
  if (best === undefined) throw new EngineFailure('the video has no frames', { killed: false });
  const ratio = Math.min(1, POSTER_LONG_SIDE / Math.max(source.width, source.height));
  const [width, height] = [Math.round(source.width * ratio), Math.round(source.height * ratio)];
  // A millisecond earlier, because the printed times are rounded.
  const filter =
    `select='gte(t,${(best.seconds - 0.001).toFixed(4)})',` + `scale=${width}:${height}:out_range=full,format=yuvj420p`;
  const input = { file: source.file, demuxer: source.demuxer, keyFramesOnly: best.isKeyFrame };
  await firstThatFits(into, 'poster.jpg', POSTER_BYTES, JPEG_QUALITIES, (quality) =>
    engine.run({ input, video: jpeg(source.index, filter, quality), output: still('poster.jpg') }),
  );
  const poster = { file: join(into, 'poster.jpg'), demuxer: 'image2' };
  await firstThatFits(into, 'card.jpg', CARD_BYTES, JPEG_QUALITIES, (quality) =>
    engine.run({ input: poster, video: jpeg(0, CARD_FILTER, quality), output: still('card.jpg') }),
  );
}

/** The size link previews use: the whole picture over a blurred copy of itself. Blurring a small copy is cheap. */
const CARD_FILTER =
  'split[back][front];' +
  '[back]scale=120:64:force_original_aspect_ratio=increase,crop=120:64,gblur=sigma=5,scale=1200:630:flags=bicubic,' +
  'eq=brightness=-0.06:saturation=0.9[blurred];' +
  '[front]scale=1200:630:force_original_aspect_ratio=decrease[whole];' +
  '[blurred][whole]overlay=(W-w)/2:(H-h)/2,scale=1200:630:out_range=full,format=yuvj420p';

const jpeg = (index: number, filter: string, quality: string): Track => ({
  index,
  filter,
  codec: 'mjpeg',
  options: { flags: '+qscale+bitexact', global_quality: quality },
});

const still = (file: string) => ({ file, muxer: 'image2', frames: 1, options: { update: '1' } });

export async function makePreview(engine: Engine, into: string, file: string): Promise<void> {
  await firstThatFits(into, 'preview.webp', PREVIEW_BYTES, PREVIEW_TRIES, ({ quality, rate }) =>
    engine.run({
      input: { file, demuxer: 'mov', lengthS: PREVIEW_S },
      video: {
        index: 0,
        filter: `fps=${rate},scale=320:320:force_original_aspect_ratio=decrease:force_divisible_by=2,format=yuv420p`,
        codec: 'libwebp_anim',
        options: { quality, compression_level: '3' },
      },
      output: { file: 'preview.webp', muxer: 'webp', options: { loop: '0' } },
    }),
  );
}

export type Shape = 'logo' | 'face';

const LOGO_FILTER = "scale='min(400,iw)':'min(160,ih)':force_original_aspect_ratio=decrease,format=rgba";
const FACE_FILTER = 'scale=320:320:force_original_aspect_ratio=increase:out_range=full,crop=320:320,format=yuvj420p';

export const shapeFile = (shape: Shape): string => (shape === 'logo' ? 'logo.png' : 'face.jpg');

/** Re-encodes a picture, so the output contains only pixels and nothing else of the original file. */
export async function redraw(
  engine: Engine,
  into: string,
  picture: Pick<PictureSource, 'demuxer' | 'orient'> & { readonly file: string; readonly shape: Shape },
): Promise<void> {
  const { file, demuxer, orient, shape } = picture;
  const name = shapeFile(shape);
  const video =
    shape === 'logo'
      ? { index: 0, filter: orient + LOGO_FILTER, codec: 'png', options: {} }
      : jpeg(0, orient + FACE_FILTER, FACE_QUALITY);
  try {
    const { pictures } = await engine.run({ input: { file, demuxer }, video, output: still(name) });
    if (pictures === 0) throw new TakeRefused('broken');
  } catch (error) {
    throw error instanceof EngineFailure && !error.killed ? new TakeRefused('broken') : error;
  }
  if (!isComplete(await readFile(join(into, name)))) {
    throw new EngineFailure(`${name} is truncated`, { killed: false });
  }
}

async function firstThatFits<Setting>(
  into: string,
  name: string,
  bytes: number,
  settings: readonly Setting[],
  encode: (setting: Setting) => Promise<unknown>,
): Promise<void> {
  for (const setting of settings) {
    await encode(setting);
    const file = await readFile(join(into, name));
    if (!isComplete(file)) throw new EngineFailure(`${name} is truncated`, { killed: false });
    if (file.length <= bytes) return;
  }
}

const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex');

/** JPEG and PNG end with a marker; WebP has its length at the start. */
function isComplete(file: Buffer): boolean {
  if (file.toString('latin1', 1, 4) === 'PNG') return file.subarray(-PNG_END.length).equals(PNG_END);
  if (file.toString('latin1', 0, 4) === 'RIFF') return file.readUInt32LE(4) + 8 === file.length;
  return file.length > 4 && file.readUInt16BE(file.length - 2) === 0xffd9;
}

interface Candidate extends Picture {
  readonly isKeyFrame: boolean;
}

/** Measures key frames first, because they cost almost nothing to decode. */
async function measureFrames(engine: Engine, into: string, source: Source): Promise<Candidate[]> {
  const measure = async (isKeyFrame: boolean): Promise<Candidate[]> => {
    await engine.run({
      input: { file: source.file, demuxer: source.demuxer, keyFramesOnly: isKeyFrame },
      video: {
        index: source.index,
        filter: `${isKeyFrame ? '' : 'fps=2,'}${MEASURE_FILTER}`,
        codec: 'wrapped_avframe',
        options: {},
      },
      output: { file: '-', muxer: 'null' },
    });
    const path = join(into, FRAMES_FILE);
    const pictures = readPictures(await readFile(path, 'utf8').catch(() => ''));
    await rm(path, { force: true });
    return pictures.map((picture) => ({ ...picture, isKeyFrame }));
  };
  const keyFrames = await measure(true).catch((error: unknown) => {
    // Some FFmpeg versions fail on a stream without key frames.
    if (error instanceof EngineFailure && !error.killed) return [];
    throw error;
  });
  return keyFrames.length >= ENOUGH_PICTURES ? keyFrames : [...keyFrames, ...(await measure(false))];
}

function readPictures(text: string): Picture[] {
  return text
    .split(/^frame:/m)
    .slice(1)
    .map((part) => {
      const value = (name: RegExp): number => Number(name.exec(part)?.[1] ?? Number.NaN);
      const [low, high] = [value(/YLOW=(\S+)/), value(/YHIGH=(\S+)/)];
      return {
        seconds: value(/pts_time:(\S+)/),
        blur: value(/lavfi\.blur=(\S+)/),
        brightness: value(/YAVG=(\S+)/),
        contrast: high - low,
      };
    });
}

export function chooseBest<Some extends Picture>(pictures: readonly Some[], durationS: number): Some | undefined {
  const edge = durationS * EDGE_SHARE;
  const cost = ({ seconds, blur, brightness, contrast }: Picture): number =>
    (Number.isFinite(blur) && blur > 0 ? blur : 50) +
    (brightness < DARK || contrast < FLAT ? 100 : 0) +
    (seconds < edge || seconds > durationS - edge ? 10 : 0);
  return pictures.reduce<Some | undefined>(
    (best, picture) => (best === undefined || cost(picture) < cost(best) ? picture : best),
    undefined,
  );
}
