import { describe, expect } from 'vitest';
import { type Engine, test } from './engine-fixture.ts';
import type { FakeIntro } from './tus-service.ts';

const RECORDED_MS = 3_000;
/** The last piece of the file is too large to arrive at once. */
const CUT_AFTER_BYTES = 65_000;
const TRIM = { startMs: 400, endMs: 2_000 };
const HEADER = 'start_ms=400, end_ms=2000';

const encoded = (text: string): string => `:${Buffer.from(text).toString('base64')}:`;
const captionsSent = (intro: FakeIntro) =>
  intro.seen.filter(({ length }) => length !== null).map(({ captions }) => captions);
const trimsSent = (intro: FakeIntro) => intro.seen.filter(({ length }) => length !== null).map(({ trim }) => trim);

async function recordTake(engine: Engine) {
  const { intro, phone } = await engine.openPhone();
  const takeId = await phone.start();
  await phone.page.waitForTimeout(RECORDED_MS);
  return { intro, phone, takeId, take: await phone.stop() };
}

/** Sends a file with a trim, whose last piece breaks off after its length and trim arrived. */
async function sendFile(engine: Engine, ...faults: FakeIntro['faults']) {
  const { intro, phone, takeId } = await engine.openWithFile();
  await phone.edit(takeId, { trim: TRIM });
  // The upload begins after Send was tapped. Otherwise a small rest could be its last piece, and arrive at once.
  intro.faults = Array.from({ length: 50 }, () => ({ method: 'POST', status: 503 }));
  await phone.resume(takeId);
  const sent = phone.send();
  await phone.progress();
  intro.faults = [{ method: 'PATCH', last: true, cutAfter: CUT_AFTER_BYTES }, ...faults];
  return { intro, phone, takeId, sent };
}

describe('the trim of a take', () => {
  test('comes with its loudness, survives a closed tab, and is sent once, with the length', async ({ engine }) => {
    const { intro, phone, takeId, take } = await recordTake(engine);
    expect(take.levels.length).toBe(Math.ceil(take.durationMs / 100));
    expect(Math.max(...take.levels)).toBeGreaterThan(30);
    await phone.edit(takeId, { trim: { startMs: 0, endMs: 1_500 } });
    await phone.edit(takeId, { trim: TRIM, captions: 'Hola, ¿qué tal?' });
    await phone.settled();
    await phone.page.close();

    const { phone: later } = await engine.openLink(intro, phone.context);
    expect(await later.kept()).toMatchObject({
      id: takeId,
      trim: TRIM,
      captions: 'Hola, ¿qué tal?',
      levels: take.levels,
    });
    await later.resume(takeId);
    expect(await later.send()).toBeNull();
    expect(trimsSent(intro)).toEqual([HEADER]);
    expect(captionsSent(intro)).toEqual([encoded('Hola, ¿qué tal?')]);
  });

  test.concurrent.for([
    ['is reset', { trim: null }, null, null],
    ['is changed', { trim: { startMs: 0, endMs: 1_500 } }, 'start_ms=0, end_ms=1500', null],
    ['is kept with other captions', { captions: 'Hi.' }, HEADER, encoded('Hi.')],
  ] as const)(
    'that %s after it was sent starts the upload again, because the length is accepted once',
    async ([, edits, header, captions], { engine, expect }) => {
      // The page is closed before it learns how much the server has.
      const isSilent = Array.from({ length: 50 }, () => ({ method: 'HEAD', status: 503 }));
      const { intro, phone, takeId, sent } = await sendFile(engine, ...isSilent);
      sent.catch(() => undefined);
      await expect.poll(() => trimsSent(intro)).toEqual([HEADER]);
      await phone.page.close();
      intro.faults = [];

      const { phone: later } = await engine.openLink(intro, phone.context);
      expect(await later.kept()).toMatchObject({ id: takeId, trim: TRIM });
      await later.edit(takeId, edits);
      await later.resume(takeId);
      expect(await later.send()).toBeNull();
      expect(trimsSent(intro)).toEqual([HEADER, header]);
      expect(captionsSent(intro)).toEqual([null, captions]);
      expect(intro.uploads).toMatchObject([
        { complete: false },
        { complete: true, digest: await later.digest(takeId) },
      ]);
    },
  );

  test.concurrent('that was sent before the connection broke is not sent again', async ({ engine }) => {
    const { intro, phone, takeId, sent } = await sendFile(engine);
    expect(await sent).toBeNull();
    expect(trimsSent(intro)).toEqual([HEADER]);
    expect(intro.uploads).toMatchObject([{ complete: true, digest: await phone.digest(takeId) }]);
  });
});
