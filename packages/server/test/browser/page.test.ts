import type { BrowserContextOptions, Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../acceptance/support/actions.ts';
import { forFile, sleep } from '../harness/index.ts';
import { openPages, type PageIntro, type PageSetup } from '../pages/page-fixture.ts';
import { findViolations } from './accessibility.ts';
import { openChromium } from './chromium.ts';
import { openTestPage } from './console-test-page.ts';
import {
  button,
  expectAccessible,
  expectAccessibleInBothModes,
  playButton,
  playToTheEnd,
  untilVideo,
  watch,
} from './page-actions.ts';
import { makeVideo } from './video.ts';

const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };
const VIEWS = [
  { name: 'a phone, light', viewport: PHONE, colorScheme: 'light' },
  { name: 'a phone, dark', viewport: PHONE, colorScheme: 'dark' },
  { name: 'a small phone, light', viewport: { width: 320, height: 568 }, colorScheme: 'light' },
  { name: 'a desktop, light', viewport: DESKTOP, colorScheme: 'light' },
  { name: 'a desktop, dark', viewport: DESKTOP, colorScheme: 'dark' },
] as const;
const REPORTED_WITHIN_MS = 30_000;
/** Longer than the second after which a visible page reports that it was opened. */
const UNREPORTED_MS = 2_000;

const LONG: PageSetup = {
  recipient: 'Bartholomew-Maximilian Featherstonehaugh',
  context: {
    title: 'A title that is long enough to show what happens to a line that does not end where readers expect it to',
  },
  organization: { name: 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch Roofing', accent: '#ffd400' },
  member: { first_name: 'عبد الرحمن', last_name: '屋根工事 😀', title: 'senior exterior remodeling project manager' },
};
const BARE: PageSetup = {
  context: null,
  organization: { office_phone: null, license: null },
  member: { title: null, phone: null },
};

const video = makeVideo();
const chromium = await forFile(openChromium());
const fixture = await forFile(openPages());

interface OpenOptions {
  setup?: PageSetup;
  context?: BrowserContextOptions;
  /** Blocks the video's requests. */
  blockVideo?: boolean;
}

async function open(options: OpenOptions = {}) {
  const { setup = {} } = options;
  const intro = await fixture.createIntro({ ...video, ...setup });
  const context = await chromium.newContext({ viewport: PHONE, ...options.context });
  onTestFinished(() => context.close());
  const seen = watch(context);
  if (options.blockVideo === true) await context.route('**/*.mp4', (route) => route.abort());
  const page = await context.newPage();
  await page.goto(fixture.url + intro.path, { waitUntil: 'load' });
  return { page, intro, ...seen };
}

const until = (id: string, isDone: (row: Record<string, unknown>) => boolean) =>
  eventually(() => fixture.intro(id), isDone, REPORTED_WITHIN_MS);

async function show(page: Page, { viewport, colorScheme }: (typeof VIEWS)[number]): Promise<void> {
  await page.setViewportSize(viewport);
  await page.emulateMedia({ colorScheme });
}

test.each([
  { setup: {}, name: 'a page with all details' },
  { setup: LONG, name: 'long and foreign names' },
  { setup: BARE, name: 'a page with only a video' },
])('$name fits each width, passes axe in both modes, and sends no request to another host', async ({ setup }) => {
  const { page, requested, errors } = await open({ setup });
  await page.locator('.check > summary').click();
  for (const view of VIEWS) {
    await show(page, view);
    expect(await findViolations(page), view.name).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth'), view.name).toBe(view.viewport.width);
  }
  // At 200 % zoom on a phone, the names of the details leave room for their values.
  await page.setViewportSize({ width: PHONE.width / 2, height: PHONE.height / 2 });
  const [name, value] = await Promise.all(
    ['dt', 'dd'].map((cell) => page.locator(`.check ${cell}`).last().boundingBox()),
  );
  expect(value?.width).toBeGreaterThanOrEqual(name?.width ?? Number.NaN);
  expect(errors).toEqual([]);
  const hosts = new Set(requested.filter((url) => !url.startsWith('data:')).map((url) => new URL(url).origin));
  expect([...hosts]).toEqual([fixture.url]);
});

test('the play button and the title are visible without scrolling, and tap targets are at least 48 px high', async () => {
  const { page } = await open();
  for (const view of VIEWS) {
    await show(page, view);
    const heading = await page.getByRole('heading', { level: 1 }).boundingBox();
    const disc = await page.locator('#play .disc').boundingBox();
    for (const box of [heading, disc]) {
      expect(box?.y, view.name).toBeGreaterThanOrEqual(0);
      expect((box?.y ?? 0) + (box?.height ?? Number.NaN), view.name).toBeLessThanOrEqual(view.viewport.height);
    }
    for (const link of await page.locator('a:visible, summary, button:visible').all()) {
      const box = await link.boundingBox();
      expect(box?.height, (await link.textContent()) ?? '').toBeGreaterThanOrEqual(48);
    }
  }
});

describe('a recipient', () => {
  test('opens the page by viewing it for a second, and watches the video by playing it to the end', async () => {
    const { page, intro, errors } = await open();
    const opened = await until(intro.id, ({ opened_at }) => opened_at !== null);
    expect(opened).toMatchObject({ status: 'sent', watched_percent: 0, watched_at: null });
    await playToTheEnd(page);
    const watched = await until(intro.id, ({ watched_at }) => watched_at !== null);
    expect(watched).toMatchObject({ status: 'sent', watched_percent: 100 });
    expect(watched.watched_at).not.toBeNull();
    expect(errors).toEqual([]);
  });

  test('does not watch the video by skipping to the end', async () => {
    const { page, intro } = await open();
    await playButton(page).click();
    await page.evaluate('document.querySelector("video").currentTime = 3.6');
    await untilVideo(page, 'ended');
    await sleep(500);
    expect(await fixture.intro(intro.id)).toMatchObject({ watched_at: null });
    expect(Number((await fixture.intro(intro.id)).watched_percent)).toBeLessThan(50);
  });

  test('can play the video at its own URL, which is not counted', async () => {
    const intro = await fixture.createIntro({ ...video });
    const { page } = await openTestPage(chromium, { viewport: PHONE });
    await page.goto(fixture.url + intro.videoPath);
    await untilVideo(page, 'readyState >= 2');
    await page.evaluate('document.querySelector("video").play()');
    await untilVideo(page, 'currentTime > 0.2');
    expect(await fixture.intro(intro.id)).toMatchObject({ status: 'ready', opened_at: null });
  });

  test('can play the video with only the keyboard', async () => {
    const { page } = await open();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await untilVideo(page, 'currentTime > 0.2');
  });

  test('sees an error when the video fails to load, and can play it when the network is back', async () => {
    const { page, intro } = await open({ blockVideo: true });
    expect(await page.getByText('The video did not load').isVisible()).toBe(false);
    await playButton(page).click();
    await page.getByText('The video did not load').waitFor();
    await page.context().unrouteAll();
    await playToTheEnd(page);
    expect((await until(intro.id, ({ watched_at }) => watched_at !== null)).watched_percent).toBe(100);
  });

  test('gets the browser controls when the browser refuses to play', async () => {
    const { page } = await open();
    await page.evaluate(
      `HTMLMediaElement.prototype.play = () => Promise.reject(new DOMException('', 'NotAllowedError'))`,
    );
    await playButton(page).click();
    await untilVideo(page, 'controls');
    expect(await page.getByText('The video did not load').isVisible()).toBe(false);
  });

  test('gets the browser controls without JavaScript, and is not counted', async () => {
    const { page, intro } = await open({ context: { javaScriptEnabled: false } });
    expect(await page.locator('video[controls]').isVisible()).toBe(true);
    expect(await playButton(page).count()).toBe(0);
    await sleep(UNREPORTED_MS);
    expect(await fixture.intro(intro.id)).toMatchObject({ status: 'ready', opened_at: null });
  });
});

test('a page in a background tab counts as opened only when the tab becomes visible', async () => {
  const intro = await fixture.createIntro({ ...video });
  const { page } = await openTestPage(chromium, { viewport: PHONE });
  await page.addInitScript(
    'Object.defineProperty(document, "visibilityState", { get: () => window.isVisible ? "visible" : "hidden" })',
  );
  await page.goto(fixture.url + intro.path);
  await sleep(UNREPORTED_MS);
  expect((await fixture.intro(intro.id)).opened_at).toBeNull();
  await page.evaluate('window.isVisible = true, document.dispatchEvent(new Event("visibilitychange"))');
  expect((await until(intro.id, ({ opened_at }) => opened_at !== null)).opened_at).not.toBeNull();
});

describe('closed and unknown links', () => {
  test.each(['cancelled', 'expired'] as const)('show a page for a %s intro that passes axe', async (status) => {
    const { page } = await open({ setup: { status } });
    await page.getByRole('heading', { name: 'This page has closed' }).waitFor();
    await expectAccessibleInBothModes(page);
  });

  test('show a plain page for an unknown link that passes axe', async () => {
    const { page } = await openTestPage(chromium, { viewport: PHONE }, [404]);
    const response = await page.goto(`${fixture.url}/i/Unknown00000`);
    expect(response?.status()).toBe(404);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    await expectAccessibleInBothModes(page);
  });
});

describe('opting out of text messages', () => {
  const optOutsOf = ({ organizationId }: PageIntro) =>
    fixture.database.sql`select phone, source from opt_outs where organization_id = ${organizationId}`;

  async function tap(context: BrowserContextOptions) {
    const opened = await open({ context });
    const { page, intro } = opened;
    expect(await optOutsOf(intro)).toEqual([]);
    await page.getByRole('button', { name: 'Stop texts from Acme Roofing' }).click();
    await page.getByRole('heading', { name: 'No more text messages' }).waitFor();
    expect(await optOutsOf(intro)).toEqual([{ phone: '+14155550123', source: 'page' }]);
    return opened;
  }

  test.each(['light', 'dark'] as const)('takes one tap and shows a %s page that passes axe', async (colorScheme) => {
    const { page, errors } = await tap({ colorScheme });
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('link', { name: 'Back to the video' }).click();
    await button(page, 'Undo').waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  test('works without JavaScript, can be undone, and the page knows it on the way back', async () => {
    const { page, intro } = await tap({ javaScriptEnabled: false });
    await page.getByRole('link', { name: 'Back to the video' }).click();
    await page.getByText('You get no more texts from Acme Roofing.').waitFor();
    await button(page, 'Undo').click();
    await page.getByRole('heading', { name: 'You will get text messages again' }).waitFor();
    await page.getByRole('link', { name: 'Back to the video' }).click();
    await button(page, 'Stop texts from Acme Roofing').waitFor();
    expect(await optOutsOf(intro)).toEqual([]);
  });
});

test('each tap is reported once, also one that leaves the page', async () => {
  const action = { label: 'See our work', url: `${fixture.url}/docs` };
  const { page, intro, errors } = await open({ setup: { action } });
  await page.evaluate(
    'addEventListener("click", (event) => { if (/^(tel|sms):/.test(event.target.closest("a")?.href)) event.preventDefault(); })',
  );
  for (const name of [/^Call Ana/, /^Text Ana/, /^Call Ana/]) await page.getByRole('link', { name }).click();
  await until(intro.id, ({ clicked_times: times }) => Object.keys(times ?? {}).length === 2);
  await page.getByRole('link', { name: 'See our work' }).click();
  const row = await until(intro.id, ({ clicked_times: times }) => Object.keys(times ?? {}).length === 3);
  expect(Object.keys(row.clicked_times as object).toSorted()).toEqual(['action', 'call', 'text']);
  expect(errors.filter((text) => !text.includes('404'))).toEqual([]);
});

test('the number is visible on a computer, and paper shows who, when and the number, without buttons', async () => {
  const number = '(312) 555-0117';
  const { page } = await open({
    setup: { action: { label: 'See our work', url: 'https://acme.example/' } },
    context: { viewport: DESKTOP },
  });
  expect(await page.getByText(number).first().isVisible()).toBe(true);
  await page.emulateMedia({ media: 'print' });
  for (const part of ['Ana Ng', 'Thursday, March 12 at 2:30 PM', number]) {
    expect(await page.getByText(part).first().isVisible()).toBe(true);
  }
  expect(
    await page.locator('button:visible, .add:visible, summary:visible, .action:visible, .save:visible').count(),
  ).toBe(0);
});

const repliesOf = async ({ id }: PageIntro) =>
  fixture.database.sql`select type, message from intro_replies where intro_id = ${id} order by number`;

test('after the video, one tap replies, and a correction replaces what is shown', async () => {
  const { page, intro } = await open({ context: { reducedMotion: 'reduce' } });
  await playToTheEnd(page);
  await button(page, 'Replay').waitFor();
  expect(await page.getByRole('button', { name: 'See you then' }).isVisible()).toBe(true);
  await expectAccessible(page);
  await button(page, 'See you then').click();
  await page.getByText('Sent to Ana').waitFor();
  await page.getByText('Change your reply').click();
  await expectAccessible(page);
  await page.locator('summary', { hasText: 'I need another time' }).click();
  await page.getByLabel('When would suit you?').fill('Friday after 3');
  await expectAccessible(page);
  await button(page, 'Send').click();
  await page.getByText('“I need another time”').waitFor();
  expect(await repliesOf(intro)).toMatchObject([
    { type: 'confirm' },
    { type: 'reschedule', message: 'Friday after 3' },
  ]);
});

test('Replay plays the video again', async () => {
  const { page } = await open();
  await playToTheEnd(page);
  await button(page, 'Replay').click();
  await untilVideo(page, 'paused === false');
  expect(await button(page, 'Replay').isVisible()).toBe(false);
});

test('a question is sent with the keyboard and without JavaScript', async () => {
  const { page, intro } = await open({ context: { javaScriptEnabled: false } });
  await page.locator('.ask summary', { hasText: 'I have a question' }).focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Your question for Ana').fill('Do you need access to the attic?');
  await button(page, 'Send question').click();
  await page.getByText('Sent to Ana').waitFor();
  expect(await repliesOf(intro)).toMatchObject([{ type: 'question', message: 'Do you need access to the attic?' }]);
});

test('the question and the sent reply are accessible and fit each width', async () => {
  const { page } = await open({ setup: { organization: { accent: '#ffd400' } } });
  const expectFit = async () => {
    for (const view of VIEWS) {
      await show(page, view);
      await expectAccessible(page);
      expect(await page.evaluate('document.documentElement.scrollWidth <= window.innerWidth'), view.name).toBe(true);
    }
  };
  await page.getByText('I have a question').click();
  await expectFit();
  await page.getByLabel('Your question for Ana').fill('Where do I park?');
  await button(page, 'Send question').click();
  await page.getByText('Sent to Ana').waitFor();
  await expectFit();
});
