import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sleep } from '../harness/index.ts';
import { openPages, type PageFixture, type PageIntro, type PageSetup } from '../pages/page-fixture.ts';
import { openChromium } from './chromium.ts';
import { makeFilm } from './film.ts';
import { openFirefox } from './firefox.ts';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };
const VIEWS = [
  { name: 'a phone, light', viewport: PHONE, colorScheme: 'light' },
  { name: 'a phone, dark', viewport: PHONE, colorScheme: 'dark' },
  { name: 'a small phone, light', viewport: { width: 320, height: 568 }, colorScheme: 'light' },
  { name: 'a desktop, light', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'a desktop, dark', viewport: DESKTOP, colorScheme: 'dark' },
] as const;
const PLAY_LIMIT_MS = 30_000;
const BEACON_LIMIT_MS = 5_000;
const LOOK_AGAIN_MS = 50;
/** Longer than the second after which a visible page says that it was opened. */
const UNSEEN_MS = 2_000;

const LONG: PageSetup = {
  recipient: 'Bartholomew-Maximilian Featherstonehaugh',
  context: {
    title: 'A title that someone wrote to see what becomes of a line that does not end where one expects it to',
  },
  organization: { name: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch Roofing', accent: '#ffd400' },
  member: { first_name: 'عبد الرحمن', last_name: '屋根工事 😀', title: 'senior exterior remodeling project manager' },
};
const BARE: PageSetup = {
  context: null,
  organization: { office_phone: null, license: null },
  member: { title: null, phone: null },
};

let chromium: Browser;
let fixture: PageFixture;
let film: ReturnType<typeof makeFilm>;

beforeAll(async () => {
  film = makeFilm();
  chromium = await openChromium();
  fixture = await openPages();
});

afterAll(async () => {
  await chromium?.close();
  await fixture?.close();
});

interface Reading {
  readonly page: Page;
  readonly intro: PageIntro;
  readonly requested: string[];
  /** Scripts that failed and what the page's own policy forbade. */
  readonly complaints: string[];
}

interface Visit {
  setup?: PageSetup;
  context?: BrowserContextOptions;
  browser?: Browser;
  /** For the video alone, once the page is there. */
  breakLine?: boolean;
}

async function open(options: Visit = {}): Promise<Reading> {
  const { setup = {}, browser = chromium } = options;
  const intro = await fixture.createIntro({ ...film, ...setup });
  const context = await browser.newContext({ viewport: PHONE, ...options.context });
  const requested: string[] = [];
  const complaints: string[] = [];
  context.on('request', (request) => requested.push(request.url()));
  context.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  context.on('weberror', (fault) => complaints.push(fault.error().message));
  if (options.breakLine === true) await context.route('**/*.mp4', (route) => route.abort());
  const page = await context.newPage();
  await page.goto(fixture.url + intro.path, { waitUntil: 'load' });
  return { page, intro, requested, complaints };
}

async function until(id: string, isSo: (row: Record<string, unknown>) => boolean): Promise<Record<string, unknown>> {
  let row = await fixture.intro(id);
  for (let waited = 0; !isSo(row) && waited < BEACON_LIMIT_MS; waited += LOOK_AGAIN_MS) {
    await sleep(LOOK_AGAIN_MS);
    row = await fixture.intro(id);
  }
  return row;
}

/** Asked again and again from here: the page's policy lets no waiting be written into it. */
async function untilVideo(page: Page, isSo: string): Promise<void> {
  for (let waited = 0; waited < PLAY_LIMIT_MS; waited += LOOK_AGAIN_MS) {
    if (await page.evaluate(`document.querySelector('video').${isSo}`)) return;
    await sleep(LOOK_AGAIN_MS);
  }
  throw new Error(`the video never came to: ${isSo}`);
}

const playButton = (page: Page) => page.getByRole('button', { name: /^Play the video/ });

async function playToTheEnd(page: Page): Promise<void> {
  await playButton(page).click();
  await untilVideo(page, 'ended');
}

describe.each(VIEWS)('on $name', ({ viewport, colorScheme }) => {
  const context = { viewport, colorScheme };

  test.each([
    { setup: {}, name: 'a page with everything' },
    { setup: LONG, name: 'long and foreign names' },
    { setup: BARE, name: 'a page with nothing but a video' },
  ])('$name fits the width, satisfies axe, and asks no other host for anything', async ({ setup }) => {
    const { page, requested, complaints } = await open({ setup, context });
    await page.locator('summary').click();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    expect(complaints).toEqual([]);
    const hosts = new Set(requested.filter((url) => !url.startsWith('data:')).map((url) => new URL(url).origin));
    expect([...hosts]).toEqual([fixture.url]);
    await page.context().close();
  });

  test('play button and title stand in the first view, and whatever is to be tapped is 48 px high', async () => {
    const { page } = await open({ context });
    const heading = await page.getByRole('heading', { level: 1 }).boundingBox();
    const disc = await page.locator('.disc').boundingBox();
    for (const box of [heading, disc]) {
      expect(box?.y).toBeGreaterThanOrEqual(0);
      expect((box?.y ?? 0) + (box?.height ?? Number.NaN)).toBeLessThanOrEqual(viewport.height);
    }
    for (const link of await page.locator('a:visible, summary, button:visible').all()) {
      const box = await link.boundingBox();
      expect(box?.height, (await link.textContent()) ?? '').toBeGreaterThanOrEqual(48);
    }
    await page.context().close();
  });
});

describe('a person', () => {
  test('who looks for a second has opened the page; playing to the end has watched it', async () => {
    const { page, intro, complaints } = await open();
    const opened = await until(intro.id, ({ opened_at }) => opened_at !== null);
    expect(opened).toMatchObject({ status: 'sent', watched_percent: 0, watched_at: null });
    await playToTheEnd(page);
    const watched = await until(intro.id, ({ watched_at }) => watched_at !== null);
    expect(watched).toMatchObject({ status: 'sent', watched_percent: 100 });
    expect(watched.watched_at).not.toBeNull();
    expect(complaints).toEqual([]);
    await page.context().close();
  });

  test('who jumps to the end has not watched it', async () => {
    const { page, intro } = await open();
    await playButton(page).click();
    await page.evaluate('document.querySelector("video").currentTime = 3.6');
    await untilVideo(page, 'ended');
    await sleep(500);
    expect(await fixture.intro(intro.id)).toMatchObject({ watched_at: null });
    expect(Number((await fixture.intro(intro.id)).watched_percent)).toBeLessThan(50);
    await page.context().close();
  });

  test('who opens the address of the video by itself can play it there, and is not counted', async () => {
    const intro = await fixture.createIntro({ ...film });
    const context = await chromium.newContext({ viewport: PHONE });
    const page = await context.newPage();
    await page.goto(fixture.url + intro.videoPath);
    await untilVideo(page, 'readyState >= 2');
    await page.evaluate('document.querySelector("video").play()');
    await untilVideo(page, 'currentTime > 0.2');
    expect(await fixture.intro(intro.id)).toMatchObject({ status: 'ready', opened_at: null });
    await context.close();
  });

  test('with a keyboard alone can play', async () => {
    const { page } = await open();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await untilVideo(page, 'currentTime > 0.2');
    await page.context().close();
  });

  test('whose line broke is told, and can play once it is back', async () => {
    const { page, intro } = await open({ breakLine: true });
    expect(await page.getByText('The video did not load').isVisible()).toBe(false);
    await playButton(page).click();
    await page.getByText('The video did not load').waitFor();
    await page.context().unrouteAll();
    await playToTheEnd(page);
    expect((await until(intro.id, ({ watched_at }) => watched_at !== null)).watched_percent).toBe(100);
    await page.context().close();
  });

  test('without JavaScript has the controls of the browser, and is not counted', async () => {
    const { page, intro } = await open({ context: { javaScriptEnabled: false } });
    expect(await page.locator('video[controls]').isVisible()).toBe(true);
    expect(await playButton(page).count()).toBe(0);
    await sleep(UNSEEN_MS);
    expect(await fixture.intro(intro.id)).toMatchObject({ status: 'ready', opened_at: null });
    await page.context().close();
  });

  test('in Firefox watches it as well', async () => {
    const firefox = await openFirefox();
    try {
      const { page, intro } = await open({ browser: firefox });
      await playToTheEnd(page);
      const row = await until(intro.id, ({ watched_at }) => watched_at !== null);
      expect(row).toMatchObject({ status: 'sent', watched_percent: 100 });
    } finally {
      await firefox.close();
    }
  });
});

test('a page in a tab that nobody looks at is not opened until somebody does', async () => {
  const intro = await fixture.createIntro({ ...film });
  const context = await chromium.newContext({ viewport: PHONE });
  await context.addInitScript(
    'Object.defineProperty(document, "visibilityState", { get: () => window.looked ? "visible" : "hidden" })',
  );
  const page = await context.newPage();
  await page.goto(fixture.url + intro.path);
  await sleep(UNSEEN_MS);
  expect((await fixture.intro(intro.id)).opened_at).toBeNull();
  await page.evaluate('window.looked = true, document.dispatchEvent(new Event("visibilitychange"))');
  expect((await until(intro.id, ({ opened_at }) => opened_at !== null)).opened_at).not.toBeNull();
  await context.close();
});

describe('closed and unknown links', () => {
  test.each(['cancelled', 'expired'] as const)('%s: a page that satisfies axe', async (status) => {
    const { page } = await open({ setup: { status } });
    await page.getByRole('heading', { name: 'This page has closed' }).waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    await page.context().close();
  });

  test('one that never worked: a plain page that satisfies axe', async () => {
    const context = await chromium.newContext({ viewport: PHONE });
    const page = await context.newPage();
    const answer = await page.goto(`${fixture.url}/i/Unknown00000`);
    expect(answer?.status()).toBe(404);
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor();
    const { violations } = await new AxeBuilder({ page }).analyze();
    expect(violations.map(({ id }) => id)).toEqual([]);
    await context.close();
  });
});

describe('who wants no more text messages', () => {
  const optOutsOf = ({ organizationId }: PageIntro) =>
    fixture.database.query('select phone, source from opt_outs where organization_id = $1', [organizationId]);

  async function tap(context: BrowserContextOptions): Promise<Reading> {
    const reading = await open({ context });
    const { page, intro } = reading;
    expect(await optOutsOf(intro)).toEqual([]);
    await page.getByRole('button', { name: 'Get no more text messages from Acme Roofing' }).click();
    await page.getByRole('heading', { name: 'No more text messages' }).waitFor();
    expect(await optOutsOf(intro)).toEqual([{ phone: '+14155550123', source: 'page' }]);
    return reading;
  }

  test.each(['light', 'dark'] as const)(
    'says so with one tap, and reads a %s page that satisfies axe',
    async (colorScheme) => {
      const { page, complaints } = await tap({ colorScheme });
      const { violations } = await new AxeBuilder({ page }).analyze();
      expect(violations.map(({ id }) => id)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.context().close();
    },
  );

  test('says so without JavaScript as well', async () => {
    const { page } = await tap({ javaScriptEnabled: false });
    await page.context().close();
  });
});
