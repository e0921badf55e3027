import { describe, expect } from 'vitest';
import { type Engine, type EnginePage, FILE_BYTES, test } from './engine-fixture.ts';
import { type FakeIntro, mixFaults } from './tus-service.ts';

const RECORDED_MS = 4_000;
const PIECE_BYTES = 524_288;

async function expectWhole(intro: FakeIntro, phone: EnginePage, takeId: string): Promise<void> {
  expect(intro.uploads.filter(({ complete }) => complete)).toEqual([
    expect.objectContaining({ complete: true, digest: await phone.digest(takeId) }),
  ]);
}

/** Sends a take from a file, which arrives whole in spite of these faults. */
async function sendFile(engine: Engine, faults?: FakeIntro['faults']) {
  const { intro, phone, takeId } = await engine.openWithFile(faults);
  await phone.resume(takeId);
  expect(await phone.send()).toBeNull();
  await expectWhole(intro, phone, takeId);
  return { intro, phone };
}

const bodyBytes = (intro: FakeIntro): number => intro.seen.reduce((sum, { bodyBytes: bytes }) => sum + bytes, 0);

describe('an upload', () => {
  test('runs while recording, so that little remains at the end, and completes only with Send', async ({ engine }) => {
    const { intro, phone } = await engine.openPhone();
    const takeId = await phone.start();
    await expect.poll(() => intro.uploads[0]?.bytes ?? 0).toBeGreaterThan(0);
    await phone.page.waitForTimeout(RECORDED_MS);
    const take = await phone.stop();
    await expect.poll(() => take.bytes - (intro.uploads[0]?.bytes ?? 0)).toBeLessThanOrEqual(1_024);
    expect(intro.uploads).toMatchObject([{ complete: false }]);

    expect(await phone.send()).toBeNull();
    await expectWhole(intro, phone, takeId);
    expect(bodyBytes(intro)).toBe(take.bytes);
    expect((await phone.progress()).at(-1)).toEqual({ state: 'done', sentBytes: take.bytes, totalBytes: take.bytes });
  });

  test('resumes automatically after a loss of signal during the recording', async ({ engine }) => {
    const { intro, phone } = await engine.openPhone();
    const takeId = await phone.start();
    await phone.page.waitForTimeout(2_000);
    await phone.context.setOffline(true);
    await phone.page.waitForTimeout(2_500);
    await phone.stop();
    expect((await phone.progress()).at(-1)?.state).toBe('waiting_for_signal');
    await phone.context.setOffline(false);
    expect(await phone.send()).toBeNull();
    await expectWhole(intro, phone, takeId);
  });

  test('reports that the intro was cancelled while recording', async ({ engine }) => {
    const { intro, phone } = await engine.openPhone();
    await phone.start();
    await phone.page.waitForTimeout(1_500);
    intro.closed = 'cancelled';
    await expect.poll(async () => (await phone.progress()).at(-1)?.state).toBe('closed');
    await phone.stop();
    expect(await phone.send()).toMatchObject({ closed: 'cancelled' });
  });

  test('that is aborted for a retake leaves nothing on the server, and the next one arrives', async ({ engine }) => {
    const { intro, phone } = await engine.openPhone();
    const first = await phone.start();
    await phone.page.waitForTimeout(2_500);
    await phone.stop();
    await phone.abortUpload();
    expect(intro.uploads).toEqual([]);
    expect(await phone.digest(first)).toMatch(/^[0-9a-f]{64}$/);
    await phone.forget(first);
    const second = await phone.start();
    await phone.page.waitForTimeout(2_500);
    await phone.stop();
    expect(await phone.send()).toBeNull();
    await expectWhole(intro, phone, second);
  });
});

// These mostly wait.
describe.concurrent('an upload of a file', () => {
  test('uses tus 1.0: names the container, defers the length, sends small pieces, sends the length once', async ({
    engine,
  }) => {
    const { intro } = await sendFile(engine);
    const [created, ...pieces] = intro.seen;
    expect(created).toMatchObject({ method: 'POST', metadata: `filetype ${btoa('video/mp4')}` });
    expect(Math.max(...pieces.map((piece) => piece.bodyBytes))).toBeLessThanOrEqual(PIECE_BYTES);
    expect(pieces.map(({ length }) => length).filter((length) => length !== null)).toEqual([`${FILE_BYTES}`]);
  });

  test('sends no byte twice that the server stored before a connection broke', async ({ engine }) => {
    const { intro } = await sendFile(engine, [
      { method: 'PATCH', cutAfter: 100_000 },
      { method: 'PATCH', cutAfter: 50_000 },
    ]);
    const offsets = intro.seen.flatMap(({ offset }) => (offset === null ? [] : [Number(offset)]));
    expect(new Set(offsets).size).toBe(offsets.length);
    expect(intro.seen.filter(({ method }) => method === 'HEAD')).toHaveLength(2);
    expect(intro.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test('is not sent again when only the last response was lost', async ({ engine }) => {
    const { intro } = await sendFile(engine, [{ method: 'PATCH', last: true, loseAnswer: true }]);
    expect(bodyBytes(intro)).toBe(FILE_BYTES);
  });

  test.for<[string, FakeIntro['faults']]>([
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
    ['a last piece that broke after its length was sent', [{ method: 'PATCH', last: true, cutAfter: 65_000 }]],
    ['a lost response to the first request', [{ method: 'POST', loseAnswer: true }]],
  ])('gets over %s', async ([, faults], { engine }) => {
    const { intro } = await sendFile(engine, faults);
    expect(intro.faults).toEqual([]);
  });

  test.for([503, 507])(
    'waits while the server has no space (%i), says so, and sends everything once it has',
    async (status, { engine }) => {
      const body = { error: { code: 'storage_full', message: 'No space is left.' } };
      const full = { status, body, retryAfter: 1 };
      const { phone } = await sendFile(engine, [
        { method: 'POST', ...full },
        { method: 'PATCH', ...full },
      ]);
      const waiting = (await phone.progress()).filter(({ state }) => state === 'waiting_for_signal');
      expect(waiting.length).toBeGreaterThanOrEqual(2);
      expect(waiting.every(({ isServerFull }) => isServerFull === true)).toBe(true);
    },
  );

  test.for([1, 2, 3])('is complete exactly once after any mix of faults (%i)', async (seed, { engine }) => {
    const { intro, phone, takeId } = await engine.openWithFile(mixFaults(seed));
    // The browser reports that the network is back, as on the road; waiting for the retries would take a minute.
    await phone.page.evaluate(`setInterval(() => window.dispatchEvent(new Event('online')), 300)`);
    await phone.resume(takeId);
    expect(await phone.send()).toBeNull();
    await expectWhole(intro, phone, takeId);
  });

  test('restarts when the server no longer knows it', async ({ engine, expect }) => {
    const { intro, phone, takeId } = await engine.openWithFile();
    await phone.resume(takeId);
    await expect.poll(async () => (await phone.progress()).at(-1)?.sentBytes).toBe(FILE_BYTES - 1_024);
    intro.lose();
    expect(await phone.send()).toBeNull();
    await expectWhole(intro, phone, takeId);
  });

  test('is done when the server deleted it after receiving everything', async ({ engine }) => {
    const { intro, phone, takeId } = await engine.openWithFile([
      { method: 'PATCH', last: true, loseAnswer: true },
      { method: 'HEAD', status: 404 },
    ]);
    await phone.resume(takeId);
    expect(await phone.send()).toBeNull();
    expect(intro.seen.filter(({ method }) => method === 'POST')).toHaveLength(1);
  });

  test.for<[string, FakeIntro['faults'][number], string]>([
    ['a video that is too large', { method: 'PATCH', status: 413 }, 'refused'],
    ['more takes than allowed per day', { method: 'POST', status: 429 }, 'daily_limit'],
    ['an intro that was already sent', { method: 'POST', status: 410, body: { closed: 'sent' } }, 'already_sent'],
    ['any other rejection', { method: 'PATCH', status: 422, body: { error: { message: 'No picture.' } } }, 'refused'],
  ])('names the problem with %s, and the take stays', async ([, fault, problem], { engine }) => {
    const { phone, takeId } = await engine.openWithFile([fault]);
    await phone.resume(takeId);
    expect(await phone.send()).toEqual({ problem, closed: null });
    expect((await phone.progress()).at(-1)?.state).toBe('failed');
    expect(await phone.digest(takeId)).toMatch(/^[0-9a-f]{64}$/);
  });

  test('reports that the intro is closed after a HEAD response, which has no body', async ({ engine, expect }) => {
    const { intro, phone, takeId } = await engine.openWithFile([{ method: 'PATCH', cutAfter: 1_000 }]);
    await phone.resume(takeId);
    await expect
      .poll(async () => (await phone.progress()).some(({ state }) => state === 'waiting_for_signal'))
      .toBe(true);
    intro.closed = 'expired';
    expect(await phone.send()).toMatchObject({ closed: 'expired' });
  });

  test('aborted without signal ends at once', async ({ engine, expect }) => {
    const { phone, takeId } = await engine.openWithFile([{ method: 'PATCH', cutAfter: 1_000 }]);
    await phone.resume(takeId);
    await phone.context.setOffline(true);
    await expect.poll(async () => (await phone.progress()).at(-1)?.state).toBe('waiting_for_signal');
    await phone.abortUpload();
    expect((await phone.progress()).at(-1)?.state).toBe('aborted');
  });

  test('reports progress within a piece on a slow connection', async ({ engine }) => {
    const { phone, takeId } = await engine.openWithFile();
    const devtools = await phone.context.newCDPSession(phone.page);
    const line = { offline: false, latency: 20, downloadThroughput: -1, uploadThroughput: 400_000 };
    await devtools.send('Network.enable');
    await devtools.send('Network.emulateNetworkConditions', line);
    await phone.resume(takeId);
    expect(await phone.send()).toBeNull();
    const sent = (await phone.progress()).map(({ sentBytes }) => sentBytes);
    expect(sent).toEqual([...sent].sort((a, b) => a - b));
    expect(new Set(sent).size).toBeGreaterThan(2 * (FILE_BYTES / PIECE_BYTES));
  });
});

test('the state is reported at each change, through a loss of signal, until the intro is closed', async ({
  engine,
}) => {
  const { intro, phone } = await sendFile(engine);
  await phone.watch();
  await expect.poll(() => phone.watched()).toEqual(['checking']);
  intro.recordingStatus = 'processing';
  await expect.poll(() => phone.watched()).toEqual(['checking', 'processing']);
  await phone.context.setOffline(true);
  await expect.poll(() => phone.watched()).toEqual(['checking', 'processing', 'offline']);
  intro.closed = 'cancelled';
  await phone.context.setOffline(false);
  await expect.poll(() => phone.watched()).toEqual(['checking', 'processing', 'offline', 'cancelled']);
  const asked = intro.seen.length;
  await phone.page.waitForTimeout(2_000);
  expect(intro.seen).toHaveLength(asked);
});

const UNKNOWN = { status: 404, body: { error: { code: 'not_found', message: 'This link does not exist.' } } };

describe.concurrent('a 404 from a proxy while the service is being replaced', () => {
  test('lets an upload resume at its offset', async ({ engine }) => {
    const { intro } = await sendFile(engine, [
      { method: 'POST', status: 404 },
      { method: 'PATCH', status: 404 },
      { method: 'HEAD', status: 404 },
    ]);
    expect(intro.uploads).toHaveLength(1);
    expect(intro.faults).toEqual([]);
  });

  test('does not mean that the link is unknown', async ({ engine, expect }) => {
    const { intro, phone } = await engine.openWithFile([{ method: 'GET', status: 404 }]);
    await phone.watch();
    await expect.poll(() => phone.watched()).toEqual(['offline', 'requested']);
    expect(intro.faults).toEqual([]);
  });
});

describe.concurrent('a 404 from the service itself', () => {
  test('ends an upload and names the problem, and the take is kept', async ({ engine }) => {
    const { phone, takeId } = await engine.openWithFile([{ method: 'POST', ...UNKNOWN }]);
    await phone.resume(takeId);
    expect(await phone.send()).toEqual({ problem: 'link_gone', closed: null });
    expect(await phone.digest(takeId)).toMatch(/^[0-9a-f]{64}$/);
  });

  test('reports once that the link is unknown', async ({ engine, expect }) => {
    const { intro, phone } = await engine.openWithFile([{ method: 'GET', ...UNKNOWN }]);
    await phone.watch();
    await expect.poll(() => phone.watched()).toEqual(['unknown']);
    const asked = intro.seen.length;
    await phone.page.waitForTimeout(2_000);
    expect(intro.seen).toHaveLength(asked);
  });
});

describe.concurrent('a 410 of a link that has expired', () => {
  test('lets an upload start again, if only the link that it began with has expired', async ({ engine }) => {
    const body = { closed: 'link_expired' };
    const { intro, phone, takeId } = await engine.openWithFile([{ method: 'PATCH', status: 410, body }]);
    await phone.resume(takeId);
    expect(await phone.send()).toBeNull();
    expect(intro.uploads.map(({ complete }) => complete)).toEqual([false, true]);
  });

  test('ends the upload if it is the present link, and keeps the take', async ({ engine }) => {
    const { intro, phone, takeId } = await engine.openWithFile();
    intro.closed = 'link_expired';
    await phone.resume(takeId);
    expect(await phone.send()).toMatchObject({ closed: 'link_expired' });
    expect(await phone.digest(takeId)).toMatch(/^[0-9a-f]{64}$/);
  });
});
