import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Scene, Studio } from './studio.ts';

const MEGABYTE = 1_000_000;
const RECORDED_MS = 6_000;
const SHORT_MS = 3_500;
const WITHOUT_MP4 = `{
  const knows = MediaRecorder.isTypeSupported;
  MediaRecorder.isTypeSupported = (type) => !type.startsWith('video/mp4') && knows.call(MediaRecorder, type);
}`;
/** On a machine that does other things as well. */
const SOON = { timeout: 15_000 };

let studio: Studio;

beforeAll(async () => {
  studio = await Studio.open();
});

afterAll(async () => {
  await studio?.close();
});

async function findingsIn(scene: Scene, forMs = SHORT_MS): Promise<string[]> {
  const { stage } = await studio.set(scene);
  await stage.start({ upload: false });
  await stage.page.waitForTimeout(forMs);
  const { findings } = await stage.stop();
  await stage.context.close();
  // Where the recording is cut within the spoken words is left to chance here.
  return findings.filter((finding) => finding !== 'cut_off' || scene.voice === 'endless');
}

describe('a recording', () => {
  test('is an upright MP4 with H.264 that plays, and weighs at most 5 MB for 15 s', async () => {
    const { stage } = await studio.set();
    await stage.start({ upload: false });
    await stage.page.waitForTimeout(RECORDED_MS);
    const take = await stage.stop();
    expect(take.type).toMatch(/^video\/mp4;\s*codecs="?avc1/);
    expect(take.complete).toBe(true);
    expect(take.durationMs).toBeGreaterThanOrEqual(RECORDED_MS);
    const bytesFor15s = (take.bytes / take.durationMs) * 15_000;
    expect(bytesFor15s).toBeLessThan(5 * MEGABYTE);
    expect(bytesFor15s).toBeGreaterThan(MEGABYTE);
    expect(await stage.play()).toMatchObject({ width: 720, height: 1_280 });
    await stage.context.close();
  });

  test('is a WebM that plays where the browser makes no MP4', async () => {
    const { stage } = await studio.set({}, WITHOUT_MP4);
    await stage.start({ upload: false });
    await stage.page.waitForTimeout(SHORT_MS);
    const take = await stage.stop();
    expect(take.type).toMatch(/^video\/webm;\s*codecs="?vp8/);
    expect(await stage.play()).toMatchObject({ width: 720, height: 1_280 });
    await stage.context.close();
  });

  test('ends by itself at its limit, and nothing of it is lost', async () => {
    const { stage } = await studio.set();
    await stage.start({ maxMs: SHORT_MS, upload: false });
    await expect.poll(() => stage.ended(), SOON).toBe('limit');
    const take = await stage.stop();
    expect(take.durationMs).toBeGreaterThanOrEqual(SHORT_MS);
    expect(take.durationMs).toBeLessThan(SHORT_MS + 1_000);
    expect(take.bytes).toBeGreaterThan(0);
    await stage.context.close();
  });

  test('keeps what there is when the camera goes away in the middle', async () => {
    const { stage } = await studio.set();
    await stage.start({ upload: false });
    await stage.page.waitForTimeout(SHORT_MS);
    await stage.loseCamera();
    await expect.poll(() => stage.ended(), SOON).toBe('lost');
    expect((await stage.stop()).bytes).toBeGreaterThan(0);
    await stage.context.close();
  });

  test('that is thrown away leaves the take before it in its place', async () => {
    const { intro, stage } = await studio.set();
    await stage.start({ upload: false });
    await stage.page.waitForTimeout(SHORT_MS);
    const first = await stage.stop();
    await stage.start({ upload: false });
    await stage.page.waitForTimeout(SHORT_MS);
    await stage.abortRecording();
    await stage.page.close();
    const later = await studio.stage(stage.context);
    await later.openSpool(intro.api);
    expect(await later.kept()).toMatchObject({ id: first.id, complete: true });
    await stage.context.close();
  });
});

describe('the take check in a browser', () => {
  test('finds nothing in a well lit take with a clear voice', async () => {
    expect(await findingsIn({})).toEqual([]);
  });

  test('hears that nobody speaks', async () => {
    expect(await findingsIn({ voice: 'silence' })).toEqual(['silent']);
  });

  test('hears a voice that is too near', async () => {
    expect(await findingsIn({ voice: 'shouting' })).toEqual(['clipping']);
  });

  test('hears that the last word is cut', async () => {
    expect(await findingsIn({ voice: 'endless' })).toEqual(['cut_off']);
  });

  test('sees that it is dark', async () => {
    expect(await findingsIn({ brightness: 0.05 })).toEqual(['dark']);
  });

  test('says so when it is too short', async () => {
    expect(await findingsIn({}, 1_200)).toEqual(['too_short']);
  });

  test('shows the voice on the meter and nothing in silence', async () => {
    const speaking = await studio.set();
    await speaking.stage.page.waitForTimeout(2_500);
    expect(await speaking.stage.loudest()).toBeGreaterThan(0.5);
    const silent = await studio.set({ voice: 'silence' });
    await silent.stage.page.waitForTimeout(2_500);
    expect(await silent.stage.loudest()).toBeLessThan(0.1);
  });
});
