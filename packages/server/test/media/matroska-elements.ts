/** Writes Matroska elements that no recorder would write. */

const SIZE_BYTES = 4;

function id(value: number): Buffer {
  const length = Math.ceil((32 - Math.clz32(value)) / 8);
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(value, 0, length);
  return bytes;
}

export function element(name: number, body: Buffer): Buffer {
  const size = Buffer.alloc(SIZE_BYTES);
  size.writeUInt32BE(0x10000000 + body.length);
  return Buffer.concat([id(name), size, body]);
}

/** The head of an element whose size its recorder does not know yet. */
export const unknownSize = (name: number): Buffer => Buffer.concat([id(name), Buffer.from([0xff])]);

/** A block of track 1. With `laces`, it contains that many more frames. */
export const simpleBlock = (laces: number): Buffer =>
  element(0xa3, Buffer.from([0x81, 0, 0, laces === 0 ? 0x80 : 0x02, laces, 1, 2, 3]));

/** A WebM file as browsers record it: its segment has no size. */
export const liveWebm = (...children: Buffer[]): Buffer =>
  Buffer.concat([element(0x1a45dfa3, element(0x4282, Buffer.from('webm'))), unknownSize(0x18538067), ...children]);

export const times = <Item>(count: number, make: () => Item): Item[] => Array.from({ length: count }, make);
