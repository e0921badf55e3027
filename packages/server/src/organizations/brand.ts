/** The one colour of a brand, made readable: WCAG 2 contrast is kept on every ground that the pages use. */

export interface Shades {
  /** The ground of a button. */
  readonly accent: string;
  /** Text on that ground. */
  readonly onAccent: string;
  /** The colour as text. */
  readonly accentText: string;
}

export interface BrandColors {
  readonly light: Shades;
  readonly dark: Shades;
}

type Rgb = readonly [red: number, green: number, blue: number];

export const DEFAULT_ACCENT = '#2c6652';
const TEXT_CONTRAST = 4.5;
const SHAPE_CONTRAST = 3;
const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** Paper and the surfaces on it, as the style sheets name them. */
const LIGHT_GROUNDS: readonly Rgb[] = [
  [250, 248, 244],
  [255, 255, 255],
];
const DARK_GROUNDS: readonly Rgb[] = [
  [21, 20, 18],
  [31, 29, 26],
];
const STEPS = 50;

function parse(color: string): Rgb {
  const [, red = '', green = '', blue = ''] = /^#(..)(..)(..)$/.exec(color) ?? [];
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)];
}

const toHex = (color: Rgb): string =>
  `#${color.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: Rgb, b: Rgb): number {
  const [one, other] = [luminance(a), luminance(b)];
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

const mix = (from: Rgb, to: Rgb, share: number): Rgb => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
  from[2] + (to[2] - from[2]) * share,
];

/** The nearest colour on the way to white or black that stands out enough from each ground. */
function standOut(color: Rgb, grounds: readonly Rgb[], towards: Rgb, wanted: number): Rgb {
  for (let step = 0; step < STEPS; step++) {
    // Rounded first: the page shows the rounded colour, so that one is judged.
    const candidate = parse(toHex(mix(color, towards, step / STEPS)));
    if (grounds.every((ground) => contrast(candidate, ground) >= wanted)) return candidate;
  }
  return towards;
}

function shadesOn(color: Rgb, grounds: readonly Rgb[], towards: Rgb): Shades {
  const accent = standOut(color, grounds, towards, SHAPE_CONTRAST);
  // One of the two always reaches 4.5; white is preferred because buttons mostly carry it.
  const onAccent = contrast(WHITE, accent) >= TEXT_CONTRAST ? WHITE : BLACK;
  return {
    accent: toHex(accent),
    onAccent: toHex(onAccent),
    accentText: toHex(standOut(color, grounds, towards, TEXT_CONTRAST)),
  };
}

/** How well the one colour can be read on the other, as WCAG 2 counts. Both as `#rrggbb`. */
export const contrastBetween = (one: string, other: string): number => contrast(parse(one), parse(other));

/** `accent` as `#rrggbb`; anything else counts as none was chosen. */
export function brandColors(accent: string | null): BrandColors {
  const color = parse(accent !== null && /^#[0-9a-f]{6}$/i.test(accent) ? accent : DEFAULT_ACCENT);
  return { light: shadesOn(color, LIGHT_GROUNDS, BLACK), dark: shadesOn(color, DARK_GROUNDS, WHITE) };
}
