import { describe, expect } from 'vitest';
import { test } from './engine-fixture.ts';

const RECORDED_MS = 4_000;
const WITHOUT_DATABASE = "Object.defineProperty(window, 'indexedDB', { value: undefined })";
const SILENT_DATABASE = `{
  const { open } = IDBFactory.prototype;
  IDBFactory.prototype.open = function (...args) {
    return Object.assign(open.apply(this, args), { addEventListener: () => undefined });
  };
}`;
const PICK = { name: 'a.mp4', type: 'video/mp4', bytes: 2_500_000, maxBytes: 3_000_000 };

describe('a tab that is closed', () => {
  test.for([
    ['closed', (_devtools: unknown, close: () => Promise<void>) => close()],
    [
      'killed',
      async (devtools: { send(method: 'Page.crash'): Promise<unknown> }) => {
        // Never resolves: the page is gone.
        void devtools.send('Page.crash').catch(() => undefined);
      },
    ],
  ] as const)(
    'while recording (%s) keeps everything recorded, and the next tab sends it',
    async ([, end], { engine }) => {
      const { intro, phone } = await engine.openPhone();
      const takeId = await phone.start();
      await phone.page.waitForTimeout(RECORDED_MS);
      await end(await phone.context.newCDPSession(phone.page), () => phone.page.close());

      const { phone: later } = await engine.openLink(intro, phone.context);
      const kept = await later.kept();
      expect(kept).toMatchObject({ id: takeId, complete: false });
      // Also once it was edited, and the page is opened again.
      await later.edit(takeId, { captions: '' });
      await later.settled();
      expect(kept?.durationMs).toBeGreaterThan(1_000);
      expect(await later.play()).toMatchObject({ width: 720, height: 1_280 });
      await later.resume(takeId);
      expect(await later.send()).toBeNull();
      expect(intro.uploads).toMatchObject([{ complete: true, digest: await later.digest(takeId) }]);
    },
  );

  test('after the recording sends only what the server does not have', async ({ engine }) => {
    const { intro, phone } = await engine.openPhone();
    const takeId = await phone.start();
    await phone.page.waitForTimeout(RECORDED_MS);
    intro.faults = Array.from({ length: 50 }, () => ({ method: 'PATCH', status: 503 }));
    const take = await phone.stop();
    const digest = await phone.digest(takeId);
    await phone.settled();
    await phone.page.close();
    intro.faults = [];

    const before = intro.seen.length;
    const uploaded = intro.uploads[0]?.bytes ?? 0;
    const { phone: later } = await engine.openLink(intro, phone.context);
    expect(await later.kept()).toMatchObject({
      id: takeId,
      complete: true,
      bytes: take.bytes,
      findings: take.findings,
    });
    await later.resume(takeId);
    expect(await later.send()).toBeNull();
    expect(intro.uploads).toMatchObject([{ complete: true, digest }]);
    const sentLater = intro.seen.slice(before).reduce((sum, { bodyBytes }) => sum + bodyBytes, 0);
    expect(uploaded).toBeGreaterThan(0);
    expect(sentLater).toBe(take.bytes - uploaded);
  });
});

describe('the spool', () => {
  test('offers nothing once the server has the take', async ({ engine }) => {
    const { intro, phone } = await engine.openLink();
    const picked = await phone.pick(PICK);
    if ('problem' in picked) throw new Error(picked.problem);
    await phone.settled();
    await phone.forget(picked.id);
    await phone.page.close();
    const { phone: later } = await engine.openLink(intro, phone.context);
    expect(await later.kept()).toBeNull();
  });

  test('offers only the last take, and only to its own link', async ({ engine }) => {
    const { intro, phone } = await engine.openLink();
    await phone.pick(PICK);
    const second = await phone.pick({ ...PICK, bytes: 1_000_000 });
    await phone.settled();
    await phone.page.close();
    const { phone: stranger } = await engine.openLink(engine.service.intro(), phone.context);
    expect(await stranger.kept()).toBeNull();
    const { phone: later } = await engine.openLink(intro, phone.context);
    expect(await later.kept()).toEqual(second);
  });

  test('leaves a take to the tab that is recording it', async ({ engine }) => {
    const { intro, phone } = await engine.openPhone();
    await phone.start({ upload: false });
    await phone.page.waitForTimeout(2_500);
    const { phone: other } = await engine.openLink(intro, phone.context);
    expect(await other.kept()).toBeNull();
    expect((await phone.stop()).bytes).toBeGreaterThan(0);
  });

  test('deletes takes after two weeks', async ({ engine }) => {
    const { intro, phone } = await engine.openLink();
    await phone.pick(PICK);
    await phone.settled();
    await phone.page.close();
    const later = await engine.openPage(phone.context);
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
  });

  test.for([
    ['has no database', WITHOUT_DATABASE],
    ['has a database that never responds', SILENT_DATABASE],
  ])('records and sends in a browser that %s, and reports that it stores nothing', async ([, init], { engine }) => {
    const { intro, phone } = await engine.openPhone({}, init);
    expect(await phone.durable()).toBe(false);
    const takeId = await phone.start();
    await phone.page.waitForTimeout(RECORDED_MS);
    await phone.stop();
    expect(await phone.send()).toBeNull();
    expect(intro.uploads).toMatchObject([{ complete: true, digest: await phone.digest(takeId) }]);
  });

  test('keeps recording and sending when the disk is full, and reports that it stores nothing more', async ({
    engine,
  }) => {
    const { intro, phone } = await engine.openPhone();
    const devtools = await phone.context.newCDPSession(phone.page);
    await devtools.send('Storage.overrideQuotaForOrigin', { origin: engine.service.url, quotaSize: 200_000 });
    const takeId = await phone.start();
    expect(await phone.durable()).toBe(true);
    await phone.page.waitForTimeout(RECORDED_MS);
    await phone.stop();
    await phone.settled();
    expect(await phone.durable()).toBe(false);
    expect(await phone.send()).toBeNull();
    expect(intro.uploads).toMatchObject([{ complete: true, digest: await phone.digest(takeId) }]);
  });
});

describe.concurrent('a picked file', () => {
  test.for([
    ['that is not a video', { ...PICK, name: 'a.pdf', type: 'application/pdf', start: '%PDF-1.7' }, 'not_a_video'],
    ['that is larger than the server accepts', { ...PICK, maxBytes: 2_000_000 }, 'too_large'],
    ['that is a picture of an iPhone', { ...PICK, name: 'a.heic', type: 'image/heic' }, 'not_a_video'],
    ['that is empty', { ...PICK, bytes: 0 }, 'not_a_video'],
    [
      'that is a picture with the name and the type of a video',
      { ...PICK, start: '\xff\xd8\xff\xe0 JFIF' },
      'not_a_video',
    ],
  ] as const)('%s is rejected before anything is sent or stored', async ([, file, problem], { engine }) => {
    const { phone } = await engine.openLink();
    expect(await phone.pick(file)).toEqual({ problem });
    expect(await phone.kept()).toBeNull();
  });

  test('is recognized by its content when the phone reports no type', async ({ engine }) => {
    const { phone } = await engine.openLink();
    expect(await phone.pick({ ...PICK, name: 'IMG_1', type: '' })).toMatchObject({ type: 'video/mp4' });
  });
});
