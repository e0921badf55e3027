import { MAX_PIXELS } from './engine/engine.ts';
import { MAX_SIDE } from './limits.ts';

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
