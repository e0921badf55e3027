import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { INSECURE_HOST, Studio } from './studio.ts';

let studio: Studio;

beforeAll(async () => {
  studio = await Studio.open();
});

afterAll(async () => {
  await studio?.close();
});

describe('the camera', () => {
  test('opens upright at 720x1280 with sound', async () => {
    const stage = await studio.stage(await studio.context());
    expect(await stage.openCamera()).toMatchObject({ width: 720, height: 1_280, hasSound: true, canFlip: false });
  });

  test('changes to the other one within the same stream, so that the page need not notice', async () => {
    const stage = await studio.stage(await studio.context({ cameras: 2 }));
    expect(await stage.openCamera()).toMatchObject({ canFlip: true });
    expect(await stage.flip()).toEqual({ facing: 'environment', liveTracks: ['audio', 'video'], sameStream: true });
    expect(await stage.flip()).toEqual({ facing: 'user', liveTracks: ['audio', 'video'], sameStream: true });

    await stage.flip();
    await stage.openSpool(studio.service.intro().api);
    await stage.start({ upload: false });
    await stage.page.waitForTimeout(2_500);
    expect((await stage.stop()).bytes).toBeGreaterThan(0);
    expect(await stage.play()).toMatchObject({ playedTo: expect.any(Number) });
  });

  test('tells once that it was taken away', async () => {
    const stage = await studio.stage(await studio.context());
    await stage.openCamera();
    expect(await stage.loseCamera()).toBe(1);
  });

  test('says denied when the member says no', async () => {
    const stage = await studio.stage(await studio.context({ asks: true }));
    expect(await stage.cameraProblem()).toBe('denied');
  });

  test('says none when there is no camera', async () => {
    const context = await studio.context({ cameras: 0 });
    await context.grantPermissions(['camera', 'microphone']);
    expect(await (await studio.stage(context)).cameraProblem()).toBe('none');
  });

  test('says unsupported when the browser has no such thing', async () => {
    const without = "Object.defineProperty(navigator, 'mediaDevices', { value: undefined })";
    const stage = await studio.stage(await studio.context(), without);
    expect(await stage.cameraProblem()).toBe('unsupported');
  });

  test('says insecure on an address without TLS', async () => {
    const stage = await studio.stage(await studio.context());
    await stage.page.goto(studio.service.url.replace('127.0.0.1', INSECURE_HOST));
    await stage.page.waitForFunction('window.driver !== undefined');
    expect(await stage.cameraProblem()).toBe('insecure');
  });
});
