import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const WIDTH = 720;
const HEIGHT = 1_280;
const FRAMES = 20;
const RATE = 48_000;
const SECONDS = 12;

/** The media files of this process, which reuses them. */
export const MEDIA_FOLDER = fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-media-'));
process.on('exit', () => fs.rmSync(MEDIA_FOLDER, { recursive: true, force: true }));

/** The fake camera's picture, in the simplest format Chromium reads: portrait, moving, and as detailed as a face in a room. */
export function writePicture(brightness: number): string {
  const file = path.join(MEDIA_FOLDER, `picture-${brightness}.y4m`);
  if (fs.existsSync(file)) return file;
  const parts: Buffer[] = [Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F30:1 Ip A1:1 C420jpeg\n`)];
  const color = Buffer.alloc((WIDTH * HEIGHT) / 2, 128);
  for (let frame = 0; frame < FRAMES; frame += 1)
    parts.push(Buffer.from('FRAME\n'), drawFrame(frame, brightness), color);
  fs.writeFileSync(file, Buffer.concat(parts));
  return file;
}

function drawFrame(frame: number, brightness: number): Buffer {
  const luma = Buffer.alloc(WIDTH * HEIGHT);
  const shift = 12 * Math.sin((2 * Math.PI * frame) / FRAMES);
  const columns = Float32Array.from({ length: WIDTH }, (_, x) => Math.sin((x + shift) / 17) / 5);
  const rows = Float32Array.from({ length: HEIGHT }, (_, y) => Math.cos((y - shift) / 23) / 5);
  let noise = frame + 1;
  for (const [y, row] of rows.entries()) {
    for (const [x, column] of columns.entries()) {
      noise = (Math.imul(noise, 1_664_525) + 1_013_904_223) >>> 0;
      const grain = (0.2 * noise) / 2 ** 32;
      luma[y * WIDTH + x] = Math.min(255, 255 * brightness * (1 + row + column + grain));
    }
  }
  return luma;
}

export type Voice = 'speech' | 'endless' | 'silence' | 'shouting' | 'whisper';
const LOUDNESS: Record<Voice, number> = { speech: 0.25, endless: 0.25, silence: 0, shouting: 4, whisper: 0.002 };

/** The browser adds gain: at full loudness the recorder would ask the member to move back. */
export const SOFT = 0.25;

/** Words of 0.4 s in groups with pauses, like speech; a constant hum would be removed as noise. */
export function writeSound(voice: Voice, gain = 1): string {
  const file = path.join(MEDIA_FOLDER, `${voice}-${gain}.wav`);
  if (fs.existsSync(file)) return file;
  const samples = Buffer.alloc(RATE * SECONDS * 2);
  for (let index = 0; index < RATE * SECONDS; index += 1) {
    const at = index / RATE;
    const speaking = voice === 'endless' || at % 2 < 1.5;
    // Endless words have few pauses, so that a slow machine, which measures seldom, still hears the last one.
    const word = voice === 'endless' ? Number(at % 1 < 0.8) : Math.max(0, Math.sin(2 * Math.PI * 2.5 * at)) ** 0.5;
    const pitch = 130 + 40 * Math.sin(2 * Math.PI * 0.7 * at);
    let sound = 0;
    for (let harmonic = 1; harmonic <= 12; harmonic += 1)
      sound += Math.sin(2 * Math.PI * pitch * harmonic * at) / harmonic;
    const level = speaking ? LOUDNESS[voice] * word * sound : 0;
    samples.writeInt16LE(Math.round(32_767 * gain * Math.max(-1, Math.min(1, level))), index * 2);
  }
  fs.writeFileSync(file, Buffer.concat([header(samples.length), samples]));
  return file;
}

function header(bytes: number): Buffer {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + bytes, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(RATE, 24);
  head.writeUInt32LE(RATE * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36);
  head.writeUInt32LE(bytes, 40);
  return head;
}
