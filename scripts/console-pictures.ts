import fs from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { SAMPLE_ZONE, type SampleService, startSampleService } from '../bench/sample-service.ts';
import { type ConsolePage, openConsolePage, signIn } from '../packages/server/test/browser/console-browser.ts';
import type { Screen, Viewer } from '../packages/server/test/browser/console-screen.ts';
import { openScreen, SCHEMES, SCREENS, SIZES } from '../packages/server/test/browser/console-screens.ts';
import { recordTake } from '../packages/web/test/actions.ts';
import { drawMemberVideo } from '../packages/web/test/member-video.ts';

// Takes screenshots of every console screen, with a sample company that has weeks of activity.

const TAKE_MS = 6_500;
const SETTLED_MS = 400;
const FADED_MS = 3_000;
/** Polls rarely, because each request appears in the request log, which is a screen too. */
const POLL_MS = 3_000;
const JPEG_QUALITY = 80;
/** True when each video has loaded: otherwise the browser shows that it loads. */
const LOAD_VIDEOS = `[...document.querySelectorAll('video')]
  .map((video) => (Object.assign(video, { preload: 'auto' }), video.readyState >= 2)).every(Boolean)`;
/** The webhook URL shown in the pictures. */
const SHOWN_WEBHOOK_URL = 'https://crm.acme.example/foreword';

interface DocumentationPicture {
  readonly name: string;
  readonly size: keyof typeof SIZES;
  readonly scheme: (typeof SCHEMES)[number];
  readonly to: string;
  readonly scale: number;
  readonly quality: number;
}

/** Pictures for the documentation: sharper than the others, and compressed more. */
const DOCUMENTATION: readonly DocumentationPicture[] = [
  { name: 'overview', size: 'desktop', scheme: 'light', to: 'console-overview', scale: 1.5, quality: 70 },
  { name: 'touchpoint', size: 'desktop', scheme: 'light', to: 'console-touchpoint', scale: 1.25, quality: 70 },
  { name: 'intros', size: 'desktop', scheme: 'light', to: 'console-intros', scale: 1.25, quality: 70 },
  { name: 'intro-sent', size: 'desktop', scheme: 'dark', to: 'console-intro', scale: 1.25, quality: 70 },
  { name: 'home', size: 'phone', scheme: 'light', to: 'console-home', scale: 2, quality: 75 },
];

/** Records with the real recorder as the member, then watches the whole video as the recipient. */
async function recordAndWatch(
  browser: Browser,
  url: string,
  link: string,
  isSent: () => Promise<string | null>,
): Promise<void> {
  const context = await browser.newContext({ viewport: SIZES.phone });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(url + new URL(link).pathname);
  await recordTake(page, TAKE_MS);
  await page.getByRole('button', { name: /^Send to/ }).click();
  let pageUrl = await isSent();
  while (pageUrl === null) {
    await page.waitForTimeout(POLL_MS);
    pageUrl = await isSent();
  }
  await page.goto(pageUrl);
  await page.getByRole('button', { name: /^Play the video/ }).click();
  while (!(await page.evaluate(`document.querySelector('video').ended`))) await page.waitForTimeout(POLL_MS);
  await context.close();
}

async function drawPhoto(browser: Browser, folder: string): Promise<string> {
  const pictures = await drawMemberVideo(browser, 1, 1);
  const file = path.join(folder, 'ana.jpg');
  fs.writeFileSync(file, pictures.subarray(0, pictures.indexOf(Buffer.from([0xff, 0xd9])) + 2));
  return file;
}

/** The sample company with a photo and a video that was watched. */
async function prepareSample(browser: Browser): Promise<SampleService> {
  const sample = await startSampleService();
  const { url, dataDir, api, company, run, query } = sample;
  await run('member', 'set', company.ana, '--photo', await drawPhoto(browser, dataDir));
  const isSent = async () => {
    const { status, delivery } = (await api.get(`/v1/intros/${company.sent}`)).body;
    return status === 'sent' ? String(delivery.recipient_url) : null;
  };
  await recordAndWatch(browser, url, (await run('intro', 'link', company.sent)).url, isSent);
  await query('update webhook_endpoints set url = $1', [SHOWN_WEBHOOK_URL]);
  return sample;
}

async function takePicture(
  page: Page,
  file: string,
  options: { quality?: number; fullPage?: boolean } = {},
): Promise<void> {
  const { quality = JPEG_QUALITY, fullPage = false } = options;
  // The browser's sign that a video loads takes a moment to fade.
  while (!(await page.evaluate(LOAD_VIDEOS))) await page.waitForTimeout(FADED_MS);
  await page.waitForTimeout(SETTLED_MS);
  await page.screenshot({ path: `${file}.jpg`, type: 'jpeg', quality, fullPage });
}

/** In both color schemes and sizes, the first view and the full page. */
async function takeScreen(opened: ConsolePage, sample: SampleService, screen: Screen, folder: string): Promise<void> {
  const { page } = opened;
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    await openScreen(opened, sample.url, screen, sample.company);
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      const file = path.join(folder, `${screen.name}.${size}-${colorScheme}`);
      await takePicture(page, file);
      await page.evaluate('scrollTo(0, 0)');
      await takePicture(page, `${file}.whole`, { fullPage: true });
    }
  }
  process.stdout.write(`console: ${screen.name}\n`);
}

interface Options {
  readonly browser: Browser;
  readonly folder: string;
  /** The folder for the documentation's pictures. */
  readonly documentation: string;
  isWanted(name: string): boolean;
}

export async function takeConsole({ browser, folder, documentation, isWanted }: Options): Promise<void> {
  const sample = await prepareSample(browser);
  fs.mkdirSync(folder, { recursive: true });
  const pages = new Map<Viewer, ConsolePage>();
  const openAs = async (viewer: Viewer, scale: number): Promise<ConsolePage> => {
    const opened = await openConsolePage(browser, sample.url, { deviceScaleFactor: scale, timezoneId: SAMPLE_ZONE });
    const link = await sample.createSignInLink(viewer);
    if (link !== null) await signIn(opened.page, sample.url, link);
    return opened;
  };
  for (const screen of SCREENS.filter(({ name }) => isWanted(name))) {
    const opened = pages.get(screen.viewer) ?? (await openAs(screen.viewer, 1));
    pages.set(screen.viewer, opened);
    await takeScreen(opened, sample, screen, folder);
  }
  for (const { name, size, scheme, to, scale, quality } of DOCUMENTATION) {
    const screen = SCREENS.find((one) => one.name === name);
    if (screen === undefined) throw new Error(`no screen is named ${name}`);
    const opened = await openAs(screen.viewer, scale);
    await opened.page.setViewportSize(SIZES[size]);
    await opened.page.emulateMedia({ colorScheme: scheme });
    await openScreen(opened, sample.url, screen, sample.company);
    await takePicture(opened.page, path.join(documentation, to), { quality });
    await opened.page.context().close();
  }
}
