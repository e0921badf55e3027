import { describe, expect, test } from 'vitest';
import { forFile } from '../../../server/test/harness/for-file.ts';
import { EngineFixture, INSECURE_HOST } from './engine-fixture.ts';

const fixture = await forFile(EngineFixture.open());

describe('the camera', () => {
  test('opens in portrait at 720x1280 with sound', async () => {
    const phone = await fixture.openPage(await fixture.context());
    expect(await phone.openCamera()).toMatchObject({ width: 720, height: 1_280, hasSound: true, canFlip: false });
  });

  test('switches cameras within the same stream', async () => {
    const phone = await fixture.openPage(await fixture.context({ cameras: 2 }));
    expect(await phone.openCamera()).toMatchObject({ canFlip: true });
    expect(await phone.flip()).toEqual({ facing: 'environment', liveTracks: ['audio', 'video'], sameStream: true });
    expect(await phone.flip()).toEqual({ facing: 'user', liveTracks: ['audio', 'video'], sameStream: true });

    await phone.flip();
    await phone.openSpool(fixture.service.intro().api);
    await phone.start({ upload: false });
    await phone.page.waitForTimeout(2_500);
    expect((await phone.stop()).bytes).toBeGreaterThan(0);
    expect(await phone.play()).toMatchObject({ playedTo: expect.any(Number) });
  });

  test('reports once that it was lost', async () => {
    const phone = await fixture.openPage(await fixture.context());
    await phone.openCamera();
    expect(await phone.loseCamera()).toBe(1);
  });

  test('reports denied when the member refuses permission', async () => {
    const phone = await fixture.openPage(await fixture.context({ refuses: true }));
    expect(await phone.cameraProblem()).toBe('denied');
  });

  test('reports none when there is no camera', async () => {
    const context = await fixture.context({ cameras: 0 });
    await context.grantPermissions(['camera', 'microphone']);
    expect(await (await fixture.openPage(context)).cameraProblem()).toBe('none');
  });

  test('reports unsupported when the browser has no camera API', async () => {
    const without = "Object.defineProperty(navigator, 'mediaDevices', { value: undefined })";
    const phone = await fixture.openPage(await fixture.context(), without);
    expect(await phone.cameraProblem()).toBe('unsupported');
  });

  test('reports insecure on an address without TLS', async () => {
    const phone = await fixture.openPage(await fixture.context());
    await phone.page.goto(fixture.service.url.replace('127.0.0.1', INSECURE_HOST));
    await phone.page.waitForFunction('window.driver !== undefined');
    expect(await phone.cameraProblem()).toBe('insecure');
  });
});
