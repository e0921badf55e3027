import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Stage, Studio } from './studio.ts';
import type { FakeIntro } from './tus-service.ts';

const RECORDED_MS = 4_000;
const FILE_BYTES = 2_000_000;
const PIECE_BYTES = 524_288;
/** On a machine that does other things as well. */
const SOON = { timeout: 15_000 };

let studio: Studio;

beforeAll(async () => {
  studio = await Studio.open();
});

afterAll(async () => {
  await studio?.close();
});

/** A take without the wait for a recording. */
async function setWithFile(
  faults: FakeIntro['faults'] = [],
): Promise<{ intro: FakeIntro; stage: Stage; takeId: string }> {
  const intro = studio.service.intro();
  intro.faults = faults;
  const stage = await studio.stage(await studio.context());
  await stage.openSpool(intro.api);
  const picked = await stage.pick({ name: 'a.mp4', type: 'video/mp4', bytes: FILE_BYTES, maxBytes: FILE_BYTES });
  if ('problem' in picked) throw new Error(picked.problem);
  return { intro, stage, takeId: picked.id };
}

async function expectWhole(intro: FakeIntro, stage: Stage, takeId: string): Promise<void> {
  expect(intro.uploads.filter(({ handedIn }) => handedIn)).toEqual([
    expect.objectContaining({ handedIn: true, digest: await stage.digest(takeId) }),
  ]);
}

/** The same for each seed. */
function mixFaults(seed: number): FakeIntro['faults'] {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return Array.from({ length: 8 }, () => {
    const kinds: FakeIntro['faults'] = [
      { method: 'PATCH', cutAfter: below(150_000) },
      { method: 'PATCH', loseAnswer: true },
      { method: 'PATCH', status: 409 },
      { method: 'PATCH', status: 423 },
      { method: 'PATCH', status: 500 },
      { method: 'HEAD', status: 503 },
      { method: 'HEAD', loseAnswer: true },
      { method: 'POST', status: 502 },
    ];
    return kinds[below(kinds.length)] ?? { method: 'PATCH', status: 500 };
  });
}

const bodyBytes = (intro: FakeIntro): number => intro.seen.reduce((sum, { bodyBytes: bytes }) => sum + bytes, 0);

describe('an upload', () => {
  test('leaves while recording, so that little is left after the end, and is handed in by Send alone', async () => {
    const { intro, stage } = await studio.set();
    const takeId = await stage.start();
    await stage.page.waitForTimeout(RECORDED_MS);
    const sentWhileRecording = intro.uploads[0]?.bytes ?? 0;
    const take = await stage.stop();
    expect(sentWhileRecording).toBeGreaterThan(0);
    // At most what one and a half seconds weigh: a chunk ends at each key frame, once a second.
    expect(take.bytes - sentWhileRecording).toBeLessThan((take.bytes / take.durationMs) * 1_500 + 1_024);

    await stage.page.waitForTimeout(1_000);
    expect(intro.uploads).toMatchObject([{ handedIn: false }]);
    expect(take.bytes - (intro.uploads[0]?.bytes ?? 0)).toBeLessThanOrEqual(1_024);

    expect(await stage.send()).toBeNull();
    await expectWhole(intro, stage, takeId);
    expect(bodyBytes(intro)).toBe(take.bytes);
    expect((await stage.progress()).at(-1)).toEqual({ state: 'done', sentBytes: take.bytes, totalBytes: take.bytes });
    await stage.context.close();
  });

  test('speaks tus 1.0: names the container, defers the length, sends small pieces, tells the length once', async () => {
    const { intro, stage, takeId } = await setWithFile();
    await stage.resume(takeId);
    expect(await stage.send()).toBeNull();
    await expectWhole(intro, stage, takeId);
    const [created, ...pieces] = intro.seen;
    expect(created).toMatchObject({ method: 'POST', metadata: `filetype ${btoa('video/mp4')}` });
    expect(Math.max(...pieces.map((piece) => piece.bodyBytes))).toBeLessThanOrEqual(PIECE_BYTES);
    expect(pieces.map(({ length }) => length).filter((length) => length !== null)).toEqual([`${FILE_BYTES}`]);
    await stage.context.close();
  });

  test('goes on by itself when the signal was lost during the recording', async () => {
    const { intro, stage } = await studio.set();
    const takeId = await stage.start();
    await stage.page.waitForTimeout(2_000);
    await stage.context.setOffline(true);
    await stage.page.waitForTimeout(2_500);
    await stage.stop();
    expect((await stage.progress()).at(-1)?.state).toBe('waiting_for_signal');
    await stage.context.setOffline(false);
    expect(await stage.send()).toBeNull();
    await expectWhole(intro, stage, takeId);
    await stage.context.close();
  });

  test('sends no byte twice that the server kept when a connection broke', async () => {
    const { intro, stage, takeId } = await setWithFile([
      { method: 'PATCH', cutAfter: 100_000 },
      { method: 'PATCH', cutAfter: 50_000 },
    ]);
    await stage.resume(takeId);
    expect(await stage.send()).toBeNull();
    await expectWhole(intro, stage, takeId);
    const offsets = intro.seen.flatMap(({ offset }) => (offset === null ? [] : [Number(offset)]));
    expect(new Set(offsets).size).toBe(offsets.length);
    expect(intro.seen.filter(({ method }) => method === 'HEAD')).toHaveLength(2);
    expect(intro.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
    await stage.context.close();
  });

  test('is whole when the last piece broke after its length was told', async () => {
    const { intro, stage, takeId } = await setWithFile([{ method: 'PATCH', last: true, cutAfter: 65_000 }]);
    await stage.resume(takeId);
    expect(await stage.send()).toBeNull();
    await expectWhole(intro, stage, takeId);
    await stage.context.close();
  });

  test('is not sent again when only the last answer was lost', async () => {
    const { intro, stage, takeId } = await setWithFile([{ method: 'PATCH', last: true, loseAnswer: true }]);
    await stage.resume(takeId);
    expect(await stage.send()).toBeNull();
    await expectWhole(intro, stage, takeId);
    expect(bodyBytes(intro)).toBe(FILE_BYTES);
    await stage.context.close();
  });

  test.each([
    ['a wrong offset', [{ method: 'PATCH', status: 409 }]],
    [
      'a connection that still holds the upload',
      [
        { method: 'PATCH', status: 423 },
        { method: 'PATCH', status: 423 },
      ],
    ],
    [
      'a server that is restarted',
      [
        { method: 'POST', status: 502 },
        { method: 'PATCH', status: 503 },
        { method: 'HEAD', status: 500 },
      ],
    ],
    [
      'a page to sign in to a network',
      [
        { method: 'POST', status: 200 },
        { method: 'PATCH', status: 200 },
        { method: 'HEAD', status: 200 },
      ],
    ],
    ['too many requests', [{ method: 'PATCH', status: 429, retryAfter: 1 }]],
    ['an answer to the first request that was lost', [{ method: 'POST', loseAnswer: true as const }]],
  ])('gets over %s', async (_, faults) => {
    const { intro, stage, takeId } = await setWithFile(faults);
    await stage.resume(takeId);
    expect(await stage.send()).toBeNull();
    await expectWhole(intro, stage, takeId);
    expect(intro.faults).toEqual([]);
    await stage.context.close();
  });

  test.each([1, 2, 3])('is whole and handed in once after any mixture of faults (%i)', async (seed) => {
    const { intro, stage, takeId } = await setWithFile(mixFaults(seed));
    // The browser tells that the network is back, as it does on the road; the pauses between tries would take a minute.
    await stage.page.evaluate(`setInterval(() => window.dispatchEvent(new Event('online')), 300)`);
    await stage.resume(takeId);
    expect(await stage.send()).toBeNull();
    await expectWhole(intro, stage, takeId);
    await stage.context.close();
  });

  test('begins anew when the server has forgotten it', async () => {
    const { intro, stage, takeId } = await setWithFile();
    await stage.resume(takeId);
    await expect.poll(async () => (await stage.progress()).at(-1)?.sentBytes, SOON).toBe(FILE_BYTES - 1_024);
    intro.lose();
    expect(await stage.send()).toBeNull();
    await expectWhole(intro, stage, takeId);
    await stage.context.close();
  });

  test('is done when the server has cleared it away after taking it all', async () => {
    const { intro, stage, takeId } = await setWithFile([
      { method: 'PATCH', last: true, loseAnswer: true },
      { method: 'HEAD', status: 404 },
    ]);
    await stage.resume(takeId);
    expect(await stage.send()).toBeNull();
    expect(intro.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
    await stage.context.close();
  });

  test.each([
    ['a video that is too large', { method: 'PATCH', status: 413 }, /too large/],
    ['a kind of video that the server does not take', { method: 'POST', status: 415 }, /cannot be taken/],
    ['more takes than a day may have', { method: 'POST', status: 429 }, /the most takes/],
    ['an intro that has gone out', { method: 'POST', status: 410, body: { closed: 'sent' } }, /gone out already/],
    [
      'what the server explains',
      { method: 'PATCH', status: 422, body: { error: { message: 'No picture in it.' } } },
      /^No picture in it\.$/,
    ],
  ])('fails in words for %s, and the take stays', async (_, fault, words) => {
    const { stage, takeId } = await setWithFile([fault]);
    await stage.resume(takeId);
    expect(await stage.send()).toEqual({ message: expect.stringMatching(words), closed: null });
    expect((await stage.progress()).at(-1)?.state).toBe('failed');
    expect(await stage.digest(takeId)).toMatch(/^[0-9a-f]{64}$/);
    await stage.context.close();
  });

  test('says that the intro is closed when it was cancelled while recording', async () => {
    const { intro, stage } = await studio.set();
    await stage.start();
    await stage.page.waitForTimeout(1_500);
    intro.closed = 'cancelled';
    await expect.poll(async () => (await stage.progress()).at(-1)?.state, SOON).toBe('closed');
    await stage.stop();
    expect(await stage.send()).toMatchObject({ closed: 'cancelled' });
    await stage.context.close();
  });

  test('says that the intro is closed when that shows only by a question without an answer body', async () => {
    const { intro, stage, takeId } = await setWithFile([{ method: 'PATCH', cutAfter: 1_000 }]);
    await stage.resume(takeId);
    await expect
      .poll(async () => (await stage.progress()).some(({ state }) => state === 'waiting_for_signal'), SOON)
      .toBe(true);
    intro.closed = 'expired';
    expect(await stage.send()).toMatchObject({ closed: 'expired' });
    await stage.context.close();
  });

  test('that is given up for a retake leaves nothing on the server, and the next one arrives', async () => {
    const { intro, stage } = await studio.set();
    const first = await stage.start();
    await stage.page.waitForTimeout(2_500);
    await stage.stop();
    await stage.abortUpload();
    expect(intro.uploads).toEqual([]);
    expect(await stage.digest(first)).toMatch(/^[0-9a-f]{64}$/);
    await stage.forget(first);
    const second = await stage.start();
    await stage.page.waitForTimeout(2_500);
    await stage.stop();
    expect(await stage.send()).toBeNull();
    await expectWhole(intro, stage, second);
    await stage.context.close();
  });

  test('given up without signal ends at once', async () => {
    const { stage, takeId } = await setWithFile([{ method: 'PATCH', cutAfter: 1_000 }]);
    await stage.resume(takeId);
    await stage.context.setOffline(true);
    await expect.poll(async () => (await stage.progress()).at(-1)?.state, SOON).toBe('waiting_for_signal');
    await stage.abortUpload();
    expect((await stage.progress()).at(-1)?.state).toBe('aborted');
    await stage.context.close();
  });

  test('tells how far it is within a piece on a slow line', async () => {
    const { stage, takeId } = await setWithFile();
    const devtools = await stage.context.newCDPSession(stage.page);
    const line = { offline: false, latency: 20, downloadThroughput: -1, uploadThroughput: 400_000 };
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', line);
    await stage.resume(takeId);
    expect(await stage.send()).toBeNull();
    const sent = (await stage.progress()).map(({ sentBytes }) => sentBytes);
    expect(sent).toEqual([...sent].sort((a, b) => a - b));
    expect(new Set(sent).size).toBeGreaterThan(2 * (FILE_BYTES / PIECE_BYTES));
    await stage.context.close();
  });
});
