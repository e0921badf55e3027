// Carriers charge by the segment. One character outside GSM-7 more than halves what fits into it.

const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENDED = '\f^{}\\[~]|€';

/** Septets of each character in GSM 03.38. */
const SEPTETS = new Map([
  ...[...BASIC].map((character) => [character, 1] as const),
  ...[...EXTENDED].map((character) => [character, 2] as const),
]);

const LIMITS = { 'GSM-7': { one: 160, each: 153 }, 'UCS-2': { one: 70, each: 67 } } as const;

export interface Size {
  readonly encoding: 'GSM-7' | 'UCS-2';
  readonly units: number;
  readonly segments: number;
}

/** A character is never split: one that does not fit at the end of a segment starts the next. */
export function measureText(text: string): Size {
  const characters = [...text];
  const isGsm = characters.every((character) => SEPTETS.has(character));
  const encoding = isGsm ? 'GSM-7' : 'UCS-2';
  const sizes = characters.map((character) => (isGsm ? (SEPTETS.get(character) ?? 1) : character.length));
  const units = sizes.reduce((sum, size) => sum + size, 0);
  const { one, each } = LIMITS[encoding];
  if (units <= one) return { encoding, units, segments: 1 };
  let segments = 1;
  let used = 0;
  for (const size of sizes) {
    if (used + size > each) {
      segments += 1;
      used = 0;
    }
    used += size;
  }
  return { encoding, units, segments };
}

/** Punctuation with a lookalike in GSM-7. Letters are kept, so that names stay spelled correctly. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  '‘': "'",
  '’': "'",
  '‚': "'",
  '‛': "'",
  '′': "'",
  '`': "'",
  '´': "'",
  '“': '"',
  '”': '"',
  '„': '"',
  '″': '"',
  '«': '"',
  '»': '"',
  '‐': '-',
  '‑': '-',
  '‒': '-',
  '–': '-',
  '—': '-',
  '−': '-',
  '…': '...',
  '•': '-',
  '\u00a0': ' ',
  '\u2009': ' ',
  '\u202f': ' ',
  '\t': ' ',
};
// Invisible characters, each of which would turn the whole text into UCS-2.
const INVISIBLE = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

export const plainText = (text: string): string =>
  [...text.normalize('NFC').replaceAll(INVISIBLE, '')].map((character) => LOOKALIKES[character] ?? character).join('');
