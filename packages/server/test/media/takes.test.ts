import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BUILT_IN_CLIP } from '../../src/recordings/media/index.ts';
import { changeBox, delay, makeBox, turn } from './boxes.ts';
import { jpegSize, type Probed, probe } from './probe.ts';
import {
  H264,
  listenTo,
  makeFolder,
  makeSample,
  OPUS,
  openEncoder,
  PATIENCE_MS,
  processTake,
  runJob,
  VP8,
} from './studio.ts';

/** What holds of every output, whatever came in. */
function expectPlayable(made: Probed): void {
  expect(made.codec).toMatch(/^avc1\.(?:64|4d)[0-9a-f]{2}(?:0[0-9a-f]|1[0-9a-f]|2[0-8])$/i);
  expect(made.rotation).toBe(0);
  expect([made.width % 2, made.height % 2]).toEqual([0, 0]);
  expect(Math.max(made.width, made.height)).toBeLessThanOrEqual(1920);
  expect(Math.min(made.width, made.height)).toBeLessThanOrEqual(1080);
  expect(made.boxes.indexOf('moov')).toBeGreaterThan(-1);
  expect(made.boxes.indexOf('moov')).toBeLessThan(made.boxes.indexOf('mdat'));
  if (made.sound !== null) {
    expect(made.sound).toMatchObject({ codec: 'mp4a.40.2', rate: 48_000 });
    expect(made.sound.channels).toBeLessThanOrEqual(2);
  }
}

async function processAndProbe(file: string, script: string | null = null) {
  const processed = await processTake(file, script);
  const made = await probe(join(processed.into, 'video.mp4'));
  expectPlayable(made);
  return { ...processed, made };
}

async function rewrite(file: string, change: (bytes: Buffer) => Buffer): Promise<string> {
  await writeFile(file, change(await readFile(file)));
  return file;
}

describe('a take', { timeout: PATIENCE_MS }, () => {
  it('becomes a video, a poster, a card and captions, and nothing else is left', async () => {
    const file = await makeSample(await makeFolder(), { size: '360x640', seconds: 3 });
    const { facts, into, made, progress } = await processAndProbe(file, 'Hello Dana. See you on Tuesday.');
    expect(await readdir(into)).toEqual(['captions.vtt', 'card.jpg', 'poster.jpg', 'video.mp4']);
    expect(facts).toMatchObject({ width: 360, height: 640, hasAudio: true, copied: true });
    expect(facts.durationMs).toBeCloseTo(3000, -2);
    expect(facts.bytes).toBe((await stat(join(into, 'video.mp4'))).size);
    expect(made).toMatchObject({ width: 360, height: 640 });
    expect(await jpegSize(join(into, 'poster.jpg'))).toEqual({ width: 360, height: 640 });
    expect(await jpegSize(join(into, 'card.jpg'))).toEqual({ width: 1200, height: 630 });
    expect((await stat(join(into, 'poster.jpg'))).size).toBeLessThan(200_000);
    expect(await readFile(join(into, 'captions.vtt'), 'utf8')).toContain('Hello Dana.');
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
    expect(progress.at(-1)).toBe(100);
  });

  it('has a preview of its first seconds that is small and silent', async () => {
    const { into } = await processTake(BUILT_IN_CLIP);
    const file = join(into, 'video.mp4');
    await openEncoder().preview({ file, into, signal: new AbortController().signal });
    const webp = await readFile(join(into, 'preview.webp'));
    expect(webp.toString('latin1', 8, 12)).toBe('WEBP');
    expect(webp.includes('ANIM')).toBe(true);
    expect(webp.length).toBeLessThanOrEqual(250_000);
  });

  it('is the same when it is worked on twice', async () => {
    const file = await makeSample(await makeFolder(), { name: 'take.webm', video: VP8, audio: OPUS });
    const [once, again] = [await processTake(file), await processTake(file)];
    expect(again.facts).toMatchObject({ width: once.facts.width, durationMs: once.facts.durationMs });
    expect((await probe(join(again.into, 'video.mp4'))).durationS).toBeCloseTo(
      (await probe(join(once.into, 'video.mp4'))).durationS,
    );
  });

  it('that is the built-in clip is copied and already as loud as it should be', async () => {
    const { facts, into } = await processAndProbe(BUILT_IN_CLIP);
    expect(facts).toMatchObject({ width: 720, height: 1280, hasAudio: true, copied: true });
    expect((await stat(BUILT_IN_CLIP)).size).toBeLessThanOrEqual(300_000);
    expect((await listenTo(join(into, 'video.mp4'))).loudness.integrated).toBeCloseTo(-16, 0);
  });
});

describe('what phones and browsers send', { timeout: PATIENCE_MS }, () => {
  it('a WebM that counts in milliseconds, with frames at odd times and no duration, gets 30 even frames a second', async () => {
    const file = await makeSample(await makeFolder(), {
      seconds: 3,
      video: VP8,
      audio: OPUS,
      // Frames come late and some never, as from a camera in bad light.
      videoFilter: "select='not(eq(mod(n,7),3))',settb=1/1000,setpts=PTS+7*mod(N*13\\,5)",
      muxer: { file: 'take.webm', muxer: 'webm', options: { live: '1' } },
    });
    const { facts, made } = await processAndProbe(file);
    expect(facts.copied).toBe(false);
    expect(made.framesPerSecond).toBeCloseTo(30, 1);
    expect(made.durationS).toBeCloseTo(3, 0);
    expect(made.sound?.durationS).toBeCloseTo(made.durationS, 0);
  });

  it('H.264 with Opus in Matroska keeps its picture and gets AAC', async () => {
    const file = await makeSample(await makeFolder(), { name: 'take.mkv', audio: OPUS });
    expect((await processAndProbe(file)).facts).toMatchObject({ copied: true, hasAudio: true });
  });

  it.each([90, 180, 270] as const)('a picture turned by %i degrees is turned for good', async (degrees) => {
    const file = await makeSample(await makeFolder(), { size: '320x180', seconds: 1 });
    const { facts, made } = await processAndProbe(await rewrite(file, (bytes) => turn(bytes, degrees)));
    const upright = degrees === 180 ? { width: 320, height: 180 } : { width: 180, height: 320 };
    expect(facts).toMatchObject({ ...upright, copied: false });
    expect(made).toMatchObject(upright);
  });

  it('odd sides become even', async () => {
    const video = { codec: 'libvpx', options: VP8.options };
    const file = await makeSample(await makeFolder(), {
      size: '181x321',
      seconds: 1,
      name: 'take.webm',
      video,
      audio: OPUS,
    });
    const { facts } = await processAndProbe(file);
    expect(Math.abs(facts.width - 181)).toBe(1);
    expect(Math.abs(facts.height - 321)).toBe(1);
  });

  it('4K is scaled to what every phone plays', async () => {
    const file = await makeSample(await makeFolder(), { size: '2160x3840', seconds: 0.8, rate: 10 });
    expect((await processAndProbe(file)).facts).toMatchObject({ width: 1080, height: 1920, copied: false });
  });

  it('HEVC is encoded anew', async () => {
    const video = { codec: 'libx265', options: { preset: 'ultrafast', 'x265-params': 'log-level=none' } };
    const file = await makeSample(await makeFolder(), { seconds: 1, video });
    expect((await processAndProbe(file)).facts.copied).toBe(false);
  });

  it('60 frames a second become 30', async () => {
    const file = await makeSample(await makeFolder(), { seconds: 1, rate: 60 });
    expect((await processAndProbe(file)).made.framesPerSecond).toBeCloseTo(30, 0);
  });

  it('no sound is accepted, and said', async () => {
    const file = await makeSample(await makeFolder(), { audio: null });
    const { facts, made, into } = await processAndProbe(file, 'Words for the eye.');
    expect(facts.hasAudio).toBe(false);
    expect(made.sound).toBeNull();
    expect(await readdir(into)).toContain('captions.vtt');
  });

  it('sound that begins late stays with the picture', async () => {
    const file = await makeSample(await makeFolder(), { seconds: 3 });
    const { into } = await processAndProbe(await rewrite(file, (bytes) => delay(bytes, 'trak:1', 700, 2000)));
    const first = (await listenTo(join(into, 'video.mp4'))).moments.find(({ levelDb }) => levelDb > -40);
    // 0.7 s, and a tenth of silence that the sound begins with.
    expect(first?.seconds).toBeGreaterThanOrEqual(0.7);
    expect(first?.seconds).toBeLessThan(1);
  });

  it('a file that was cut off while it was sent plays as far as it goes', async () => {
    const file = await makeSample(await makeFolder(), {
      video: VP8,
      audio: OPUS,
      seconds: 3,
      // As browsers write it: a piece at a time, none of them with a length.
      muxer: { file: 'take.webm', muxer: 'webm', options: { live: '1', cluster_time_limit: '300' } },
    });
    const { facts } = await processAndProbe(await rewrite(file, (bytes) => bytes.subarray(0, bytes.length * 0.6)));
    expect(facts.durationMs).toBeGreaterThan(1000);
    expect(facts.durationMs).toBeLessThan(2700);
  });

  it('a header that claims hours is not believed', async () => {
    const file = await makeSample(await makeFolder());
    const lying = await rewrite(file, (bytes) =>
      changeBox(bytes, 'moov/mvhd', (body) => {
        body.writeUInt32BE(0x7fffffff, 16);
        return body;
      }),
    );
    expect((await processAndProbe(lying)).facts.durationMs).toBeCloseTo(2000, -2);
  });
});

describe('the sound', { timeout: PATIENCE_MS }, () => {
  it.each([
    ['soft', 'volume=-18dB'],
    ['loud', 'volume=9dB'],
  ])('of a %s take is brought to −16 LUFS without clipping', async (_what, audioFilter) => {
    const file = await makeSample(await makeFolder(), { audioFilter, seconds: 3 });
    const { into } = await processAndProbe(file);
    const { integrated } = (await listenTo(join(into, 'video.mp4'))).loudness;
    expect(integrated).toBeGreaterThan(-17);
    expect(integrated).toBeLessThan(-15);
  });

  it('that is next to silence stays so', async () => {
    const file = await makeSample(await makeFolder(), { audioFilter: 'volume=-60dB' });
    const { into } = await processAndProbe(file);
    const { moments } = await listenTo(join(into, 'video.mp4'));
    for (const { levelDb } of moments) expect(levelDb).toBeLessThan(-60);
  });
});

describe('what a file tells of its maker', { timeout: PATIENCE_MS }, () => {
  const PLACE = '+40.6892-074.0445/';

  it.each([true, false])('is not handed on (copied: %s)', async (copied) => {
    const folder = await makeFolder();
    const file = await makeSample(folder, { video: copied ? H264 : VP8, name: copied ? 'take.mp4' : 'take.mkv' });
    const told = join(folder, 'told.mp4');
    if (copied) {
      const place = Buffer.concat([Buffer.from([0, PLACE.length, 0x15, 0xc7]), Buffer.from(PLACE)]);
      const udta = makeBox('udta', makeBox('\u00a9xyz', place));
      await writeFile(
        told,
        changeBox(await readFile(file), 'moov', (body) => Buffer.concat([body, udta])),
      );
    } else {
      await runJob(folder, {
        input: { file, demuxer: 'matroska' },
        video: { index: 0, copy: true },
        output: { file: 'told.mp4', muxer: 'matroska' },
      });
      await writeFile(told, Buffer.concat([await readFile(told), Buffer.from(PLACE)]));
    }
    expect((await readFile(told)).includes(PLACE)).toBe(true);
    const { facts, into } = await processAndProbe(told);
    expect(facts.copied).toBe(copied);
    expect((await readFile(join(into, 'video.mp4'))).includes(PLACE)).toBe(false);
  });
});
