/** What a text message costs: carriers count in segments, and one letter outside of GSM-7 more than halves what fits. */

const BASIC =
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà';
const EXTENDED = '\f^{}\\[~]|€';

/** Septets each letter of GSM 03.38 takes. */
const SEPTETS = new Map([
  ...[...BASIC].map((letter) => [letter, 1] as const),
  ...[...EXTENDED].map((l) => [l, 2] as const),
]);

const LIMITS = { 'GSM-7': { one: 160, each: 153 }, 'UCS-2': { one: 70, each: 67 } } as const;

export interface Size {
  readonly encoding: 'GSM-7' | 'UCS-2';
  readonly units: number;
  readonly segments: number;
}

/** A letter is never cut in two: what does not fit at the end of a segment begins the next one. */
export function measureText(text: string): Size {
  const letters = [...text];
  const isGsm = letters.every((letter) => SEPTETS.has(letter));
  const encoding = isGsm ? 'GSM-7' : 'UCS-2';
  const sizes = letters.map((letter) => (isGsm ? (SEPTETS.get(letter) ?? 1) : letter.length));
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

/** Marks that look the same in GSM-7. Letters stay as they are: a name is not spelled otherwise to save money. */
const PLAINER: Readonly<Record<string, string>> = {
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
// Nobody sees them, and each would turn the whole text into UCS-2.
const UNSEEN = /[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;

export const plainText = (text: string): string =>
  [...text.normalize('NFC').replaceAll(UNSEEN, '')].map((letter) => PLAINER[letter] ?? letter).join('');
