/** A person speaking in a bright room, drawn from a few soft-edged shapes. */
export const WIDTH = 720;
export const HEIGHT = 1280;
export const RATE = 30;
export const FRAMES = 4 * RATE;

type Color = readonly [red: number, green: number, blue: number];

const WALL: Color = [236, 229, 216];
const LIGHT: Color = [250, 245, 234];
const FLOOR: Color = [214, 203, 184];
const FRAME: Color = [201, 186, 160];
const SKY: Color = [205, 224, 226];
const LEAF: Color = [104, 142, 110];
const POT: Color = [192, 122, 88];
const HAIR: Color = [74, 52, 42];
const SKIN: Color = [222, 170, 138];
const SHADE: Color = [205, 150, 119];
const SHIRT: Color = [44, 102, 82];
const COLLAR: Color = [58, 122, 98];
const INK: Color = [58, 40, 34];
const MOUTH: Color = [150, 70, 62];

interface Shape {
  readonly color: Color;
  /** Bounds of the shape; pixels outside are skipped. */
  readonly box: readonly [left: number, top: number, right: number, bottom: number];
  /** Signed distance in pixels: negative inside. */
  distance(x: number, y: number): number;
}

function ellipse(color: Color, cx: number, cy: number, rx: number, ry: number, tilt = 0): Shape {
  const [cos, sin, reach] = [Math.cos(tilt), Math.sin(tilt), Math.max(rx, ry) + 2];
  return {
    color,
    box: [cx - reach, cy - reach, cx + reach, cy + reach],
    distance: (x, y) => {
      const [dx, dy] = [x - cx, y - cy];
      return (Math.hypot((dx * cos + dy * sin) / rx, (dy * cos - dx * sin) / ry) - 1) * Math.min(rx, ry);
    },
  };
}

function block(color: Color, cx: number, cy: number, rx: number, ry: number, round: number): Shape {
  return {
    color,
    box: [cx - rx - 2, cy - ry - 2, cx + rx + 2, cy + ry + 2],
    distance: (x, y) => {
      const [dx, dy] = [Math.abs(x - cx) - rx + round, Math.abs(y - cy) - ry + round];
      return Math.hypot(Math.max(dx, 0), Math.max(dy, 0)) + Math.min(Math.max(dx, dy), 0) - round;
    },
  };
}

/** How open the mouth is; follows the loudness of the voice. */
export const openness = (seconds: number): number =>
  speaks(seconds) ? Math.abs(Math.sin(seconds * Math.PI * 4.2)) * (0.65 + 0.35 * Math.sin(seconds * 9.1)) : 0;

/** Two phrases with a pause between them. */
export const speaks = (seconds: number): boolean =>
  (seconds > 0.35 && seconds < 1.85) || (seconds > 2.2 && seconds < 3.55);

function room(seconds: number): Shape[] {
  const drift = Math.sin(seconds * 0.9) * 7;
  return [
    block(FLOOR, WIDTH / 2, 1235, 400, 130, 0),
    block(FRAME, 182, 330, 128, 190, 14),
    block(SKY, 182, 330, 112, 174, 6),
    ellipse(LIGHT, 150 + drift * 2, 268, 62, 24),
    ellipse(LIGHT, 214 + drift * 3, 300, 48, 18),
    block(FRAME, 182, 330, 5, 174, 0),
    block(FRAME, 182, 330, 112, 5, 0),
    block(POT, 606, 1020, 58, 74, 18),
    ...[-0.75, -0.35, 0.02, 0.4, 0.8].map((lean, index) => {
      const sway = lean + Math.sin(seconds * 1.3 + index) * 0.025;
      return ellipse(LEAF, 606 + Math.sin(sway) * 150, 950 - Math.cos(sway) * 150, 30, 150, sway);
    }),
  ];
}

function person(seconds: number): Shape[] {
  const x = 360 + Math.sin(seconds * 1.7) * 7;
  const y = 610 + Math.sin(seconds * 3.4) * 4;
  const blink = Math.abs(seconds - 1.1) < 0.09 || Math.abs(seconds - 2.9) < 0.09;
  const open = openness(seconds);
  const brow = open * 4;
  return [
    ellipse(HAIR, x, y - 22, 158, 188),
    block(HAIR, x, y + 78, 152, 130, 74),
    block(SHIRT, 360, 1190, 286, 320, 190),
    block(COLLAR, 360 + (x - 360) * 0.4, 880, 104, 44, 40),
    block(SHADE, x, y + 190, 62, 108, 52),
    ellipse(SKIN, x, y + 20, 126, 162),
    ellipse(HAIR, x - 46, y - 122, 98, 58, -0.42),
    ellipse(HAIR, x + 74, y - 112, 68, 50, 0.62),
    block(HAIR, x - 50, y - 30 - brow, 25, 4.5, 4),
    block(HAIR, x + 50, y - 30 - brow, 25, 4.5, 4),
    ellipse(INK, x - 50, y + 6, 11, blink ? 2.2 : 13),
    ellipse(INK, x + 50, y + 6, 11, blink ? 2.2 : 13),
    ellipse(SHADE, x + 3, y + 50, 14, 10),
    ellipse(SHADE, x - 76, y + 64, 22, 13),
    ellipse(SHADE, x + 76, y + 64, 22, 13),
    ellipse(MOUTH, x, y + 100, 36 - open * 7, 8 + open * 19),
    ellipse(SKIN, x, y + 90 - open * 15, 46, 8),
  ];
}

/** One frame, as the three planes of YUV 4:4:4. */
export function drawFrame(index: number): Buffer {
  const seconds = index / RATE;
  const picture = paintWall();
  for (const shape of [...room(seconds), ...person(seconds)]) paint(picture, shape);
  return toPlanes(picture);
}

function paintWall(): Float32Array {
  const picture = new Float32Array(WIDTH * HEIGHT * 3);
  for (let y = 0, at = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      // Daylight from the window.
      const light = Math.exp(-(((x - 140) / 520) ** 2) - ((y - 320) / 620) ** 2);
      for (let c = 0; c < 3; c++) picture[at++] = (WALL[c] ?? 0) + ((LIGHT[c] ?? 0) - (WALL[c] ?? 0)) * light;
    }
  }
  return picture;
}

function paint(picture: Float32Array, { color, box, distance }: Shape): void {
  const [left, top, right, bottom] = box;
  for (let y = Math.max(0, Math.floor(top)); y < Math.min(HEIGHT, bottom); y++) {
    for (let x = Math.max(0, Math.floor(left)); x < Math.min(WIDTH, right); x++) {
      const cover = Math.min(1, Math.max(0, 0.5 - distance(x, y) / 1.5));
      if (cover === 0) continue;
      const at = (y * WIDTH + x) * 3;
      for (let c = 0; c < 3; c++) {
        const under = picture[at + c] ?? 0;
        picture[at + c] = under + ((color[c] ?? 0) - under) * cover;
      }
    }
  }
}

/** Uses the BT.601 coefficients, which FFmpeg assumes for a file that specifies none. */
function toPlanes(picture: Float32Array): Buffer {
  const size = WIDTH * HEIGHT;
  const planes = Buffer.alloc(size * 3);
  for (let at = 0; at < size; at++) {
    const [r, g, b] = [picture[at * 3] ?? 0, picture[at * 3 + 1] ?? 0, picture[at * 3 + 2] ?? 0];
    planes[at] = Math.round(16 + 0.2568 * r + 0.5041 * g + 0.0979 * b);
    planes[size + at] = Math.round(128 - 0.1482 * r - 0.291 * g + 0.4392 * b);
    planes[2 * size + at] = Math.round(128 + 0.4392 * r - 0.3678 * g - 0.0714 * b);
  }
  return planes;
}
