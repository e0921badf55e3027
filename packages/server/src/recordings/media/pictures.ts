import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Engine, EngineFailure, MAX_PIXELS, type Track } from './engine/engine.ts';
import { MAX_SIDE, TakeRefused } from './limits.ts';
import { chooseStill, measureFrames, type VideoSource } from './still.ts';

const RADIUS = 64;
const RING = 5;
/** How far right of the disc's center the triangle is, because exactly in the center it looks too far left. */
const TRIANGLE = { left: -17, tip: 31, halfHeight: 27 } as const;
const SHADE = 0.55;

/**
 * FFmpeg filters that draw a white play icon on a dark disc around a point. Only the disc's square is computed pixel by pixel,
 * because FFmpeg evaluates such expressions slowly. The coordinates must be even.
 */
function drawPlayIcon(center: { x: number; y: number }): string {
  const [left, top] = [center.x - RADIUS, center.y - RADIUS];
  const { tip, halfHeight } = TRIANGLE;
  const run = tip - TRIANGLE.left;
  const slope = halfHeight / run;
  const [u, v] = [`(X-${RADIUS - 0.5})`, `(Y-${RADIUS - 0.5})`];
  // Distances from the edges in pixels, positive inside; cut to 0 and 1, they smooth the edges.
  const covered = (distance: string): string => `clip(${distance}+0.5,0,1)`;
  const disc = `${RADIUS - 1}-hypot(${u},${v})`;
  const edges = `min(${u}+${-TRIANGLE.left},(${slope.toFixed(4)}*(${tip}-${u})-abs(${v}))*${(run / Math.hypot(run, halfHeight)).toFixed(4)})`;
  const white = `max(${covered(edges)},${covered(disc)}*${covered(`${RING}-(${disc})`)})`;
  const draw = (channel: string): string =>
    `${channel}='st(0,${white});(1-ld(0))*${channel}(X,Y)*(1-${SHADE}*${covered(disc)})+255*ld(0)'`;
  return (
    `split[under][square];[square]crop=${2 * RADIUS}:${2 * RADIUS}:${left}:${top},format=gbrp,` +
    `geq=${['r', 'g', 'b'].map(draw).join(':')}[icon];[under][icon]overlay=${left}:${top}:format=yuv444`
  );
}

const POSTER_LONG_SIDE = 1080;
/** On a slow connection the recipient waits for the poster: 10 KB cost 50 ms. */
const POSTER_BYTES = 22_000;
const CARD_BYTES = 200_000;
const THUMBNAIL_BYTES = 8_000;
const PREVIEW_BYTES = 250_000;
const PREVIEW_S = 3;
/** FFmpeg's JPEG quality, from best to worst; the first that fits is used. */
const JPEG_STEPS = [3, 8, 12, 16, 20, 26] as const;
/** How fast the size of a JPEG falls with its step: in measured pictures with powers of 0.48 to 0.61, so no step that fits is skipped. */
const SIZE_POWER = 0.62;
/** Faces are small: a good one is 20 KB. */
const FACE_STEP = 3;
const PREVIEW_TRIES = [
  { quality: '55', rate: 10 },
  { quality: '35', rate: 10 },
  { quality: '20', rate: 7 },
  { quality: '5', rate: 5 },
] as const;

/** Writes the poster from the best frame, and from the poster the card for link previews and the thumbnail for lists. */
export async function makePictures(engine: Engine, into: string, source: VideoSource): Promise<void> {
  const best = chooseStill(await measureFrames(engine, into, source), source.durationS);
  if (best === undefined) throw new EngineFailure('the video has no frames', { killed: false });
  const ratio = Math.min(1, POSTER_LONG_SIDE / Math.max(source.width, source.height));
  const [width, height] = [Math.round(source.width * ratio), Math.round(source.height * ratio)];
  // A millisecond earlier, because the printed times are rounded.
  const filter =
    `select='gte(t,${(best.seconds - 0.001).toFixed(4)})',` + `scale=${width}:${height}:out_range=full,format=yuvj420p`;
  const input = { file: source.file, demuxer: source.demuxer, keyFramesOnly: best.isKeyFrame };
  await bestJpegThatFits(into, 'poster.jpg', POSTER_BYTES, (step) =>
    engine.run({ input, video: jpeg(source.index, filter, step), output: still('poster.jpg') }),
  );
  const poster = { file: join(into, 'poster.jpg'), demuxer: 'image2' };
  await Promise.all(
    FROM_POSTER.map(({ file, bytes, filter }) =>
      bestJpegThatFits(into, file, bytes, (step) =>
        engine.run({ input: poster, video: jpeg(0, filter, step), output: still(file) }),
      ),
    ),
  );
}

/**
 * A portrait picture is cut at the top and bottom to this width, because its face would be small otherwise. With 9:16, 8% to 82%
 * of the height remain, and `still.ts` expects the face there.
 */
const CARD_PORTRAIT_WIDTH = 480;

/** The size link previews use: the picture over a blurred copy of itself. Blurring a small copy is cheap. */
const CARD_FILTER =
  'split[back][front];' +
  '[back]scale=120:64:force_original_aspect_ratio=increase,crop=120:64,gblur=sigma=5,scale=1200:630:flags=bicubic,' +
  'eq=brightness=-0.06:saturation=0.9[blurred];' +
  `[front]scale=w='2*round(clip(630*a,${CARD_PORTRAIT_WIDTH},1200)/2)':h='2*round(ow/a/2)',` +
  "crop=iw:'min(ih,630)':0:'0.3*(ih-oh)'[sharp];" +
  `[blurred][sharp]overlay=(W-w)/2:(H-h)/2,format=yuv444p,${drawPlayIcon({ x: 600, y: 520 })},` +
  'scale=1200:630:out_range=full,format=yuvj420p';

/** A square around the face, which is usually in the middle and above the center. */
const THUMBNAIL_FILTER =
  "crop='0.8*min(iw,ih)':'0.8*min(iw,ih)':(iw-ow)/2:'max(0,0.44*ih-oh/2)'," +
  'scale=192:192:out_range=full,format=yuvj420p';

const FROM_POSTER = [
  { file: 'card.jpg', bytes: CARD_BYTES, filter: CARD_FILTER },
  { file: 'thumbnail.jpg', bytes: THUMBNAIL_BYTES, filter: THUMBNAIL_FILTER },
] as const;

/** 118 is FFmpeg's unit for one step. */
const jpeg = (index: number, filter: string, step: number): Track => ({
  index,
  filter,
  codec: 'mjpeg',
  options: { flags: '+qscale+bitexact', global_quality: String(118 * step) },
});

const still = (file: string) => ({ file, muxer: 'image2', frames: 1, options: { update: '1' } });

export async function makePreview(engine: Engine, into: string, file: string): Promise<void> {
  for (const { quality, rate } of PREVIEW_TRIES) {
    await engine.run({
      input: { file, demuxer: 'mov', lengthS: PREVIEW_S },
      video: {
        index: 0,
        filter: `fps=${rate},scale=320:320:force_original_aspect_ratio=decrease:force_divisible_by=2,format=yuv420p`,
        codec: 'libwebp_anim',
        options: { quality, compression_level: '3' },
      },
      output: { file: 'preview.webp', muxer: 'webp', options: { loop: '0' } },
    });
    if ((await readComplete(into, 'preview.webp')).length <= PREVIEW_BYTES) return;
  }
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
      : jpeg(0, orient + FACE_FILTER, FACE_STEP);
  try {
    const { pictures } = await engine.run({ input: { file, demuxer }, video, output: still(name) });
    if (pictures === 0) throw new TakeRefused('broken');
  } catch (error) {
    throw error instanceof EngineFailure && !error.killed ? new TakeRefused('broken') : error;
  }
  await readComplete(into, name);
}

/** Each try starts FFmpeg and decodes the frame again, so steps that are certainly too large are skipped. */
async function bestJpegThatFits(
  into: string,
  name: string,
  bytes: number,
  encode: (step: number) => Promise<unknown>,
): Promise<void> {
  let tried: { step: number; size: number } | undefined;
  for (const step of JPEG_STEPS) {
    const isTooLarge = tried !== undefined && tried.size * (tried.step / step) ** SIZE_POWER > bytes;
    if (isTooLarge && step !== JPEG_STEPS.at(-1)) continue;
    await encode(step);
    const { length: size } = await readComplete(into, name);
    if (size <= bytes) return;
    tried = { step, size };
  }
}

async function readComplete(into: string, name: string): Promise<Buffer> {
  const file = await readFile(join(into, name));
  if (!isComplete(file)) throw new EngineFailure(`${name} is truncated`, { killed: false });
  return file;
}

const PNG_END = Buffer.from('0000000049454e44ae426082', 'hex');

/** JPEG and PNG end with a marker; WebP has its length at the start. */
function isComplete(file: Buffer): boolean {
  if (file.toString('latin1', 1, 4) === 'PNG') return file.subarray(-PNG_END.length).equals(PNG_END);
  if (file.toString('latin1', 0, 4) === 'RIFF') return file.readUInt32LE(4) + 8 === file.length;
  return file.length > 4 && file.readUInt16BE(file.length - 2) === 0xffd9;
}

const MIN_PICTURE_SIDE = 16;

/** The message completes a sentence that starts with the file's name. */
class PictureRefused extends Error {}

export interface PictureSource {
  readonly demuxer: 'png_pipe' | 'jpeg_pipe';
  /** Only the picture, without location, camera name or color profile. */
  readonly bytes: Buffer;
  /** FFmpeg filters that rotate it upright, each followed by a comma. */
  readonly orient: string;
}

interface Read extends PictureSource {
  readonly width: number;
  readonly height: number;
}

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');
/** Chunks that make up the picture. All others are metadata or animation. */
const PNG_CHUNKS = ['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'];
const CHUNK_FRAME = 12;

const JPEG_BEGIN = 0xffd8;
const START_OF_SCAN = 0xda;
/** Baseline, extended and progressive: all that cameras and browsers use. */
const FRAMES = [0xc0, 0xc1, 0xc2];
const APPLICATION = { first: 0xe0, exif: 0xe1, adobe: 0xee, last: 0xef } as const;
const COMMENT = 0xfe;
const ORIENTATION_TAG = 0x0112;
const ORIENTATION_FILTERS = [
  '',
  '',
  'hflip,',
  'hflip,vflip,',
  'vflip,',
  'transpose=0,',
  'transpose=1,',
  'transpose=3,',
  'transpose=2,',
];

/** Checks that it is a PNG or JPEG of a reasonable size, before a decoder sees it. */
export function readPicture(file: Buffer): PictureSource | { readonly refused: string } {
  try {
    const { width, height, ...source } = file.subarray(0, 8).equals(PNG_SIGNATURE) ? readPng(file) : readJpeg(file);
    if (Math.max(width, height) > MAX_SIDE || width * height > MAX_PIXELS) {
      const most = Math.floor(MAX_PIXELS / 1_000_000);
      throw new PictureRefused(`has ${width} x ${height} pixels: make it smaller, at most ${most} million pixels`);
    }
    if (Math.min(width, height) < MIN_PICTURE_SIDE) {
      throw new PictureRefused(`has ${width} x ${height} pixels: each side must be at least ${MIN_PICTURE_SIDE}`);
    }
    return source;
  } catch (error) {
    if (error instanceof PictureRefused) return { refused: error.message };
    // An offset points past the end of the file.
    if (error instanceof RangeError) return { refused: 'is damaged' };
    throw error;
  }
}

function readPng(file: Buffer): Read {
  const kept: Buffer[] = [PNG_SIGNATURE];
  let type = '';
  for (let at = PNG_SIGNATURE.length; type !== 'IEND'; ) {
    const end = at + CHUNK_FRAME + file.readUInt32BE(at);
    type = file.toString('latin1', at + 4, at + 8);
    if (end > file.length || (kept.length === 1 && type !== 'IHDR')) throw new PictureRefused('is damaged');
    if (PNG_CHUNKS.includes(type)) kept.push(file.subarray(at, end));
    at = end;
  }
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  return { demuxer: 'png_pipe', bytes: Buffer.concat(kept), orient: '', width, height };
}

function readJpeg(file: Buffer): Read {
  if (file.length < 4 || file.readUInt16BE(0) !== JPEG_BEGIN) throw new PictureRefused('is neither a PNG nor a JPEG');
  const kept: Buffer[] = [file.subarray(0, 2)];
  let size = { width: 0, height: 0 };
  let orient = '';
  for (let at = 2; ; ) {
    const [mark, code] = [file.readUInt8(at), file.readUInt8(at + 1)];
    if (mark !== 0xff) throw new PictureRefused('is damaged');
    if (code === START_OF_SCAN)
      return { demuxer: 'jpeg_pipe', bytes: Buffer.concat([...kept, file.subarray(at)]), orient, ...size };
    const end = at + 2 + file.readUInt16BE(at + 2);
    if (code === 0xff) {
      // Any number of fill bytes may precede a marker.
      at += 1;
      continue;
    }
    if (FRAMES.includes(code)) size = { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) };
    if (code === APPLICATION.exif) orient = orientationOf(file.subarray(at + 4, end)) || orient;
    if (!isMetadata(code)) kept.push(file.subarray(at, end));
    at = end;
  }
}

/** Adobe's marker is kept, because it defines how the colors are encoded. */
const isMetadata = (code: number): boolean =>
  code === COMMENT || (code > APPLICATION.first && code <= APPLICATION.last && code !== APPLICATION.adobe);

/** Reads the camera's orientation. The tag itself is stripped, so no engine rotates the picture a second time. */
function orientationOf(exif: Buffer): string {
  if (exif.toString('latin1', 0, 6) !== 'Exif\0\0') return '';
  const tiff = exif.subarray(6);
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const first = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  for (let entry = 0; entry < short(first); entry++) {
    const at = first + 2 + entry * 12;
    if (short(at) === ORIENTATION_TAG) return ORIENTATION_FILTERS[short(at + 8)] ?? '';
  }
  return '';
}
