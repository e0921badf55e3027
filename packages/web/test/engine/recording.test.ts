import { describe, expect } from 'vitest';
import { type Engine, INSECURE_HOST, type Scene, test } from './engine-fixture.ts';

const MEGABYTE = 1_000_000;
const RECORDED_MS = 6_000;
const SHORT_MS = 3_500;
const WITHOUT_MP4 = `{
  const knows = MediaRecorder.isTypeSupported;
  MediaRecorder.isTypeSupported = (type) => !type.startsWith('video/mp4') && knows.call(MediaRecorder, type);
}`;

async function findingsIn(engine: Engine, scene: Scene): Promise<string[]> {
  const { phone } = await engine.openPhone(scene);
  await phone.start({ upload: false });
  await phone.page.waitForTimeout(SHORT_MS);
  const { findings } = await phone.stop();
  // The recording may end anywhere within the spoken words.
  return findings.filter((finding) => finding !== 'cut_off' || scene.voice === 'endless');
}

describe('a recording', () => {
  test('is a portrait MP4 with H.264 that plays, with at most 5 MB for 15 s', async ({ engine }) => {
    const { phone } = await engine.openPhone();
    await phone.start({ upload: false });
    await phone.page.waitForTimeout(RECORDED_MS);
    const take = await phone.stop();
    expect(take.type).toMatch(/^video\/mp4;\s*codecs="?avc1/);
    expect(take.complete).toBe(true);
    expect(take.durationMs).toBeGreaterThanOrEqual(RECORDED_MS);
    const bytesFor15s = (take.bytes / take.durationMs) * 15_000;
    expect(bytesFor15s).toBeLessThan(5 * MEGABYTE);
    expect(await phone.play()).toMatchObject({ width: 720, height: 1_280 });
  });

  test('is a WebM that plays if the browser records no MP4', async ({ engine }) => {
    const { phone } = await engine.openPhone({}, WITHOUT_MP4);
    await phone.start({ upload: false });
    await phone.page.waitForTimeout(SHORT_MS);
    const take = await phone.stop();
    expect(take.type).toMatch(/^video\/webm;\s*codecs="?vp8/);
    expect(await phone.play()).toMatchObject({ width: 720, height: 1_280 });
  });

  test('stops automatically at its limit, and loses nothing', async ({ engine }) => {
    const { phone } = await engine.openPhone();
    await phone.start({ maxMs: SHORT_MS, upload: false });
    await expect.poll(() => phone.ended()).toBe('limit');
    const take = await phone.stop();
    expect(take.durationMs).toBeGreaterThanOrEqual(SHORT_MS);
    expect(take.bytes).toBeGreaterThan(0);
    expect(take.complete).toBe(true);
  });

  test('keeps everything recorded before the camera was lost, and says that it was interrupted', async ({ engine }) => {
    const { phone } = await engine.openPhone();
    await phone.start({ upload: false });
    await phone.page.waitForTimeout(SHORT_MS);
    await phone.loseCamera();
    await expect.poll(() => phone.ended()).toBe('lost');
    const take = await phone.stop();
    expect(take.bytes).toBeGreaterThan(0);
    expect(take.complete).toBe(false);
  });

  test('that is discarded leaves the previous take unchanged', async ({ engine }) => {
    const { intro, phone } = await engine.openPhone();
    await phone.start({ upload: false });
    await phone.page.waitForTimeout(SHORT_MS);
    const first = await phone.stop();
    await phone.start({ upload: false });
    await phone.page.waitForTimeout(SHORT_MS);
    await phone.abortRecording();
    await phone.page.close();
    const { phone: later } = await engine.openLink(intro, phone.context);
    expect(await later.kept()).toMatchObject({ id: first.id, complete: true });
  });
});

describe('the take check in a browser', () => {
  test('finds nothing in a well lit take with a clear voice', async ({ engine }) => {
    expect(await findingsIn(engine, {})).toEqual([]);
  });

  test('finds silence and a dark picture', async ({ engine }) => {
    expect((await findingsIn(engine, { voice: 'silence', brightness: 0.05 })).toSorted()).toEqual(['dark', 'silent']);
  });

  test('finds a voice too close to the microphone', async ({ engine }) => {
    expect(await findingsIn(engine, { voice: 'shouting' })).toEqual(['clipping']);
  });

  test('finds a cut-off last word', async ({ engine }) => {
    expect(await findingsIn(engine, { voice: 'endless' })).toEqual(['cut_off']);
  });

  test('shows the voice on the meter and nothing in silence', async ({ engine }) => {
    const speaking = await engine.openPhone();
    await expect.poll(() => speaking.phone.loudest()).toBeGreaterThan(0.5);
    const silent = await engine.openPhone({ voice: 'silence' });
    await silent.phone.page.waitForTimeout(2_500);
    expect(await silent.phone.loudest()).toBeLessThan(0.1);
  });
});

describe('the camera', () => {
  test('opens in portrait at 720x1280 with sound', async ({ engine }) => {
    const phone = await engine.openPage(await engine.context());
    expect(await phone.openCamera()).toMatchObject({ width: 720, height: 1_280, hasSound: true, canFlip: false });
  });

  test('switches cameras within the same stream', async ({ engine }) => {
    const phone = await engine.openPage(await engine.context({ cameras: 2 }));
    expect(await phone.openCamera()).toMatchObject({ canFlip: true });
    expect(await phone.flip()).toEqual({ facing: 'environment', liveTracks: ['audio', 'video'], sameStream: true });
    expect(await phone.flip()).toEqual({ facing: 'user', liveTracks: ['audio', 'video'], sameStream: true });

    await phone.flip();
    await phone.openSpool(engine.service.intro().api);
    await phone.start({ upload: false });
    await phone.page.waitForTimeout(2_500);
    expect((await phone.stop()).bytes).toBeGreaterThan(0);
    expect(await phone.play()).toMatchObject({ playedTo: expect.any(Number) });
  });

  test('reports once that it was lost', async ({ engine }) => {
    const phone = await engine.openPage(await engine.context());
    await phone.openCamera();
    expect(await phone.loseCamera()).toBe(1);
  });

  test('reports denied when the member refuses permission', async ({ engine }) => {
    const phone = await engine.openPage(await engine.context({ refuses: true }));
    expect(await phone.cameraProblem()).toBe('denied');
  });

  test('reports none when there is no camera', async ({ engine }) => {
    const context = await engine.context({ cameras: 0 });
    await context.grantPermissions(['camera', 'microphone']);
    expect(await (await engine.openPage(context)).cameraProblem()).toBe('none');
  });

  test('reports unsupported when the browser has no camera API', async ({ engine }) => {
    const without = "Object.defineProperty(navigator, 'mediaDevices', { value: undefined })";
    const phone = await engine.openPage(await engine.context(), without);
    expect(await phone.cameraProblem()).toBe('unsupported');
  });

  test('reports insecure on an address without TLS', async ({ engine }) => {
    const phone = await engine.openPage(await engine.context());
    await phone.page.goto(engine.service.url.replace('127.0.0.1', INSECURE_HOST));
    await phone.page.waitForFunction('window.driver !== undefined');
    expect(await phone.cameraProblem()).toBe('insecure');
  });
});
