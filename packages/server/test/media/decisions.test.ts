import fs from 'node:fs';
import path from 'node:path';
import { findSpeech, fitsScript } from '@foreword/contract';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readEdits } from '../../src/recordings/edits.ts';
import { chooseEngine } from '../../src/recordings/media/engine/choose.ts';
import { canCopy, findKeptPart, fit, type VideoDetails } from '../../src/recordings/media/plan.ts';
import { gainFor, splitPhrases, writeCaptions } from '../../src/recordings/media/sound.ts';
import { temporaryFolder } from '../harness/temporary-folder.ts';

const PHONE: VideoDetails = {
  index: 0,
  codec: 'avc1.64001f',
  codedWidth: 720,
  codedHeight: 1280,
  width: 720,
  height: 1280,
  durationS: 15,
  rotation: 0,
  flipped: false,
  framesPerSecond: 29.97,
  bitsPerSecond: 2_200_000,
  highDynamicRange: false,
};

describe('copying a video stream', () => {
  test.each(['avc1.64001f', 'avc3.640028', 'avc1.4d401f', 'avc1.42e01f', 'avc1.42c01f'])('copies %s', (codec) => {
    expect(canCopy({ ...PHONE, codec })).toBe(true);
  });

  test.each([
    ['a level above 4.0', { codec: 'avc1.640029' }],
    ['Baseline that does not satisfy Main', { codec: 'avc1.42001f' }],
    ['10-bit color', { codec: 'avc1.6e001f' }],
    ['another codec', { codec: 'vp8' }],
    ['a rotated picture', { rotation: 90 }],
    ['a mirrored picture', { flipped: true }],
    ['high dynamic range', { highDynamicRange: true }],
    ['non-square pixels', { width: 960 }],
    ['an odd width', { width: 719, codedWidth: 719 }],
    ['a picture above 1080p', { width: 1440, height: 2560, codedWidth: 1440, codedHeight: 2560 }],
    ['a square above 1080 pixels', { width: 1200, height: 1200, codedWidth: 1200, codedHeight: 1200 }],
    ['60 frames a second', { framesPerSecond: 60 }],
    ['a bitrate above 4 Mbit/s', { bitsPerSecond: 9_000_000 }],
  ])('does not copy %s', (_case, changed) => {
    expect(canCopy({ ...PHONE, ...changed })).toBe(false);
  });

  test.each([
    [2160, 3840, 1080, 1920],
    [3840, 2160, 1920, 1080],
    [1080, 1080, 1080, 1080],
    [2000, 2000, 1080, 1080],
    [721, 1281, 720, 1280],
    [320, 240, 320, 240],
  ])('an encoded picture of %i×%i becomes %i×%i, even and never larger', (width, height, fitWidth, fitHeight) => {
    const size = fit(width, height);
    expect(Math.abs(size.width - fitWidth)).toBeLessThanOrEqual(2);
    expect(Math.abs(size.height - fitHeight)).toBeLessThanOrEqual(2);
    expect([size.width % 2, size.height % 2]).toEqual([0, 0]);
    expect(Math.max(size.width, size.height)).toBeLessThanOrEqual(1920);
    expect(Math.min(size.width, size.height)).toBeLessThanOrEqual(1080);
  });
});

describe('loudness', () => {
  test('of speech is brought to −16 LUFS', () => {
    expect(gainFor(-23)).toBe(7);
    expect(gainFor(-9)).toBe(-7);
  });

  test.each([-70, -55, Number.NEGATIVE_INFINITY, Number.NaN])('of silence at %d LUFS is not amplified', (level) => {
    expect(gainFor(level)).toBe(0);
  });

  test('is raised by at most 20 dB', () => {
    expect(gainFor(-45)).toBe(20);
  });
});

describe('detected speech', () => {
  const moments = (levels: number[]) => levels.map((levelDb, n) => ({ seconds: n / 10, levelDb }));
  const fill = (count: number, level: number): number[] => Array.from({ length: count }, () => level);

  test('is louder than the background and includes short pauses', () => {
    const spans = findSpeech(
      moments([
        ...fill(10, -60),
        ...fill(10, -20),
        ...fill(2, -60),
        ...fill(8, -22),
        ...fill(8, -60),
        ...fill(10, -24),
      ]),
    );
    expect(spans).toHaveLength(2);
    expect(spans[0]?.from).toBeCloseTo(1);
    expect(spans[0]?.to).toBeCloseTo(3);
    expect(spans[1]?.from).toBeCloseTo(3.8);
  });

  test('is empty for silence', () => {
    expect(findSpeech(moments(fill(50, -70)))).toEqual([]);
    expect(findSpeech([])).toEqual([]);
  });

  test('spans the whole take when there are no pauses', () => {
    expect(findSpeech(moments(fill(50, -20)))).toEqual([{ from: 0, to: 5 }]);
  });
});

describe('the script becomes the captions', () => {
  const SCRIPT = Array(36).fill('word').join(' ');
  const speech = (...spans: [from: number, to: number][]) => spans.map(([from, to]) => ({ from, to }));

  test.each([
    ['at the usual pace', speech([0.5, 15]), true],
    ['with breaths between sentences', speech([0.5, 5], [5.8, 10], [11.5, 17]), true],
    ['slowly', speech([0, 26]), true],
    ['fast', speech([0, 9]), true],
    ['too short for the script', speech([0, 6]), false],
    ['too long for the script', speech([0, 14], [15, 30]), false],
    ['with a gap in which a sentence was said or left out', speech([0, 6], [8.6, 15]), false],
    ['silent', [], false],
  ])('if the voice fits it: %s', (_case, spans, fits) => {
    expect(fitsScript(SCRIPT, spans)).toBe(fits);
  });

  test('never without words', () => {
    expect(fitsScript('…', speech([0, 10]))).toBe(false);
  });
});

describe('captions', () => {
  const SCRIPT =
    "Hi Dana, it's Ana from Acme. I'm coming by on Tuesday at ten to look at your roof, and I wanted you to know my " +
    'face before I ring the bell. See you then!';
  const times = (vtt: string): number[][] =>
    [...vtt.matchAll(/^00:(\d\d):(\d\d\.\d{3}) --> 00:(\d\d):(\d\d\.\d{3})$/gm)].map(([, m1, s1, m2, s2]) => [
      Number(m1) * 60 + Number(s1),
      Number(m2) * 60 + Number(s2),
    ]);

  test('contain every word, in at most two lines of about 42 characters', () => {
    const vtt = writeCaptions(SCRIPT, [], 15);
    const cues = vtt
      .split('\n\n')
      .slice(1)
      .map((cue) => cue.trim().split('\n').slice(2));
    expect(cues.flat().join(' ')).toBe(SCRIPT);
    for (const lines of cues) {
      expect(lines.length).toBeLessThanOrEqual(2);
      for (const line of lines) expect(line.length).toBeLessThanOrEqual(48);
    }
  });

  test('are in order, within the speech, and leave its pauses free', () => {
    const spoken = times(
      writeCaptions(
        'One two three four. Five six seven eight.',
        [
          { from: 1, to: 3 },
          { from: 5, to: 7 },
        ],
        8,
      ),
    );
    expect(spoken).toHaveLength(2);
    expect(spoken[0]?.[0]).toBeCloseTo(1, 1);
    expect(spoken[1]?.[1]).toBeCloseTo(7, 1);
    expect(spoken[1]?.[0]).toBeGreaterThanOrEqual(spoken[0]?.[1] ?? Number.NaN);
    expect(spoken[0]?.[1]).toBeLessThan(3.5);
  });

  test('escape markup and cannot inject a cue', () => {
    const vtt = writeCaptions('<b>Hi</b> & bye.\n\n00:00:01.000 --> 00:00:02.000\nForged.', [], 10);
    expect(vtt).toContain('&lt;b&gt;Hi&lt;/b&gt; &amp; bye.');
    expect(times(vtt)).toHaveLength(3);
    expect(vtt.match(/-->/g)).toHaveLength(3);
  });

  test('split a text without spaces between characters, never inside one', () => {
    const parts = splitPhrases('😀'.repeat(200));
    expect(parts.join('')).toBe('😀'.repeat(200));
    for (const part of parts) expect([...part].length).toBeLessThanOrEqual(84);
  });
});

const encoded = (text: string): string => `:${Buffer.from(text).toString('base64')}:`;

describe('the header with the trim of a take', () => {
  test('names the start and the end', () => {
    const trim = { startMs: 1200, endMs: 14_300 };
    expect(readEdits({ 'foreword-trim': 'start_ms=1200, end_ms=14300' })).toEqual({ trim, captions: null });
    expect(readEdits({ 'foreword-trim': 'start_ms=0,end_ms=1000' })).toMatchObject({
      trim: { startMs: 0, endMs: 1000 },
    });
  });

  test('is optional', () => {
    expect(readEdits({})).toEqual({ trim: null, captions: null });
  });

  test.each([
    '',
    'start_ms=1200',
    'start_ms=-5, end_ms=3000',
    'start_ms=1.5, end_ms=3000',
    '1200-3000',
    'start_ms=1200, end_ms=2199',
    'start_ms=9000, end_ms=1000',
  ])('is invalid as "%s"', (header) => {
    expect(readEdits({ 'foreword-trim': header })).toMatchObject({ field: 'Foreword-Trim' });
  });
});

describe('the header with the captions of a take', () => {
  test.each([
    ['what was said', encoded('Hola, soy Ñandú 😀'), 'Hola, soy Ñandú 😀'],
    ['none', '::', ''],
    ['lines and control characters as spaces', encoded(' One\n\0two '), 'One  two'],
    ['no character that reorders text', encoded('a\u202eb'), 'ab'],
    ['up to 1,000 characters', encoded('😀'.repeat(1000)), '😀'.repeat(1000)],
  ])('has %s', (_case, header, captions) => {
    expect(readEdits({ 'foreword-captions': header })).toEqual({ trim: null, captions });
  });

  test.each(['', 'off', 'SGk=', ':S!:', encoded('a'.repeat(1001))])('is invalid as "%s"', (header) => {
    expect(readEdits({ 'foreword-captions': header })).toMatchObject({ field: 'Foreword-Captions' });
  });
});

describe('the part that is kept', () => {
  test('ends with the take', () => {
    expect(findKeptPart({ startMs: 1000, endMs: 99_000 }, 5)).toEqual({ startS: 1, endS: 5 });
    expect(findKeptPart({ startMs: 0, endMs: 4000 }, 5)).toEqual({ startS: 0, endS: 4 });
  });

  test.each([
    ['nothing is cut', { startMs: 0, endMs: 5000 }],
    ['less than 50 ms are cut', { startMs: 20, endMs: 4980 }],
    ['less than a second would remain', { startMs: 4200, endMs: 6000 }],
    ['the part is outside the take', { startMs: 8000, endMs: 9500 }],
  ])('is the whole take when %s', (_case, trim) => {
    expect(findKeptPart(trim, 5)).toBeNull();
    expect(findKeptPart(null, 5)).toBeNull();
  });
});

const ENCODERS = ['libx264', 'aac', 'mjpeg', 'libwebp_anim'];

const workingDirectory = process.cwd();

const folder = temporaryFolder();
afterEach(() => {
  vi.unstubAllEnvs();
  // The npm package makes its folder the working directory, which the tests of this process share.
  process.chdir(workingDirectory);
});

/** Puts a program on the PATH that only reports its version and encoders. */
function installFfmpeg(version: string, encoders: readonly string[]): string {
  const bin = fs.mkdtempSync(path.join(folder, 'bin-'));
  const program = path.join(bin, 'ffmpeg');
  const lines = encoders.map((name) => `echo ' V..... ${name}  an encoder'`).join('\n');
  fs.writeFileSync(program, `#!/bin/sh\ncase "$*" in *-version*) echo 'ffmpeg version ${version}' ;; esac\n${lines}\n`);
  fs.chmodSync(program, 0o755);
  vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`);
  return program;
}

describe('without FFMPEG_PATH', () => {
  test('prefers a suitable ffmpeg on the PATH to the npm package', async () => {
    const program = installFfmpeg('7.1', ENCODERS);
    const { choice, description } = await chooseEngine(undefined, folder);
    expect(choice).toEqual({ program });
    expect(description).toContain(program);
  });

  test.each([
    ['is too old', '4.4', ENCODERS],
    ['cannot encode H.264', '7.1', ENCODERS.slice(1)],
  ])('uses the npm package when the ffmpeg on the PATH %s', async (_reason, version, encoders) => {
    installFfmpeg(version, encoders);
    expect((await chooseEngine(undefined, folder)).choice).toEqual({ library: true });
  });
});

test('FFMPEG_PATH=off uses the npm package even with a suitable ffmpeg on the PATH', async () => {
  installFfmpeg('7.1', ENCODERS);
  expect((await chooseEngine('off', folder)).choice).toEqual({ library: true });
});

test('FFMPEG_PATH names a program that must work, without falling back', async () => {
  const program = installFfmpeg('7.1', ['aac']);
  await expect(chooseEngine(program, folder)).rejects.toThrow('lacks the encoders libx264');
});
