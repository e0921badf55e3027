import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { SMTPServer } from 'smtp-server';
import { atEnd, makeFolder, outputOf } from '../bench/children.ts';
import { connectToDatabase, startService } from '../bench/service.ts';
import { systemClock } from '../packages/server/src/platform/clock.ts';
import { type Company, fillCompany } from '../packages/server/test/browser/console-company.ts';
import type { Looker, Screen } from '../packages/server/test/browser/console-screen.ts';
import {
  SCHEMES,
  SCREENS,
  SIZES,
  show,
  signIn,
  sitDown,
  type Visit,
} from '../packages/server/test/browser/console-screens.ts';
import { createApi } from '../packages/server/test/harness/api.ts';
import { recordTake } from '../packages/web/test/acts.ts';
import { drawPortrait } from '../packages/web/test/portrait.ts';

// Pictures of every screen of the console, of a company that has been at work for weeks.

const COMMAND = path.join(import.meta.dirname, '../packages/server/bin/foreword.mjs');
const TAKE_MS = 6_500;
const SETTLED_MS = 400;
/** Seldom: each look stands in the log of requests, which is shown as well. */
const LOOK_AGAIN_MS = 3_000;
const JPEG_QUALITY = 80;
const TOP_PX = 40;
const ZONE = 'America/Chicago';
/** What stands in the pictures as the address that webhooks go to. */
const SHOWN_RECEIVER = 'https://crm.acme.example/foreword';

interface Chosen {
  readonly name: string;
  readonly size: keyof typeof SIZES;
  readonly scheme: (typeof SCHEMES)[number];
  readonly to: string;
  readonly scale: number;
  readonly quality: number;
  /** The heading that stands at the top of the picture, where that is not the page's own. */
  readonly from?: string;
}

/** Those of the documentation: sharper than the others, and as small as a page with pictures wants them. */
const CHOSEN: readonly Chosen[] = [
  {
    ...{ name: 'overview', size: 'desk', scheme: 'light', to: 'console-overview', scale: 1.5, quality: 70 },
    from: 'Results',
  },
  {
    ...{ name: 'touchpoint', size: 'desk', scheme: 'light', to: 'console-touchpoint', scale: 1.25, quality: 70 },
    from: 'Video script',
  },
  { name: 'home', size: 'phone', scheme: 'light', to: 'console-home', scale: 2, quality: 75 },
];

interface Office {
  readonly url: string;
  readonly company: Company;
  linkFor(who: Looker): Promise<string | null>;
}

// biome-ignore lint/suspicious/noExplicitAny: what the command prints is looked into freely.
type Printed = any;

async function startReceiver(): Promise<string> {
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => response.end('{"received":true}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/foreword`;
}

/** As a member would, with the real recorder; then as the recipient, who watches all of it. */
async function record(
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
    await page.waitForTimeout(LOOK_AGAIN_MS);
    pageUrl = await isSent();
  }
  await page.goto(pageUrl);
  await page.getByRole('button', { name: /^Play the video/ }).click();
  while (!(await page.evaluate(`document.querySelector('video').ended`))) await page.waitForTimeout(LOOK_AGAIN_MS);
  await context.close();
}

/** Takes every letter, and nobody reads them. */
async function startMailServer(): Promise<Record<string, string>> {
  const server = new SMTPServer({
    authOptional: true,
    onData: (stream, _session, done) => void stream.resume().on('end', () => done()),
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => new Promise((resolve) => server.close(() => resolve())));
  const { port } = server.server.address() as AddressInfo;
  return { SMTP_URL: `smtp://127.0.0.1:${port}/?ignoreTLS=true`, MAIL_FROM: 'intros@acme.example' };
}

async function drawPhoto(browser: Browser, folder: string): Promise<string> {
  const pictures = await drawPortrait(browser, 1, 1);
  const file = path.join(folder, 'ana.jpg');
  fs.writeFileSync(file, pictures.subarray(0, pictures.indexOf(Buffer.from([0xff, 0xd9])) + 2));
  return file;
}

async function openOffice(browser: Browser): Promise<Office> {
  const dataDir = makeFolder();
  const run = async (...words: string[]): Promise<Printed> =>
    JSON.parse(await outputOf(process.execPath, [COMMAND, ...words, '--json'], { DATA_DIR: dataDir }));
  const found = async (name: string, role: string, ...words: string[]): Promise<string> => {
    const place = ['--industry', 'exterior_remodeling', '--timezone', ZONE];
    const { id } = await run('org', 'create', '--name', name, ...place, ...words);
    const ana = ['--first-name', 'Ana', '--last-name', 'Ng', '--email', 'ana@acme.example', '--external-id', 'rep_17'];
    await run('member', 'create', '--org', id, ...ana, '--role', role);
    return id;
  };
  const busy = await found('Acme Exteriors', 'member', '--lane', 'retail', '--lane', 'insurance');
  const founded = await found('New Roofing', 'owner');
  await run('org', 'set', busy, '--office-phone', '+13125550100', '--license', 'IL 104.018842');
  const { key } = await run('key', 'create', '--org', busy, '--name', 'Acme CRM');
  const { url } = await startService({
    dataDir,
    environment: { ...(await startMailServer()), WEBHOOKS_ALLOW_PRIVATE: 'on' },
  });
  const database = await connectToDatabase(dataDir);
  const api = createApi(url, key);
  const company = await fillCompany({
    ...{ organizationId: busy, api, now: systemClock(), receiverUrl: await startReceiver(), run },
    query: async (text, values = []) => (await database.query(text, values)).rows,
  });
  await run('member', 'set', company.ana, '--photo', await drawPhoto(browser, dataDir));
  const isSent = async () => {
    const { status, delivery } = (await api.get(`/v1/intros/${company.sent}`)).body;
    return status === 'sent' ? String(delivery.recipient_url) : null;
  };
  await record(browser, url, (await run('intro', 'link', company.sent)).url, isSent);
  await database.query('update webhook_endpoints set url = $1', [SHOWN_RECEIVER]);
  await database.end();
  const people: Partial<Record<Looker, [org: string, email: string]>> = {
    owner: [busy, 'olive@acme.example'],
    manager: [busy, 'ben@acme.example'],
    member: [busy, 'ana@acme.example'],
    founder: [founded, 'ana@acme.example'],
  };
  return {
    url,
    company,
    async linkFor(who) {
      const [org, email] = people[who] ?? [];
      if (org === undefined || email === undefined) return null;
      return (await run('signin', '--org', org, '--email', email)).url;
    },
  };
}

async function shoot(page: Page, file: string, options: { quality?: number; fullPage?: boolean } = {}): Promise<void> {
  const { quality = JPEG_QUALITY, fullPage = false } = options;
  await page.waitForTimeout(SETTLED_MS);
  await page.screenshot({ path: `${file}.jpg`, type: 'jpeg', quality, fullPage });
}

async function scrollTo(page: Page, heading: string): Promise<void> {
  const box = await page.getByRole('heading', { name: heading }).boundingBox();
  await page.evaluate(`scrollTo(0, ${(box?.y ?? 0) - TOP_PX})`);
}

/** In both lights at both sizes, as it is seen first, and the whole of it. */
async function takeScreen(visit: Visit, office: Office, screen: Screen, folder: string): Promise<void> {
  const { page } = visit;
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    await show(visit, office.url, screen, office.company);
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme });
      const file = path.join(folder, `${screen.name}.${size}-${colorScheme}`);
      await shoot(page, file);
      await page.evaluate('scrollTo(0, 0)');
      await shoot(page, `${file}.whole`, { fullPage: true });
    }
  }
  process.stdout.write(`console: ${screen.name}\n`);
}

interface Wish {
  readonly browser: Browser;
  readonly folder: string;
  /** Where those of the documentation go. */
  readonly chosen: string;
  isWanted(name: string): boolean;
}

export async function takeConsole({ browser, folder, chosen, isWanted }: Wish): Promise<void> {
  const office = await openOffice(browser);
  fs.mkdirSync(folder, { recursive: true });
  const visits = new Map<Looker, Visit>();
  const sit = async (who: Looker, scale: number): Promise<Visit> => {
    const visit = await sitDown(browser, office.url, { deviceScaleFactor: scale, timezoneId: ZONE });
    const link = await office.linkFor(who);
    if (link !== null) await signIn(visit, office.url, link);
    return visit;
  };
  for (const screen of SCREENS.filter(({ name }) => isWanted(name))) {
    const visit = visits.get(screen.who) ?? (await sit(screen.who, 1));
    visits.set(screen.who, visit);
    await takeScreen(visit, office, screen, folder);
  }
  for (const { name, size, scheme, to, scale, quality, from } of CHOSEN) {
    const screen = SCREENS.find((one) => one.name === name);
    if (screen === undefined) throw new Error(`no screen is named ${name}`);
    const visit = await sit(screen.who, scale);
    await visit.page.setViewportSize(SIZES[size]);
    await visit.page.emulateMedia({ colorScheme: scheme });
    await show(visit, office.url, screen, office.company);
    if (from !== undefined) await scrollTo(visit.page, from);
    await shoot(visit.page, path.join(chosen, to), { quality });
    await visit.page.context().close();
  }
}
