import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Engine } from '../../src/recordings/media/engine/engine.ts';
import { makePictures } from '../../src/recordings/media/pictures.ts';
import { H264, makeFolder, makeSample, OPUS, processTake, runJob, VP8 } from './media-fixture.ts';
import { jpegSize } from './probe.ts';

/** Gray levels of a JPEG at this size. */
async function readGray(into: string, name: string, [width, height]: readonly [number, number]): Promise<Buffer> {
  await runJob(into, {
    input: { file: name, demuxer: 'image2' },
    video: { index: 0, filter: `scale=${width}:${height}:flags=area,format=gray`, codec: 'rawvideo', options: {} },
    output: { file: 'gray', muxer: 'rawvideo' },
  });
  return readFile(join(into, 'gray'));
}

const average = (levels: Buffer): number => levels.reduce((sum, level) => sum + level, 0) / levels.length;

describe('the pictures of a take', () => {
  // A bar at the bottom is white while the picture is neither dark nor blurred.
  const BAR = 'y=ih*0.9:w=iw:h=ih*0.1:t=fill';
  const videoFilter =
    "eq=brightness=-0.9:enable='lt(t,2)',gblur=sigma=5:enable='between(t,2,3.7)+gt(t,5.7)'," +
    `drawbox=${BAR}:color=black,drawbox=${BAR}:color=white:enable='between(t,3.7,5.7)'`;

  test.each([
    ['copied', { name: 'take.mp4', video: H264 }],
    ['encoded', { name: 'take.webm', video: VP8, audio: OPUS }],
  ])('show a sharp and well lit frame (%s)', async (_case, sample) => {
    const file = await makeSample(await makeFolder(), { seconds: 8, videoFilter, ...sample });
    const { into } = await processTake(file);
    const gray = await readGray(into, 'poster.jpg', [18, 40]);
    expect(average(gray.subarray(18 * 37))).toBeGreaterThan(200);
  });

  test('include a card with a play icon below the face, and a square thumbnail', async () => {
    const file = await makeSample(await makeFolder(), { seconds: 2, videoFilter: 'drawbox=c=gray:t=fill' });
    const { into } = await processTake(file);
    expect(await jpegSize(join(into, 'card.jpg'))).toEqual({ width: 1200, height: 630 });
    expect(await jpegSize(join(into, 'thumbnail.jpg'))).toEqual({ width: 192, height: 192 });
    const [card, poster] = [
      await readGray(into, 'card.jpg', [1200, 630]),
      average(await readGray(into, 'poster.jpg', [18, 32])),
    ];
    const at = (x: number, y: number): number => card[y * 1200 + x] ?? Number.NaN;
    // The triangle and the ring are white, the disc is dark, and the face stays visible.
    for (const [x, y] of [
      [600, 520],
      [600, 459],
      [661, 520],
    ] as const)
      expect(at(x, y)).toBeGreaterThan(230);
    expect(at(600, 482)).toBeLessThan(0.7 * poster);
    expect(Math.abs(at(600, 300) - poster)).toBeLessThan(12);
    expect((await readFile(join(into, 'card.jpg'))).length).toBeLessThan(200_000);
    expect((await readFile(join(into, 'thumbnail.jpg'))).length).toBeLessThanOrEqual(8_000);
  });

  test.each([
    ['a plain picture', 'drawbox=c=gray:t=fill', 1],
    ['a picture full of detail', 'noise=alls=12:allf=t', 3],
  ])('%s is a small poster after few tries', async (_case, detail, maxTries) => {
    const file = await makeSample(await makeFolder(), { seconds: 2, size: '720x1280', videoFilter: detail });
    const into = await makeFolder();
    let tries = 0;
    const engine: Engine = {
      async run(job) {
        if (job.output.file === 'poster.jpg') tries += 1;
        await runJob(into, job);
        return { pictures: 1 };
      },
      describe: async () => 'counts tries',
    };
    await makePictures(engine, into, { file, demuxer: 'mov', index: 0, durationS: 2, width: 720, height: 1280 });
    const { length } = await readFile(join(into, 'poster.jpg'));
    expect(length).toBeLessThanOrEqual(22_000);
    expect(tries).toBeLessThanOrEqual(maxTries);
    // A better quality would have been too large.
    if (tries > 1) expect(length).toBeGreaterThan(0.75 * 22_000);
  });
});
