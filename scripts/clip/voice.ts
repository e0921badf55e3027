import { openness, speaks } from './scene.ts';

const RATE = 48_000;
/** The formants of four vowels; the hum moves from one to the next. */
const VOWELS = [
  [620, 1100],
  [430, 1750],
  [520, 900],
  [360, 2000],
] as const;
const HARMONICS = 24;

/** A WAV file of a hum with the rhythm, melody and vowels of speech, but no words. */
export function speak(seconds: number): Buffer {
  const samples = Math.round(seconds * RATE);
  const wav = Buffer.alloc(44 + samples * 2);
  writeHeader(wav, samples);
  let phase = 0;
  let level = 0;
  for (let n = 0; n < samples; n++) {
    const t = n / RATE;
    const pitch = 150 + 14 * Math.sin(t * 2.6) + 8 * Math.sin(t * 7.3) - 9 * t;
    phase += (2 * Math.PI * pitch) / RATE;
    const wanted = speaks(t) ? 0.25 + 0.75 * openness(t) : 0;
    // Smooth transitions: a jump would be audible.
    level += (wanted - level) * 0.0009;
    wav.writeInt16LE(Math.round(level * 0.16 * 32_767 * hum(phase, pitch, t)), 44 + n * 2);
  }
  return wav;
}

function hum(phase: number, pitch: number, t: number): number {
  const place = (t * 2.1) % VOWELS.length;
  const from = VOWELS[Math.floor(place)] ?? VOWELS[0];
  const to = VOWELS[(Math.floor(place) + 1) % VOWELS.length] ?? VOWELS[0];
  const share = place % 1;
  const [first, second] = [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
  let sum = 0;
  for (let k = 1; k <= HARMONICS; k++) {
    const hertz = k * pitch;
    const color = 0.12 + Math.exp(-(((hertz - first) / 170) ** 2)) + 0.35 * Math.exp(-(((hertz - second) / 220) ** 2));
    sum += (Math.sin(k * phase) * color) / k ** 0.6;
  }
  return sum;
}

function writeHeader(wav: Buffer, samples: number): void {
  wav.write('RIFF', 0);
  wav.writeUInt32LE(36 + samples * 2, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(RATE, 24);
  wav.writeUInt32LE(RATE * 2, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(samples * 2, 40);
}
