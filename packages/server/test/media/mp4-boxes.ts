/** Edits MP4 files in ways that no encoder would write. The samples have `moov` last, so that it can grow. */

interface Box {
  readonly type: string;
  readonly at: number;
  readonly size: number;
}

function boxesIn(bytes: Buffer, from: number, to: number): Box[] {
  const boxes: Box[] = [];
  for (let at = from; at + 8 <= to; ) {
    const size = bytes.readUInt32BE(at);
    boxes.push({ type: bytes.toString('latin1', at + 4, at + 8), at, size });
    if (size < 8) break;
    at += size;
  }
  return boxes;
}

export const boxTypes = (bytes: Buffer): string[] => boxesIn(bytes, 0, bytes.length).map(({ type }) => type);

/** The boxes on a path such as moov/trak:1/tkhd, where `:1` selects the second of that name. */
function descend(bytes: Buffer, path: string): Box[] {
  const found: Box[] = [];
  let [from, to] = [0, bytes.length];
  for (const step of path.split('/')) {
    const [type = '', index = '0'] = step.split(':');
    const box = boxesIn(bytes, from, to).filter((each) => each.type === type)[Number(index)];
    if (box === undefined) throw new Error(`no ${type} on ${path}`);
    found.push(box);
    const skipped = type === 'dref' || type === 'stsd' ? 16 : 8;
    [from, to] = [box.at + skipped, box.at + box.size];
  }
  return found;
}

/** Returns a copy in which `change` replaced the body of the box at the path. */
export function changeBox(bytes: Buffer, path: string, change: (body: Buffer) => Buffer): Buffer {
  const boxes = descend(bytes, path);
  const box = boxes.at(-1);
  if (box === undefined) throw new Error('the path is empty');
  const body = change(Buffer.from(bytes.subarray(box.at + 8, box.at + box.size)));
  const grown = Buffer.concat([bytes.subarray(0, box.at + 8), body, bytes.subarray(box.at + box.size)]);
  for (const { at, size } of boxes) grown.writeUInt32BE(size + grown.length - bytes.length, at);
  return grown;
}

export function makeBox(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

const ONE = 0x10000;
const MATRICES: Readonly<Record<number, readonly [number, number, number, number]>> = {
  90: [0, ONE, -ONE, 0],
  180: [-ONE, 0, 0, -ONE],
  270: [0, -ONE, ONE, 0],
};

/** Rotates as phones do: the pixels stay, and a matrix says how to display them. */
export function rotate(bytes: Buffer, degrees: 90 | 180 | 270): Buffer {
  return changeBox(bytes, 'moov/trak/tkhd', (body) => {
    const [a, b, c, d] = MATRICES[degrees] ?? [ONE, 0, 0, ONE];
    // The matrix is 40 bytes into a version 0 header.
    for (const [at, value] of [
      [40, a],
      [44, b],
      [52, c],
      [56, d],
    ] as const)
      body.writeInt32BE(value, at);
    return body;
  });
}

/** Adds an edit list that delays the track. Its times use the time scale of the whole file. */
export function delay(bytes: Buffer, trak: string, milliseconds: number, lengthMs: number): Buffer {
  let unit = 1;
  changeBox(bytes, 'moov/mvhd', (body) => {
    unit = body.readUInt32BE(12) / 1000;
    return body;
  });
  return changeBox(bytes, `moov/${trak}/edts`, () => {
    const list = Buffer.alloc(8 + 2 * 12);
    list.writeUInt32BE(2, 4);
    list.writeUInt32BE(milliseconds * unit, 8);
    list.writeInt32BE(-1, 12);
    list.writeUInt32BE(ONE, 16);
    list.writeUInt32BE(lengthMs * unit, 20);
    list.writeInt32BE(0, 24);
    list.writeUInt32BE(ONE, 28);
    return makeBox('elst', list);
  });
}
