import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Studio } from './studio.ts';

const RECORDED_MS = 4_000;
const WITHOUT_DATABASE = "Object.defineProperty(window, 'indexedDB', { value: undefined })";
const SILENT_DATABASE = 'IDBFactory.prototype.open = () => ({})';
const PICK = { name: 'a.mp4', type: 'video/mp4', bytes: 2_500_000, maxBytes: 3_000_000 };

let studio: Studio;

beforeAll(async () => {
  studio = await Studio.open();
});

afterAll(async () => {
  await studio?.close();
});

describe('a tab that is closed', () => {
  test.each([
    ['closed', (_devtools: unknown, close: () => Promise<void>) => close()],
    [
      'killed',
      async (devtools: { send(method: 'Page.crash'): Promise<unknown> }) => {
        // It never answers: the page is gone.
        void devtools.send('Page.crash').catch(() => undefined);
      },
    ],
  ])('while recording (%s) leaves all that was recorded, to be sent by the next', async (_, end) => {
    const { intro, stage } = await studio.set();
    const takeId = await stage.start();
    await stage.page.waitForTimeout(RECORDED_MS);
    await end(await stage.context.newCDPSession(stage.page), () => stage.page.close());

    const later = await studio.stage(stage.context);
    await later.openSpool(intro.api);
    const kept = await later.kept();
    expect(kept).toMatchObject({ id: takeId, complete: false });
    expect(kept?.durationMs).toBeGreaterThan(RECORDED_MS - 1_700);
    expect(await later.play()).toMatchObject({ width: 720, height: 1_280 });
    await later.resume(takeId);
    expect(await later.send()).toBeNull();
    expect(intro.uploads).toMatchObject([{ handedIn: true, digest: await later.digest(takeId) }]);
    await stage.context.close();
  });

  test('after the recording sends only what the server does not have yet', async () => {
    const { intro, stage } = await studio.set();
    const takeId = await stage.start();
    await stage.page.waitForTimeout(RECORDED_MS);
    intro.faults = Array.from({ length: 50 }, () => ({ method: 'PATCH', status: 503 }));
    const take = await stage.stop();
    const digest = await stage.digest(takeId);
    await stage.settled();
    await stage.page.close();
    intro.faults = [];

    const before = intro.seen.length;
    const there = intro.uploads[0]?.bytes ?? 0;
    const later = await studio.stage(stage.context);
    await later.openSpool(intro.api);
    expect(await later.kept()).toMatchObject({
      id: takeId,
      complete: true,
      bytes: take.bytes,
      findings: take.findings,
    });
    await later.resume(takeId);
    expect(await later.send()).toBeNull();
    expect(intro.uploads).toMatchObject([{ handedIn: true, digest }]);
    const sentLater = intro.seen.slice(before).reduce((sum, { bodyBytes }) => sum + bodyBytes, 0);
    expect(there).toBeGreaterThan(0);
    expect(sentLater).toBe(take.bytes - there);
    await stage.context.close();
  });
});

describe('the spool', () => {
  test('offers nothing once the server has the take', async () => {
    const intro = studio.service.intro();
    const stage = await studio.stage(await studio.context());
    await stage.openSpool(intro.api);
    const picked = await stage.pick(PICK);
    if ('problem' in picked) throw new Error(picked.problem);
    await stage.settled();
    await stage.forget(picked.id);
    await stage.page.close();
    const later = await studio.stage(stage.context);
    await later.openSpool(intro.api);
    expect(await later.kept()).toBeNull();
    await stage.context.close();
  });

  test('offers the last take alone, and to its own link alone', async () => {
    const intro = studio.service.intro();
    const stage = await studio.stage(await studio.context());
    await stage.openSpool(intro.api);
    await stage.pick(PICK);
    const second = await stage.pick({ ...PICK, bytes: 1_000_000 });
    await stage.settled();
    await stage.page.close();
    const stranger = await studio.stage(stage.context);
    await stranger.openSpool(studio.service.intro().api);
    expect(await stranger.kept()).toBeNull();
    const later = await studio.stage(stage.context);
    await later.openSpool(intro.api);
    expect(await later.kept()).toEqual(second);
    await stage.context.close();
  });

  test('leaves a take to the tab that is recording it', async () => {
    const { intro, stage } = await studio.set();
    await stage.start({ upload: false });
    await stage.page.waitForTimeout(2_500);
    const other = await studio.stage(stage.context);
    await other.openSpool(intro.api);
    expect(await other.kept()).toBeNull();
    expect((await stage.stop()).bytes).toBeGreaterThan(0);
    await stage.context.close();
  });

  test('throws away what is two weeks old', async () => {
    const intro = studio.service.intro();
    const stage = await studio.stage(await studio.context());
    await stage.openSpool(intro.api);
    await stage.pick(PICK);
    await stage.settled();
    await stage.page.close();
    const later = await studio.stage(stage.context);
    await later.page.evaluate(`new Promise((resolve, reject) => {
      const opening = indexedDB.open('foreword-recorder');
      opening.onsuccess = () => {
        const takes = opening.result.transaction('takes', 'readwrite').objectStore('takes');
        takes.openCursor().onsuccess = ({ target: { result: cursor } }) => {
          cursor.update({ ...cursor.value, createdAtMs: cursor.value.createdAtMs - 15 * 86400000 }).onsuccess = resolve;
        };
      };
      opening.onerror = reject;
    })`);
    await later.openSpool(intro.api);
    expect(await later.kept()).toBeNull();
    await stage.context.close();
  });

  test.each([
    ['has no database', WITHOUT_DATABASE],
    ['has a database that never answers', SILENT_DATABASE],
  ])('records and sends in a browser that %s, and says that nothing is kept', async (_, init) => {
    const { intro, stage } = await studio.set({}, init);
    expect(await stage.durable()).toBe(false);
    const takeId = await stage.start();
    await stage.page.waitForTimeout(RECORDED_MS);
    await stage.stop();
    expect(await stage.send()).toBeNull();
    expect(intro.uploads).toMatchObject([{ handedIn: true, digest: await stage.digest(takeId) }]);
    await stage.context.close();
  });

  test('records and sends on when the disk is full, and says that nothing more is kept', async () => {
    const { intro, stage } = await studio.set();
    const devtools = await stage.context.newCDPSession(stage.page);
    await devtools.send('Storage.overrideQuotaForOrigin', { origin: studio.service.url, quotaSize: 200_000 });
    const takeId = await stage.start();
    expect(await stage.durable()).toBe(true);
    await stage.page.waitForTimeout(RECORDED_MS);
    await stage.stop();
    await stage.settled();
    expect(await stage.durable()).toBe(false);
    expect(await stage.send()).toBeNull();
    expect(intro.uploads).toMatchObject([{ handedIn: true, digest: await stage.digest(takeId) }]);
    await stage.context.close();
  });
});

describe('a picked file', () => {
  test.each([
    ['that is no video', { ...PICK, name: 'a.pdf', type: 'application/pdf' }, 'not_a_video'],
    ['that is larger than the server takes', { ...PICK, maxBytes: 2_000_000 }, 'too_large'],
    ['that holds nothing', { ...PICK, bytes: 0 }, 'empty'],
  ])('%s is refused before anything is sent or kept', async (_, file, problem) => {
    const intro = studio.service.intro();
    const stage = await studio.stage(await studio.context());
    await stage.openSpool(intro.api);
    expect(await stage.pick(file)).toEqual({ problem });
    expect(await stage.kept()).toBeNull();
    await stage.context.close();
  });

  test('is known by its ending when the phone names no type', async () => {
    const stage = await studio.stage(await studio.context());
    await stage.openSpool(studio.service.intro().api);
    expect(await stage.pick({ ...PICK, name: 'IMG_1.MOV', type: '' })).toMatchObject({ type: 'video/quicktime' });
    await stage.context.close();
  });
});
