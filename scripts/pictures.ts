import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { makeFolder, outputOf, stopEverything } from '../bench/children.ts';
import { connectToDatabase, prepareDataDir, startService } from '../bench/service.ts';
import { openChromium } from '../packages/server/test/browser/chromium.ts';
import { openCamera, startRecording } from '../packages/web/test/actions.ts';
import { writeSound } from '../packages/web/test/engine/fake-media.ts';
import { drawMemberVideo } from '../packages/web/test/member-video.ts';
import { soften } from '../packages/web/test/phone.ts';
import { takeConsole } from './console-pictures.ts';

// Takes pictures of the screens: npm run gen -- pictures [FOLDER] [--chosen-only]
// Only of the console, or of some of its screens: … --console [--only=NAME]
// The pictures in the documentation are written to docs/pictures.

const ROOT = path.join(import.meta.dirname, '..');
const CHOSEN = path.join(ROOT, 'docs/pictures');
const COMMAND = path.join(ROOT, 'packages/server/bin/foreword.mjs');
const RECORDER_STATES = path.join(ROOT, 'packages/web/test/screenshots.ts');
const VIEWS = {
  'phone-light': { viewport: { width: 390, height: 844 }, colorScheme: 'light' },
  'phone-dark': { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
  'desktop-light': { viewport: { width: 1280, height: 800 }, colorScheme: 'light' },
  'desktop-dark': { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
} as const satisfies Record<string, BrowserContextOptions>;
type View = keyof typeof VIEWS;
const SCALE = 2;
const JPEG_QUALITY = 80;
const SETTLED_MS = 600;
const TAKE_MS = 6_500;
/** A moment in the take with some lines said and some left. */
const MIDDLE_MS = 4_200;
const PATIENCE_MS = 60_000;
/** The address shown in the pictures; the pages themselves come from the service. */
const SHOWN_URL = 'https://hi.acme.example';
const UNKNOWN_PATH = '/i/NobodyHasIt0';

interface Studio {
  readonly browser: Browser;
  readonly url: string;
  readonly folder: string;
  call(method: string, at: string, body?: object): Promise<Record<string, unknown>>;
  link(introId: string): Promise<string>;
}

async function openBrowser(): Promise<Browser> {
  const folder = makeFolder();
  const drawing = await openChromium();
  const picture = path.join(folder, 'member.mjpeg');
  fs.writeFileSync(picture, await drawMemberVideo(drawing, 1, 1));
  await drawing.close();
  return openChromium(
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-video-capture=${picture}`,
    `--use-file-for-fake-audio-capture=${soften(writeSound(folder, 'speech'))}`,
  );
}

/** Acme Roofing and Ana Ng from the demo, with everything a page can show. */
async function openStudio(folder: string): Promise<Studio> {
  const { dataDir, key } = await prepareDataDir();
  const { url } = await startService({ dataDir, environment: { PUBLIC_URL: SHOWN_URL } });
  const database = await connectToDatabase(dataDir);
  await database.query("update members set title = 'project manager', phone = '+13125550117'");
  await database.query("update organizations set office_phone = '+13125550100', license = 'IL 104.018842'");
  await database.query("update touchpoints set delivery = 'integration'");
  await database.end();
  let calls = 0;
  return {
    browser: await openBrowser(),
    url,
    folder,
    async call(method, at, body) {
      calls += 1;
      const headers: Record<string, string> = { authorization: `Bearer ${key}`, 'idempotency-key': `picture:${calls}` };
      if (body !== undefined) headers['content-type'] = 'application/json';
      const answer = await fetch(url + at, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      if (!answer.ok) throw new Error(`${method} ${at}: ${answer.status} ${await answer.text()}`);
      return (await answer.json()) as Record<string, unknown>;
    },
    async link(introId) {
      const shown = await outputOf(process.execPath, [COMMAND, 'intro', 'link', introId, '--json'], {
        DATA_DIR: dataDir,
        PUBLIC_URL: SHOWN_URL,
      });
      return (JSON.parse(shown) as { url: string }).url;
    },
  };
}

/** A Tuesday afternoon in the coming weeks, so that the pictures look plausible. */
function comingTuesday(): string {
  const day = new Date(performance.timeOrigin);
  day.setUTCDate(day.getUTCDate() + 3 + ((2 - day.getUTCDay() - 3 + 14) % 7));
  return `${day.toISOString().slice(0, 10)}T14:30:00`;
}

async function reportAppointment(studio: Studio): Promise<string> {
  const event = await studio.call('POST', '/v1/touchpoint-events', {
    touchpoint: 'new_appointment',
    occurred_at: new Date(performance.timeOrigin).toISOString(),
    member: { external_id: 'rep_17' },
    recipient: { first_name: 'Dana', last_name: 'Reyes', phone: '+14155550123' },
    context: { trade: 'roofing', appointment: { starts_at: comingTuesday(), timezone: 'America/Chicago' } },
  });
  for (;;) {
    const { status, intro } = await studio.call('GET', `/v1/events/${event.id}`);
    if (status === 'processed') return String(intro);
  }
}

async function openPage(studio: Studio, url: string, view: View): Promise<Page> {
  const context = await studio.browser.newContext({ ...VIEWS[view], deviceScaleFactor: SCALE });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(studio.url + new URL(url).pathname);
  return page;
}

async function take(studio: Studio, page: Page, name: string, wait = SETTLED_MS): Promise<void> {
  await page.waitForTimeout(wait);
  await page.screenshot({ path: path.join(studio.folder, `${name}.jpg`), type: 'jpeg', quality: JPEG_QUALITY });
  process.stdout.write(`${name}\n`);
}

/** The member's steps against the real service; returns the recipient page's URL. */
async function record(studio: Studio): Promise<string> {
  const introId = await reportAppointment(studio);
  const member = await openPage(studio, await studio.link(introId), 'phone-light');
  await take(studio, member, 'member-start');
  await openCamera(member);
  await startRecording(member);
  await take(studio, member, 'member-recording', MIDDLE_MS);
  await member.waitForTimeout(TAKE_MS - MIDDLE_MS);
  await member.getByRole('button', { name: 'Stop' }).click();
  await member.getByRole('button', { name: 'Retake' }).waitFor();
  await take(studio, member, 'member-review');
  await member.getByRole('button', { name: /^Send to/ }).click();
  await member.getByRole('heading', { name: 'Your video is ready' }).waitFor();
  const { delivery } = await studio.call('GET', `/v1/intros/${introId}`);
  const url = await studio.link(introId);
  await member.context().close();
  for (const view of Object.keys(VIEWS) as View[]) {
    const page = await openPage(studio, url, view);
    await page.frameLocator('iframe').getByRole('heading', { level: 1 }).waitFor();
    await take(studio, page, `member-done.${view}`);
    await page.context().close();
  }
  return (delivery as { recipient_url: string }).recipient_url;
}

async function showPage(studio: Studio, pageUrl: string, view: View): Promise<void> {
  const page = await openPage(studio, pageUrl, view);
  await take(studio, page, `page.${view}`);
  await page.screenshot({ path: path.join(studio.folder, `page-whole.${view}.png`), fullPage: true });
  await page.locator('.check > summary').click();
  await page.locator('.check > summary').scrollIntoViewIfNeeded();
  await page.screenshot({ path: path.join(studio.folder, `page-check.${view}.png`), fullPage: true });
  await page.evaluate('scrollTo(0, 0)');
  await page.getByRole('button', { name: /^Play the video/ }).click();
  await take(studio, page, `page-playing.${view}`, 2_000);
  while (!(await page.evaluate(`document.querySelector('video').ended`))) await page.waitForTimeout(SETTLED_MS);
  await take(studio, page, `page-played.${view}`);
  await page.context().close();
}

async function showMessage(studio: Studio, url: string, name: string): Promise<void> {
  for (const view of Object.keys(VIEWS) as View[]) {
    const page = await openPage(studio, url, view);
    await take(studio, page, `${name}.${view}`);
    await page.context().close();
  }
}

function choose(folder: string): void {
  const chosen: Record<string, string> = {
    'member-recording': 'recorder',
    'page.phone-light': 'page',
    'member-done.phone-light': 'done',
    'page.desktop-dark': 'page-desktop-dark',
    'page-played.phone-light': 'page-played',
  };
  fs.mkdirSync(CHOSEN, { recursive: true });
  for (const [from, to] of Object.entries(chosen)) {
    fs.copyFileSync(path.join(folder, `${from}.jpg`), path.join(CHOSEN, `${to}.jpg`));
  }
}

async function takeRecorderStates(folder: string): Promise<void> {
  for (const size of ['phone', 'desktop']) {
    const child = spawn(process.execPath, [RECORDER_STATES, path.join(folder, 'recorder'), '', size], {
      stdio: 'inherit',
    });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    if (code !== 0) throw new Error(`the states of the recorder were not all taken: ${code}`);
  }
}

async function main(words: string[]): Promise<void> {
  const [given] = words.filter((word) => !word.startsWith('--'));
  const folder = given ?? fs.mkdtempSync(path.join(os.tmpdir(), 'foreword-pictures-'));
  fs.mkdirSync(folder, { recursive: true });
  if (!words.includes('--console')) await takeOthers(folder, words.includes('--chosen-only'));
  const browser = await openBrowser();
  try {
    const only = words.filter((word) => word.startsWith('--only=')).map((word) => word.slice('--only='.length));
    const isWanted = (name: string) => !words.includes('--chosen-only') && (only.length === 0 || only.includes(name));
    await takeConsole({ browser, folder: path.join(folder, 'console'), documentation: CHOSEN, isWanted });
  } finally {
    await browser.close();
  }
  process.stdout.write(`All of them are in ${folder}, the chosen ones in ${path.relative(ROOT, CHOSEN)}\n`);
}

/** Pictures of the recorder and the recipient page. */
async function takeOthers(folder: string, onlyChosen: boolean): Promise<void> {
  const studio = await openStudio(folder);
  try {
    const pageUrl = await record(studio);
    for (const view of Object.keys(VIEWS) as View[]) await showPage(studio, pageUrl, view);
    const cancelled = await reportAppointment(studio);
    await studio.call('POST', `/v1/test_helpers/intros/${cancelled}/record`);
    await showMessage(studio, SHOWN_URL + UNKNOWN_PATH, 'unknown');
    await showClosed(studio, cancelled);
  } finally {
    await studio.browser.close();
  }
  choose(folder);
  if (!onlyChosen) await takeRecorderStates(folder);
}

async function showClosed(studio: Studio, introId: string): Promise<void> {
  let pageUrl: string | null = null;
  while (pageUrl === null) {
    const { delivery } = await studio.call('GET', `/v1/intros/${introId}`);
    pageUrl = (delivery as { recipient_url: string | null }).recipient_url;
  }
  const memberUrl = await studio.link(introId);
  await studio.call('POST', `/v1/intros/${introId}/cancel`);
  await showMessage(studio, pageUrl, 'page-closed');
  await showMessage(studio, memberUrl, 'member-closed');
}

try {
  await main(process.argv.slice(2).filter((word) => word !== 'pictures'));
} finally {
  await stopEverything();
}
