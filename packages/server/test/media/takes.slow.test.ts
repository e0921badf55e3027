import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BUILT_IN_CLIP } from '../../src/recordings/media/index.ts';
import {
  H264,
  makeFolder,
  makeSample,
  measureSound,
  OPUS,
  openEncoder,
  processTake,
  runJob,
  VP8,
} from './media-fixture.ts';
import { changeBox, delay, makeBox, rotate } from './mp4-boxes.ts';
import { jpegSize, type Probed, probe } from './probe.ts';

/** Guarantees about every output. */
function expectPlayable(output: Probed): void {
  expect(output.codec).toMatch(/^avc1\.(?:64|4d)[0-9a-f]{2}(?:0[0-9a-f]|1[0-9a-f]|2[0-8])$/i);
  expect(output.rotation).toBe(0);
  expect([output.width % 2, output.height % 2]).toEqual([0, 0]);
  expect(Math.max(output.width, output.height)).toBeLessThanOrEqual(1920);
  expect(Math.min(output.width, output.height)).toBeLessThanOrEqual(1080);
  expect(output.boxes.indexOf('moov')).toBeGreaterThan(-1);
  expect(output.boxes.indexOf('moov')).toBeLessThan(output.boxes.indexOf('mdat'));
  if (output.sound !== null) {
    expect(output.sound).toMatchObject({ codec: 'mp4a.40.2', rate: 48_000 });
    expect(output.sound.channels).toBeLessThanOrEqual(2);
  }
}

async function processAndProbe(file: string, script: string | null = null) {
  const processed = await processTake(file, script);
  const output = await probe(join(processed.into, 'video.mp4'));
  expectPlayable(output);
  return { ...processed, output };
}

async function rewrite(file: string, change: (bytes: Buffer) => Buffer): Promise<string> {
  await writeFile(file, change(await readFile(file)));
  return file;
}

describe('a take', () => {
  test('becomes a video, its pictures and captions, and no other files remain', async () => {
    const file = await makeSample(await makeFolder(), { size: '360x640', seconds: 3 });
    const { details, into, output, progress } = await processAndProbe(file, 'Hello Dana. See you on Tuesday.');
    const files = ['captions.vtt', 'card.jpg', 'original', 'poster.jpg', 'thumbnail.jpg', 'video.mp4'];
    expect(await readdir(into)).toEqual(files);
    expect(details).toMatchObject({ width: 360, height: 640, hasAudio: true, copied: true });
    expect(details.durationMs).toBeCloseTo(3000, -2);
    expect(details.bytes).toBe((await stat(join(into, 'video.mp4'))).size);
    expect(output).toMatchObject({ width: 360, height: 640 });
    expect(await jpegSize(join(into, 'poster.jpg'))).toEqual({ width: 360, height: 640 });
    expect(await jpegSize(join(into, 'card.jpg'))).toEqual({ width: 1200, height: 630 });
    expect((await stat(join(into, 'poster.jpg'))).size).toBeLessThan(200_000);
    expect(await readFile(join(into, 'captions.vtt'), 'utf8')).toContain('Hello Dana.');
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(100);
  });

  test('that is the built-in clip is copied, has the right loudness, and gets a small, silent preview', async () => {
    const { details, into } = await processAndProbe(BUILT_IN_CLIP);
    expect(details).toMatchObject({ width: 720, height: 1280, hasAudio: true, copied: true });
    const file = join(into, 'video.mp4');
    expect((await measureSound(file)).loudness.integrated).toBeCloseTo(-16, 0);
    await openEncoder().preview({ file, into, signal: new AbortController().signal });
    const webp = await readFile(join(into, 'preview.webp'));
    expect(webp.toString('latin1', 8, 12)).toBe('WEBP');
    expect(webp.includes('ANIM')).toBe(true);
    expect(webp.length).toBeLessThanOrEqual(250_000);
  });
});

describe('a take from a phone or browser', () => {
  test('as WebM with millisecond timestamps, irregular frames and no duration gets 30 even frames per second', async () => {
    const file = await makeSample(await makeFolder(), {
      seconds: 3,
      video: VP8,
      audio: OPUS,
      // Late and missing frames, as from a camera in bad light.
      videoFilter: "select='not(eq(mod(n,7),3))',settb=1/1000,setpts=PTS+7*mod(N*13\\,5)",
      muxer: { file: 'take.webm', muxer: 'webm', options: { live: '1' } },
    });
    const { details, output } = await processAndProbe(file);
    expect(details.copied).toBe(false);
    expect(output.framesPerSecond).toBeCloseTo(30, 1);
    expect(output.durationS).toBeCloseTo(3, 0);
    expect(output.sound?.durationS).toBeCloseTo(output.durationS, 0);
  });

  test('as H.264 with Opus in Matroska keeps its picture and gets AAC', async () => {
    const file = await makeSample(await makeFolder(), { name: 'take.mkv', audio: OPUS });
    expect((await processAndProbe(file)).details).toMatchObject({ copied: true, hasAudio: true });
  });

  test.each([90, 180] as const)('with a rotation of %i degrees is stored upright', async (degrees) => {
    const file = await makeSample(await makeFolder(), { size: '320x180', seconds: 1 });
    const { details, output } = await processAndProbe(await rewrite(file, (bytes) => rotate(bytes, degrees)));
    const upright = degrees === 180 ? { width: 320, height: 180 } : { width: 180, height: 320 };
    expect(details).toMatchObject({ ...upright, copied: false });
    expect(output).toMatchObject(upright);
  });

  test('in 4K and HEVC is re-encoded and scaled to 1080p', async () => {
    const video = { codec: 'libx265', options: { preset: 'ultrafast', 'x265-params': 'log-level=none' } };
    const file = await makeSample(await makeFolder(), { size: '2160x3840', seconds: 0.8, rate: 10, video });
    expect((await processAndProbe(file)).details).toMatchObject({ width: 1080, height: 1920, copied: false });
  });

  test('with 60 frames per second gets 30', async () => {
    const file = await makeSample(await makeFolder(), { seconds: 1, rate: 60 });
    expect((await processAndProbe(file)).output.framesPerSecond).toBeCloseTo(30, 0);
  });

  test('without sound is accepted and reported as silent', async () => {
    const file = await makeSample(await makeFolder(), { audio: null });
    const { details, output, into } = await processAndProbe(file, 'Words to read.');
    expect(details.hasAudio).toBe(false);
    expect(output.sound).toBeNull();
    expect(await readdir(into)).not.toContain('captions.vtt');
  });

  test.each([
    ['the words that the member typed', 'What I really said.', 'What I really said.'],
    ['none that the member turned off', '', null],
    ['the script by default, which the voice fits', null, 'Hello Dana.'],
  ])('has %s as captions', async (_case, captions, shown) => {
    const file = await makeSample(await makeFolder(), { size: '360x640', seconds: 3 });
    const { into } = await processTake(file, 'Hello Dana. See you on Tuesday.', null, captions);
    if (shown === null) expect(await readdir(into)).not.toContain('captions.vtt');
    else expect(await readFile(join(into, 'captions.vtt'), 'utf8')).toContain(shown);
  });

  test('with sound that starts late stays in sync', async () => {
    const file = await makeSample(await makeFolder(), { seconds: 3 });
    const { into } = await processAndProbe(await rewrite(file, (bytes) => delay(bytes, 'trak:1', 700, 2000)));
    const first = (await measureSound(join(into, 'video.mp4'))).moments.find(({ levelDb }) => levelDb > -40);
    // 0.7 s, plus the tenth of a second of silence at the start of the sample sound.
    expect(first?.seconds).toBeGreaterThanOrEqual(0.7);
    expect(first?.seconds).toBeLessThan(1);
  });

  test('that was cut off during upload plays to the cut', async () => {
    const file = await makeSample(await makeFolder(), {
      video: VP8,
      audio: OPUS,
      seconds: 3,
      // As browsers write it: in clusters of unknown length.
      muxer: { file: 'take.webm', muxer: 'webm', options: { live: '1', cluster_time_limit: '300' } },
    });
    const { details } = await processAndProbe(await rewrite(file, (bytes) => bytes.subarray(0, bytes.length * 0.6)));
    expect(details.durationMs).toBeGreaterThan(1000);
    expect(details.durationMs).toBeLessThan(2700);
  });

  test('whose header claims hours gets its real duration', async () => {
    const file = await makeSample(await makeFolder());
    const lying = await rewrite(file, (bytes) =>
      changeBox(bytes, 'moov/mvhd', (body) => {
        body.writeUInt32BE(0x7fffffff, 16);
        return body;
      }),
    );
    expect((await processAndProbe(lying)).details.durationMs).toBeCloseTo(2000, -2);
  });
});

describe('a trimmed take', () => {
  const BAR = 'drawbox=y=ih*0.9:w=iw:h=ih*0.1:t=fill:color';
  // White from 1 s to 3 s, and loud only then.
  const sample = {
    seconds: 4,
    videoFilter: `${BAR}=black,${BAR}=white:enable='between(t,0.99,3.01)'`,
    audioFilter: "volume=0:enable='not(between(t,1,3))'",
  };

  test.each([
    ['H.264', {}],
    ['VP8', { name: 'take.webm', video: VP8, audio: OPUS }],
  ])('of %s starts and ends where the member cut it, with picture and sound in sync', async (_case, codecs) => {
    const file = await makeSample(await makeFolder(), { ...sample, ...codecs });
    const { details, into } = await processTake(file, null, { startMs: 500, endMs: 3500 });
    expect(details).toMatchObject({ copied: false, hasAudio: true });
    expect(Math.abs(details.durationMs - 3000)).toBeLessThan(80);
    const output = await probe(join(into, 'video.mp4'));
    expectPlayable(output);
    expect(Math.abs((output.sound?.durationS ?? 0) - 3)).toBeLessThan(0.15);
    const loud = (await measureSound(join(into, 'video.mp4'))).moments.filter(({ levelDb }) => levelDb > -40);
    expect(Math.abs((loud[0]?.seconds ?? 0) - 0.55)).toBeLessThan(0.2);
    expect(loud.at(-1)?.seconds ?? 0).toBeLessThan(2.7);
  });
});

test('the sound of a soft take is brought to −16 LUFS without clipping', async () => {
  const file = await makeSample(await makeFolder(), { audioFilter: 'volume=-18dB', seconds: 3 });
  const { into } = await processAndProbe(file);
  const { integrated } = (await measureSound(join(into, 'video.mp4'))).loudness;
  expect(integrated).toBeGreaterThan(-17);
  expect(integrated).toBeLessThan(-15);
});

describe('the location in the metadata of a take', () => {
  const PLACE = '+40.6892-074.0445/';

  test.each([true, false])('is not in the output (copied: %s)', async (copied) => {
    const folder = await makeFolder();
    const file = await makeSample(folder, { video: copied ? H264 : VP8, name: copied ? 'take.mp4' : 'take.mkv' });
    const tagged = join(folder, 'tagged.mp4');
    if (copied) {
      const place = Buffer.concat([Buffer.from([0, PLACE.length, 0x15, 0xc7]), Buffer.from(PLACE)]);
      const udta = makeBox('udta', makeBox('\u00a9xyz', place));
      await writeFile(
        tagged,
        changeBox(await readFile(file), 'moov', (body) => Buffer.concat([body, udta])),
      );
    } else {
      await runJob(folder, {
        input: { file, demuxer: 'matroska' },
        video: { index: 0, copy: true },
        output: { file: 'tagged.mp4', muxer: 'matroska' },
      });
      await writeFile(tagged, Buffer.concat([await readFile(tagged), Buffer.from(PLACE)]));
    }
    expect((await readFile(tagged)).includes(PLACE)).toBe(true);
    const { details, into } = await processAndProbe(tagged);
    expect(details.copied).toBe(copied);
    expect((await readFile(join(into, 'video.mp4'))).includes(PLACE)).toBe(false);
  });
});
