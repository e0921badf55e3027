import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { previewPage } from '../../src/pages/index.ts';
import { NOW, openPages, type PageFixture, type PageIntro } from './page-fixture.ts';

let fixture: PageFixture;
beforeEach(async () => {
  fixture = await openPages();
});
afterEach(() => fixture?.close());

const FILES = ['poster.jpg', 'card.jpg', 'preview.webp', 'captions.vtt', 'appointment.ics', 'icon.svg'];
const addressesOf = (intro: PageIntro) => [intro.videoPath, ...FILES.map((name) => `${intro.path}/${name}`)];
const ask = (path: string, init: RequestInit = {}) => fetch(fixture.url + path, init);
const DAY_MS = 86_400_000;

describe('a link', () => {
  test('to a video that is ready or sent opens the page and everything below it', async () => {
    for (const status of ['ready', 'sent'] as const) {
      const intro = await fixture.createIntro({ status });
      for (const address of [intro.path, ...addressesOf(intro)]) expect((await ask(address)).status).toBe(200);
    }
  });

  test.each(['cancelled', 'expired'] as const)(
    'that is %s answers 410 everywhere, kindly on the page alone',
    async (status) => {
      const intro = await fixture.createIntro({ status, organization: { accent: '#8a2f1d' } });
      const page = await ask(intro.path);
      const text = await page.text();
      expect(page.status).toBe(410);
      expect(text).toContain('Acme Roofing');
      expect(text).toContain('#8a2f1d');
      expect(text).toContain('href="tel:+13125550100"');
      expect(text).not.toContain('Dana');
      for (const address of addressesOf(intro)) {
        const file = await ask(address);
        expect([file.status, await file.text()]).toEqual([410, '']);
      }
      const beacon = await ask(`${intro.path}/seen`, { method: 'POST', body: '{"what":"opened"}' });
      expect(beacon.status).toBe(410);
      expect((await fixture.intro(intro.id)).opened_at).toBeNull();
    },
  );

  test('dies with the cancel itself, however often it was read before', async () => {
    const intro = await fixture.createIntro();
    for (let n = 0; n < 3; n++) expect((await ask(intro.path)).status).toBe(200);
    await fixture.database.query("update intros set status = 'cancelled' where id = $1", [intro.id]);
    expect((await ask(intro.path)).status).toBe(410);
    expect((await ask(intro.videoPath)).status).toBe(410);
    expect((await ask(intro.path, { headers: { 'if-none-match': '*' } })).status).toBe(410);
  });

  test('closes 180 days after it was sent, not a moment before', async () => {
    const intro = await fixture.createIntro({ status: 'sent', sentAt: NOW });
    fixture.setTime(new Date(NOW.getTime() + 180 * DAY_MS - 1));
    expect((await ask(intro.path)).status).toBe(200);
    fixture.setTime(new Date(NOW.getTime() + 180 * DAY_MS));
    expect((await ask(intro.path)).status).toBe(410);
    expect((await ask(intro.videoPath)).status).toBe(410);
  });

  test('that nothing is known of, or of which nothing may be told yet, gets the same plain 404', async () => {
    const waiting = await fixture.createIntro({ status: 'requested', video: null });
    const unknown = ['/i/Unknown00000', '/i/short', `/i/${'x'.repeat(60)}`, '/i/..%2f..%2fetc', '/i/%00', waiting.path];
    const pages = await Promise.all(
      unknown.map(async (path) => {
        const response = await ask(path);
        return [response.status, await response.text()];
      }),
    );
    expect(new Set(pages.map(([, text]) => text)).size).toBe(1);
    expect(pages.every(([status]) => status === 404)).toBe(true);
    expect(pages[0]?.[1]).not.toContain('Acme');
    const file = await ask(`${waiting.path}/poster.jpg`);
    expect([file.status, await file.text()]).toEqual([404, '']);
  });

  test('gives no file but those of its own page', async () => {
    const [intro, other] = [
      await fixture.createIntro(),
      await fixture.createIntro({ video: { width: 2, height: 2, durationMs: 1, captions: false, preview: false } }),
    ];
    const foreign = other.videoPath.split('/').at(-1);
    for (const name of [foreign, 'video.mp4', 'logo.png', 'photo.jpg', '..%2fposter.jpg', 'original%2f1', '']) {
      expect((await ask(`${intro.path}/${name}`)).status).toBe(404);
    }
    for (const name of ['captions.vtt', 'preview.webp']) expect((await ask(`${other.path}/${name}`)).status).toBe(404);
  });
});

describe('guessing', () => {
  test('is refused after thirty misses, for new guesses and hits alike, but not for those who have a page open', async () => {
    const [open, hidden] = [await fixture.createIntro(), await fixture.createIntro()];
    await ask(open.path);
    const misses = await Promise.all(
      Array.from({ length: 30 }, (_, n) => ask(`/i/Guess${String(n).padStart(7, '0')}`)),
    );
    expect(misses.map(({ status }) => status)).toEqual(misses.map(() => 404));
    const refused = await ask('/i/GuessAnother');
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await ask(hidden.path)).status).toBe(429);
    expect((await ask(open.path)).status).toBe(200);
    expect((await ask(open.videoPath)).status).toBe(200);
  });

  test('does not count what was right: a hundred readers behind one address all get in', async () => {
    const intro = await fixture.createIntro();
    for (let n = 0; n < 100; n++) expect((await ask(intro.path)).status).toBe(200);
  });
});

describe('the preview', () => {
  const lookAt = (intro: PageIntro, mediaOrigin: string | null = null) =>
    previewPage(fixture.db, {
      tenant: { organizationId: intro.organizationId, environment: 'test' },
      introId: intro.id,
      pageUrl: `https://intros.acme.example${intro.path}`,
      mediaOrigin,
    });

  test('shows the page, may be framed by us, and has nothing that could tell of it', async () => {
    const intro = await fixture.createIntro();
    const page = await lookAt(intro);
    expect(page?.html).toContain(`src="${intro.videoPath}"`);
    expect(page?.policy).toContain("frame-ancestors 'self'");
    expect(page?.policy).not.toContain('connect-src');
    expect(page?.html).not.toMatch(/seen|fetch\(|sendBeacon/);
  });

  test('lets its video come from the store where players are sent there, and from nowhere else', async () => {
    const intro = await fixture.createIntro();
    expect((await lookAt(intro))?.policy).toContain("media-src 'self';");
    expect((await lookAt(intro, 'https://store.example'))?.policy).toContain("media-src 'self' https://store.example;");
  });

  test('holds no form that would opt the recipient out, as the page does', async () => {
    const intro = await fixture.createIntro();
    expect(await (await ask(intro.path)).text()).toContain(`action="${intro.path}/opt-out"`);
    expect((await lookAt(intro))?.html).not.toMatch(/<form|opt-out/);
  });

  test('is not there before a video is, or once the intro is closed', async () => {
    expect(await lookAt(await fixture.createIntro({ status: 'requested', video: null }))).toBeNull();
    expect(await lookAt(await fixture.createIntro({ status: 'cancelled' }))).toBeNull();
  });
});
