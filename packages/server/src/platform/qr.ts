/**
 * QR codes for screens: versions 1 to 6 with the lowest error correction, because a screen is not damaged. All codes have the
 * same mask: the standard recommends the best of eight, and readers accept each.
 */
const VERSIONS = [
  { data: 19, check: 7, blocks: 1 },
  { data: 34, check: 10, blocks: 1 },
  { data: 55, check: 15, blocks: 1 },
  { data: 80, check: 20, blocks: 1 },
  { data: 108, check: 26, blocks: 1 },
  // Per block.
  { data: 68, check: 18, blocks: 2 },
] as const;

/** Error correction L with mask 0, as the standard encodes it. */
const FORMAT = 0b111011111000100;
const QUIET_ZONE = 4;

/** Powers of 2 in the field of 256 elements that the standard uses. */
const POWERS: number[] = [];
for (let power = 0, value = 1; power < 255; power += 1) {
  POWERS.push(value);
  value = value < 128 ? value * 2 : (value * 2) ^ 0x11d;
}
const multiply = (one: number, other: number): number =>
  one === 0 || other === 0 ? 0 : (POWERS[(POWERS.indexOf(one) + POWERS.indexOf(other)) % 255] ?? 0);

/** The remainder of the data, as a polynomial, that corrects errors (Reed-Solomon). */
function checkBytes(data: readonly number[], count: number): number[] {
  let divisor = [1];
  for (let root = 0; root < count; root += 1) {
    const shifted = [...divisor, 0];
    divisor = shifted.map((value, index) => value ^ multiply(divisor[index - 1] ?? 0, POWERS[root] ?? 0));
  }
  const rest = [...data, ...Array<number>(count).fill(0)];
  for (let at = 0; at < data.length; at += 1) {
    const factor = rest[at] ?? 0;
    for (const [index, value] of divisor.entries())
      rest[at + index] = (rest[at + index] ?? 0) ^ multiply(value, factor);
  }
  return rest.slice(data.length);
}

/** One item of each block in turn. */
const interleave = (blocks: readonly number[][]): number[] =>
  (blocks[0] ?? []).flatMap((_, index) => blocks.map((block) => block[index] ?? 0));

const toBits = (value: number, length: number): number[] =>
  Array.from({ length }, (_, index) => (value >> (length - 1 - index)) & 1);

/** The text in byte mode, padded, with its check bytes. */
function encode(text: Buffer, { data, check, blocks }: (typeof VERSIONS)[number]): number[] {
  const bits = [
    ...toBits(0b0100, 4),
    ...toBits(text.length, 8),
    ...[...text].flatMap((byte) => toBits(byte, 8)),
    0,
    0,
    0,
    0,
  ];
  const bytes = Array.from({ length: text.length + 2 }, (_, index) =>
    bits.slice(index * 8, index * 8 + 8).reduce((sum, bit) => sum * 2 + bit, 0),
  );
  for (let pad = 0xec; bytes.length < data * blocks; pad ^= 0xec ^ 0x11) bytes.push(pad);
  const parts = Array.from({ length: blocks }, (_, block) => bytes.slice(block * data, (block + 1) * data));
  return [...interleave(parts), ...interleave(parts.map((part) => checkBytes(part, check)))];
}

/** Rows of dark (1) and light (0) modules. */
function place(bytes: readonly number[], version: number): number[][] {
  const size = 17 + 4 * version;
  const rows: (number | undefined)[][] = Array.from({ length: size }, () => Array(size).fill(undefined));
  const set = (row: number, column: number, value: number): void => {
    const line = rows[row];
    if (line !== undefined && column >= 0 && column < size) line[column] = value;
  };
  /** Rings around a dark center, by their distance from it. */
  const drawRings = (row: number, column: number, rings: readonly number[]): void => {
    const reach = rings.length - 1;
    for (let y = -reach; y <= reach; y += 1) {
      for (let x = -reach; x <= reach; x += 1) set(row + y, column + x, rings[Math.max(Math.abs(x), Math.abs(y))] ?? 0);
    }
  };
  for (let at = 0; at < size; at += 1) {
    set(6, at, 1 - (at % 2));
    set(at, 6, 1 - (at % 2));
  }
  for (const [row, column] of [
    [3, 3],
    [3, size - 4],
    [size - 4, 3],
  ] as const)
    drawRings(row, column, [1, 1, 0, 1, 0]);
  if (version > 1) drawRings(size - 7, size - 7, [1, 0, 1]);
  for (let bit = 0; bit < 15; bit += 1) {
    const value = (FORMAT >> bit) & 1;
    const along = bit < 6 ? bit : bit + 1;
    if (bit < 8) set(along, 8, value);
    else set(8, bit === 8 ? 7 : 14 - bit, value);
    if (bit < 8) set(8, size - 1 - bit, value);
    else set(size - 15 + bit, 8, value);
  }
  set(size - 8, 8, 1);
  const bits = bytes.flatMap((byte) => toBits(byte, 8));
  let next = 0;
  // Pairs of columns from the right, up and down in turn; the vertical timing pattern is left out.
  for (let pair = 0; pair < (size - 1) / 2; pair += 1) {
    const right = size - 1 - 2 * pair - (size - 1 - 2 * pair <= 6 ? 1 : 0);
    for (let step = 0; step < size; step += 1) {
      const row = pair % 2 === 0 ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (rows[row]?.[column] !== undefined) continue;
        set(row, column, (bits[next] ?? 0) ^ ((row + column) % 2 === 0 ? 1 : 0));
        next += 1;
      }
    }
  }
  return rows as number[][];
}

/** An SVG picture of the code. Null if the text is longer than 134 bytes. */
export function drawQr(text: string): string | null {
  const bytes = Buffer.from(text);
  const index = VERSIONS.findIndex(({ data, blocks }) => bytes.length + 2 <= data * blocks);
  const version = VERSIONS[index];
  if (version === undefined) return null;
  const rows = place(encode(bytes, version), index + 1);
  const size = rows.length + 2 * QUIET_ZONE;
  const path = rows.flatMap((row, y) =>
    row.flatMap((module, x) => (module === 1 ? [`M${x + QUIET_ZONE} ${y + QUIET_ZONE}h1v1h-1z`] : [])),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path.join('')}"/></svg>`;
}
