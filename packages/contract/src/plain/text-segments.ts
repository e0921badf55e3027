// Carriers charge by the segment. One character outside GSM-7 more than halves what fits into it.

const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENDED = '\f^{}\\[~]|€';

/** Septets of each character in GSM 03.38. */
const SEPTETS = new Map([
  ...[...BASIC].map((character) => [character, 1] as const),
  ...[...EXTENDED].map((character) => [character, 2] as const),
]);

/** Most texts have only characters of one septet. */
const IS_BASIC = new RegExp(`^[${BASIC.replaceAll(/[\\\]^-]/g, String.raw`\$&`)}]*$`);

/** Units that fit into the only segment of a text, and into each of several. */
export const SEGMENT_UNITS = { 'GSM-7': { one: 160, each: 153 }, 'UCS-2': { one: 70, each: 67 } } as const;

export interface TextSize {
  readonly encoding: keyof typeof SEGMENT_UNITS;
  readonly units: number;
  readonly segments: number;
  /** The characters outside GSM-7, as a reader sees them, each once. They are why the encoding is UCS-2. */
  readonly outsideGsm: readonly string[];
}

const isOutsideGsm = (shown: string): boolean => [...shown].some((character) => !SEPTETS.has(character));

function findOutsideGsm(text: string): string[] {
  const shown = Array.from(new Intl.Segmenter().segment(text), ({ segment }) => segment);
  return [...new Set(shown.filter(isOutsideGsm))];
}

/** A character is never split: one that does not fit at the end of a segment starts the next. */
export function measureText(text: string): TextSize {
  if (IS_BASIC.test(text)) {
    const { one, each } = SEGMENT_UNITS['GSM-7'];
    const units = text.length;
    return { encoding: 'GSM-7', units, segments: units <= one ? 1 : Math.ceil(units / each), outsideGsm: [] };
  }
  const characters = [...text];
  const outsideGsm = isOutsideGsm(text) ? findOutsideGsm(text) : [];
  const isGsm = outsideGsm.length === 0;
  const encoding = isGsm ? 'GSM-7' : 'UCS-2';
  const sizes = characters.map((character) => (isGsm ? (SEPTETS.get(character) ?? 1) : character.length));
  const units = sizes.reduce((sum, size) => sum + size, 0);
  const { one, each } = SEGMENT_UNITS[encoding];
  if (units <= one) return { encoding, units, segments: 1, outsideGsm };
  let segments = 1;
  let used = 0;
  for (const size of sizes) {
    if (used + size > each) {
      segments += 1;
      used = 0;
    }
    used += size;
  }
  return { encoding, units, segments, outsideGsm };
}

/** The carrier's price for a segment. */
export interface SegmentPrice {
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: string;
}
