import { crc32, deflateSync, inflateSync } from 'node:zlib';

type Color = readonly [red: number, green: number, blue: number];

const SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

export function pngChunk(type: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

/** The left half in one color, the right half in another. */
export function makePng(
  size: { width: number; height: number },
  left: Color,
  right: Color,
  ...extraChunks: Buffer[]
): Buffer {
  const { width, height } = size;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8);
  const half = Math.floor(width / 2);
  const row = [0, ...Array.from({ length: width }, (_, x) => (x < half ? left : right)).flat()];
  const rows = deflateSync(Buffer.concat(Array.from({ length: height }, () => Buffer.from(row))));
  return Buffer.concat([
    SIGNATURE,
    pngChunk('IHDR', header),
    ...extraChunks,
    pngChunk('IDAT', rows),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Adds EXIF data with an orientation and a place. */
export function withOrientation(jpeg: Buffer, orientation: number, place: string): Buffer {
  const exif = Buffer.from('4d4d002a00000008000101120003000000010000000000000000', 'hex');
  exif.writeUInt16BE(orientation, 18);
  const content = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exif, Buffer.from(place)]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)]);
}

const paeth = (a: number, b: number, c: number): number => {
  const [toA, toB, toC] = [Math.abs(b - c), Math.abs(a - c), Math.abs(a + b - 2 * c)];
  return toA <= toB && toA <= toC ? a : toB <= toC ? b : c;
};

/** Reads a PNG with 8-bit RGBA pixels. */
export function readPng(file: Buffer): { width: number; height: number; at(x: number, y: number): number[] } {
  const [width, height] = [file.readUInt32BE(16), file.readUInt32BE(20)];
  const parts: Buffer[] = [];
  for (let at = SIGNATURE.length; at < file.length; at += 12 + file.readUInt32BE(at)) {
    if (file.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(file.subarray(at + 8, at + 8 + file.readUInt32BE(at)));
  }
  const packed = inflateSync(Buffer.concat(parts));
  const line = width * 4;
  const plain = Buffer.alloc(line * height);
  for (let y = 0; y < height; y++) {
    const filter = packed[y * (line + 1)];
    for (let x = 0; x < line; x++) {
      const a = x < 4 ? 0 : (plain[y * line + x - 4] ?? 0);
      const b = y === 0 ? 0 : (plain[(y - 1) * line + x] ?? 0);
      const c = x < 4 || y === 0 ? 0 : (plain[(y - 1) * line + x - 4] ?? 0);
      const guess = [0, a, b, Math.floor((a + b) / 2), paeth(a, b, c)][filter ?? 0] ?? 0;
      plain[y * line + x] = (packed[y * (line + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return { width, height, at: (x, y) => [...plain.subarray(y * line + x * 4, y * line + x * 4 + 3)] };
}
