import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPages, type PageFixture, type PageIntro, type PageSetup } from '../pages/page-fixture.ts';
import { openChromium } from './chromium.ts';
import { button, expectAccessible, playToTheEnd, untilVideo } from './page-actions.ts';
import { makeVideo } from './video.ts';

const PHONE = { width: 390, height: 844 };
const VIEWS = [
  { name: 'a phone, light', viewport: PHONE, colorScheme: 'light' },
  { name: 'a phone, dark', viewport: PHONE, colorScheme: 'dark' },
  { name: 'a desktop, light', viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  { name: 'a desktop, dark', viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
] as const;

let chromium: Browser;
let fixture: PageFixture;
let video: ReturnType<typeof makeVideo>;
beforeAll(async () => {
  video = makeVideo();
  chromium = await openChromium();
  fixture = await openPages();
});
afterAll(async () => {
  await chromium?.close();
  await fixture?.close();
});

interface Opened {
  readonly page: Page;
  readonly intro: PageIntro;
  close(): Promise<void>;
}

async function open(context: BrowserContextOptions = {}, setup: PageSetup = {}): Promise<Opened> {
  const intro = await fixture.createIntro({ ...video, ...setup });
  const opened = await chromium.newContext({ viewport: PHONE, ...context });
  const page = await opened.newPage();
  await page.goto(fixture.url + intro.path);
  return { page, intro, close: () => opened.close() };
}

const repliesOf = async ({ id }: PageIntro) =>
  fixture.database.query('select type, message from intro_replies where intro_id = $1 order by number', [id]);

test('after the video, one tap replies, and a correction replaces what is shown', async () => {
  const { page, intro, close } = await open({ reducedMotion: 'reduce' });
  await playToTheEnd(page);
  await button(page, 'Replay').waitFor();
  expect(await page.getByRole('button', { name: 'See you then' }).isVisible()).toBe(true);
  await expectAccessible(page);
  await button(page, 'See you then').click();
  await page.getByText('Sent to Ana').waitFor();
  await page.getByText('Change your reply').click();
  await expectAccessible(page);
  await button(page, 'I need another time').click();
  await page.getByText('“I need another time”').waitFor();
  expect(await repliesOf(intro)).toMatchObject([{ type: 'confirm' }, { type: 'reschedule' }]);
  await close();
});

test('Replay plays the video again', async () => {
  const { page, close } = await open();
  await playToTheEnd(page);
  await button(page, 'Replay').click();
  await untilVideo(page, 'paused === false');
  expect(await button(page, 'Replay').isVisible()).toBe(false);
  await close();
});

test('a question is sent with the keyboard and without JavaScript', async () => {
  const { page, intro, close } = await open({ javaScriptEnabled: false });
  await page.locator('.ask summary').focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('Your question for Ana').fill('Do you need access to the attic?');
  await button(page, 'Send question').click();
  await page.getByText('Sent to Ana').waitFor();
  expect(await repliesOf(intro)).toMatchObject([{ type: 'question', message: 'Do you need access to the attic?' }]);
  await close();
});

test.each(VIEWS)('the question and the sent reply are accessible and fit the width: $name', async (view) => {
  const { viewport, colorScheme } = view;
  const { page, close } = await open({ viewport, colorScheme }, { organization: { accent: '#ffd400' } });
  const fits = () => page.evaluate('document.documentElement.scrollWidth <= window.innerWidth');
  await page.getByText('I have a question').click();
  await expectAccessible(page);
  expect(await fits()).toBe(true);
  await page.getByLabel('Your question for Ana').fill('Where do I park?');
  await button(page, 'Send question').click();
  await page.getByText('Sent to Ana').waitFor();
  await expectAccessible(page);
  expect(await fits()).toBe(true);
  await close();
});
