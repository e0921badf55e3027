import { crc32, deflateSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';

type Rgb = readonly [red: number, green: number, blue: number];

const GROUND: Rgb = [44, 102, 82];
const PAPER: Rgb = [250, 248, 244];

/** As fractions of the icon's side. Everything lies within the circle that no phone crops. */
const BUBBLE = { left: 0.25, right: 0.75, top: 0.27, bottom: 0.64, corner: 0.1 };
const TAIL = [
  [0.36, 0.6],
  [0.36, 0.76],
  [0.53, 0.6],
] as const;
const PLAY = [
  [0.445, 0.365],
  [0.445, 0.545],
  [0.6, 0.455],
] as const;
/** Samples per pixel along each side, for smooth edges. */
const SAMPLES = 4;

type Point = readonly [x: number, y: number];
type Triangle = readonly [Point, Point, Point];

const isLeft = (a: Point, b: Point, x: number, y: number): boolean =>
  (x - b[0]) * (a[1] - b[1]) >= (a[0] - b[0]) * (y - b[1]);

function isInTriangle([a, b, c]: Triangle, x: number, y: number): boolean {
  const isLeftOfFirst = isLeft(a, b, x, y);
  return isLeftOfFirst === isLeft(b, c, x, y) && isLeftOfFirst === isLeft(c, a, x, y);
}

function isInBubble(x: number, y: number): boolean {
  const { left, right, top, bottom, corner } = BUBBLE;
  const awayX = Math.max(left + corner - x, 0, x - (right - corner));
  const awayY = Math.max(top + corner - y, 0, y - (bottom - corner));
  return awayX ** 2 + awayY ** 2 <= corner ** 2;
}

/** A speech bubble with a play button. */
const isPaper = (x: number, y: number): boolean =>
  !isInTriangle(PLAY, x, y) && (isInBubble(x, y) || isInTriangle(TAIL, x, y));

/** Returns 0 to 1. Only pixels on an edge are sampled; any other pixel looks like its corners. */
function shareOfPaper(column: number, row: number, size: number): number {
  const [left, right, top, bottom] = [column / size, (column + 1) / size, row / size, (row + 1) / size];
  const first = isPaper(left, top);
  if (first === isPaper(right, top) && first === isPaper(left, bottom) && first === isPaper(right, bottom)) {
    return first ? 1 : 0;
  }
  let count = 0;
  for (let point = 0; point < SAMPLES ** 2; point++) {
    const x = (column + ((point % SAMPLES) + 0.5) / SAMPLES) / size;
    const y = (row + (Math.floor(point / SAMPLES) + 0.5) / SAMPLES) / size;
    if (isPaper(x, y)) count += 1;
  }
  return count / SAMPLES ** 2;
}

function chunk(type: string, content: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), content]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(content.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Eight bits per channel: red, green and blue. */
const TRUE_COLOR = [8, 2, 0, 0, 0];
const CHANNELS = 3;

/** The product's icon as a PNG, which home screens require. Drawn in code, because a binary file cannot be reviewed. */
function drawAppIcon(size: number): Buffer {
  const stride = 1 + size * CHANNELS;
  const pixels = Buffer.alloc(stride * size);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const paper = shareOfPaper(column, row, size);
      for (let channel = 0; channel < CHANNELS; channel++) {
        const [ground = 0, light = 0] = [GROUND[channel], PAPER[channel]];
        pixels[row * stride + 1 + column * CHANNELS + channel] = Math.round(ground + (light - ground) * paper);
      }
    }
  }
  const header = Buffer.alloc(8);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', Buffer.concat([header, Buffer.from(TRUE_COLOR)])),
    chunk('IDAT', deflateSync(pixels)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Requested when a user adds the console to the home screen. */
const ICON_SIZES = [180, 192, 512] as const;
const DAY_S = 86_400;

const iconUrl = (size: number): string => `/console/icons/${size}.png`;

/**
 * Lets users add the console to a home screen. The recorder is out of its scope, so that it opens in the browser with a back
 * button and the camera permission.
 */
const MANIFEST = JSON.stringify({
  id: '/console',
  name: 'Foreword',
  short_name: 'Foreword',
  description: 'Videos to record, and how they were watched.',
  start_url: '/console/home',
  scope: '/console',
  display: 'standalone',
  background_color: '#faf8f4',
  theme_color: '#faf8f4',
  icons: ICON_SIZES.flatMap((size) =>
    // Drawn to the edge with the motif in the middle, so that any crop works.
    ['any', 'maskable'].map((purpose) => ({
      src: iconUrl(size),
      sizes: `${size}x${size}`,
      type: 'image/png',
      purpose,
    })),
  ),
});

export function registerManifest(app: FastifyInstance): void {
  app.get('/console/manifest.webmanifest', { config: { operation: 'console_manifest' } }, async (_request, reply) =>
    reply
      .header('cache-control', `public, max-age=${DAY_S}`)
      .type('application/manifest+json; charset=utf-8')
      .send(MANIFEST),
  );
  for (const size of ICON_SIZES) {
    let drawn: Buffer | undefined;
    app.get(iconUrl(size), { config: { operation: 'console_icon' } }, async (_request, reply) => {
      drawn ??= drawAppIcon(size);
      return reply.header('cache-control', `public, max-age=${DAY_S}`).type('image/png').send(drawn);
    });
  }
}
