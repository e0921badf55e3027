import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { makeFolder, stop, stopEverything } from '../bench/processes.ts';
import { openSite, runCommand, startService } from '../bench/service.ts';
import { systemClock } from '../packages/server/src/platform/clock.ts';
import { endChromium } from '../packages/server/test/browser/chromium.ts';
import { openConsolePage, signIn } from '../packages/server/test/browser/console-browser.ts';
import { createSampleCompany } from '../packages/server/test/browser/console-sample-data.ts';
import { openScreen, SCREENS } from '../packages/server/test/browser/console-screens.ts';
import { createApi } from '../packages/server/test/harness/api.ts';
import { openCamera, startRecording } from '../packages/web/test/actions.ts';
import { openCameraBrowser, writeMemberVideo } from '../packages/web/test/phone.ts';

// Takes the pictures of the documentation: npm run gen -- pictures. Needs Debian's Chromium.

const FOLDER = path.join(import.meta.dirname, '../docs/pictures');
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };
const ZONE = 'America/Chicago';
/** The scale of the picture of the camera. */
const SHARP = 1;
const SETTLED_MS = 600;
const TAKE_MS = 6_500;
/** A moment in the take with some lines said and some left. */
const MIDDLE_MS = 4_200;
const PATIENCE_MS = 60_000;
/** Shown in the pictures; the pages themselves come from the service. */
const SHOWN_URL = 'https://hi.acme.example';
/** True when each video has loaded: otherwise the browser shows that it loads. */
const LOAD_VIDEOS = `[...document.querySelectorAll('video')]
  .map((video) => (Object.assign(video, { preload: 'auto' }), video.readyState >= 2)).every(Boolean)`;

const OWNER = 'olive@acme.example';
const ANA = 'ana@acme.example';
const CONSOLE: readonly (readonly [screen: string, viewer: string, view: BrowserContextOptions, name: string])[] = [
  ['overview', OWNER, { deviceScaleFactor: 1.5 }, 'console-overview'],
  ['touchpoint', OWNER, { deviceScaleFactor: 1.25 }, 'console-touchpoint'],
  ['intros', OWNER, { deviceScaleFactor: 1.25 }, 'console-intros'],
  ['intro-sent', OWNER, { deviceScaleFactor: 1.25, colorScheme: 'dark' }, 'console-intro'],
  ['home', ANA, { deviceScaleFactor: 2, viewport: PHONE }, 'console-home'],
];

async function take(page: Page, name: string, { quality = 75, waitMs = SETTLED_MS } = {}): Promise<void> {
  while (!(await page.evaluate(LOAD_VIDEOS))) await page.waitForTimeout(SETTLED_MS);
  await page.waitForTimeout(waitMs);
  await page.screenshot({ path: path.join(FOLDER, `${name}.jpg`), type: 'jpeg', quality });
  process.stdout.write(`${name}\n`);
}

/** The first picture of the fake camera. */
async function writePhoto(): Promise<string> {
  const frames = fs.readFileSync(await writeMemberVideo(1, SHARP));
  const photo = path.join(makeFolder(), 'ana.jpg');
  fs.writeFileSync(photo, frames.subarray(0, frames.indexOf(Buffer.from([0xff, 0xd9])) + 2));
  return photo;
}

/** A service with a company that has weeks of activity. */
async function openSample(photo: string) {
  const receiver = http.createServer((request, response) => request.resume().on('end', () => response.end('{}')));
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  receiver.unref();
  const place = { dataDir: makeFolder(), environment: { WEBHOOKS_ALLOW_PRIVATE: 'on', PUBLIC_URL: SHOWN_URL } };
  // Only a start creates a database.
  await stop((await startService(place)).child);
  const run = (...words: string[]) => runCommand(place, ...words);
  const about = ['--industry', 'exterior_remodeling', '--timezone', ZONE, '--lane', 'retail', '--lane', 'insurance'];
  const { id: organization = '' } = await run('org', 'create', '--name', 'Acme Exteriors', ...about);
  await run('org', 'set', organization, '--office-phone', '+13125550100', '--license', 'IL 104.018842');
  const ana = ['--first-name', 'Ana', '--last-name', 'Ng', '--email', ANA, '--external-id', 'rep_17'];
  await run('member', 'create', '--org', organization, ...ana);
  const { key = '' } = await run('key', 'create', '--org', organization, '--name', 'Acme CRM');
  const { url, database } = await openSite({ ...place, key, organization });
  const query = async (text: string, values: unknown[] = []) => (await database.query(text, values)).rows;
  const api = createApi(url, key);
  const company = await createSampleCompany({
    ...{ organizationId: organization, api, run, query, now: systemClock() },
    receiverUrl: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/foreword`,
  });
  await run('member', 'set', company.ana, '--photo', photo);
  await query("update webhook_endpoints set url = 'https://crm.acme.example/foreword'");
  // So that the member's last screen offers the link.
  await query("update intros set responsibility = 'integration' where id = $1", [company.sent]);
  /** The recipient's page, once the video is ready. */
  const findPage = async (): Promise<string> => {
    for (;;) {
      const { delivery } = (await api.get(`/v1/intros/${company.sent}`)).body;
      if (delivery.recipient_url !== null) {
        await api.post(`/v1/intros/${company.sent}/mark_sent`);
        return String(delivery.recipient_url);
      }
      // Rarely, because each request appears in the request log, which is a screen too.
      await new Promise((resolve) => setTimeout(resolve, 3_000));
    }
  };
  const createSignInLink = async (email: string) =>
    (await run('signin', '--org', organization, '--email', email)).url ?? '';
  return { url, company, run, createSignInLink, findPage };
}

async function openPage(browser: Browser, url: string, view: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext({ viewport: PHONE, deviceScaleFactor: 2, ...view });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.goto(url);
  return page;
}

/** The member's steps and the recipient's, who watches the whole video. */
async function takeRecording(
  browser: Browser,
  { url, company, run, findPage }: Awaited<ReturnType<typeof openSample>>,
): Promise<void> {
  const memberUrl = url + new URL((await run('intro', 'link', company.sent)).url ?? '').pathname;
  const member = await openPage(browser, memberUrl, {});
  await openCamera(member);
  await startRecording(member);
  await member.waitForTimeout(MIDDLE_MS);
  await member.screenshot({ path: path.join(FOLDER, 'recorder.jpg'), type: 'jpeg', quality: 80 });
  await member.waitForTimeout(TAKE_MS - MIDDLE_MS);
  await member.getByRole('button', { name: 'Stop' }).click();
  await member.getByRole('button', { name: 'Retake' }).waitFor();
  await member.getByRole('button', { name: /^Send to/ }).click();
  const pageUrl = url + new URL(await findPage()).pathname;
  await member.goto(memberUrl);
  await member.frameLocator('iframe').getByRole('heading', { level: 1 }).waitFor();
  await take(member, 'done', { quality: 80 });
  const wide = await openPage(browser, pageUrl, { viewport: DESKTOP, colorScheme: 'dark' });
  await take(wide, 'page-desktop-dark', { quality: 80 });
  const page = await openPage(browser, pageUrl, {});
  await take(page, 'page', { quality: 80 });
  await page.getByRole('button', { name: /^Play the video/ }).click();
  while (!(await page.evaluate(`document.querySelector('video').ended`))) await page.waitForTimeout(SETTLED_MS);
  await take(page, 'page-played', { quality: 80 });
}

try {
  const browser = await openCameraBrowser({}, SHARP);
  const sample = await openSample(await writePhoto());
  await takeRecording(browser, sample);
  for (const [name, viewer, view, to] of CONSOLE) {
    const screen = SCREENS.find((one) => one.name === name);
    if (screen === undefined) throw new Error(`no screen is named ${name}`);
    const opened = await openConsolePage(browser, sample.url, { ...view, timezoneId: ZONE });
    await signIn(opened.page, sample.url, await sample.createSignInLink(viewer));
    await openScreen(opened, sample.url, screen, sample.company);
    await take(opened.page, to);
  }
} finally {
  await endChromium();
  await stopEverything();
}
