import { describe, expect } from 'vitest';
import { INSECURE_HOST, test } from './engine-fixture.ts';

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
