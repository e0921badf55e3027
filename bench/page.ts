import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, CDPSession } from 'playwright-core';
import { endChromium, openChromium } from '../packages/server/test/browser/chromium.ts';
import { atMost, type Finding, info, median, ms, print } from './figures.ts';
import { writeRows } from './growth/rows.ts';
import { call, openSite, prepare, readMemberPath, requestIntro, type Site, signIn } from './service.ts';

/** Enough for full pages of both lists. */
const ROWS = 2_000;
const MAX_SCRIPT_BYTES = 110 * 1024;
/** Lighthouse's mobile network, throttled for real. */
const SLOW_4G = { latency: 150, downloadThroughput: (1.6 * 1_000_000) / 8, uploadThroughput: (750 * 1_000) / 8 };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
const POLL_MS = 20;
const VISIT_LIMIT_MS = 60_000;

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;

/** A page, and the JavaScript condition for being usable. */
interface FirstLoad {
  readonly name: string;
  readonly path: string;
  readonly isUsable: string;
  readonly maxMs: number;
  /** Only the console has a limit. */
  readonly limitsScripts?: boolean;
}

const firstLoads = (pages: { recorder: string; recipient: string }): FirstLoad[] => [
  {
    ...{ name: 'overview', path: '/console/overview', maxMs: 1_800, limitsScripts: true },
    isUsable: `document.querySelector('.waiting-list a') && document.querySelectorAll('.figure-value').length > 0 &&
      !document.querySelector('.figure-skeleton')`,
  },
  {
    ...{ name: 'intros', path: '/console/intros', maxMs: 1_800, limitsScripts: true },
    isUsable: `document.querySelector('.intros-list [data-key] a')`,
  },
  {
    ...{ name: 'recorder', path: pages.recorder, maxMs: 1_300 },
    isUsable: `document.querySelector('.actions button:not(:disabled)')`,
  },
  {
    ...{ name: 'recipient page', path: pages.recipient, maxMs: 1_000 },
    isUsable: `document.querySelector('video') && performance.getEntriesByName('first-contentful-paint').length > 0`,
  },
];

interface Visited {
  readonly usableMs: number;
  /** Transferred until then, with headers. */
  readonly scriptBytes: number;
  readonly bytes: number;
  readonly requests: number;
}

async function countTransfers(devtools: CDPSession): Promise<() => Omit<Visited, 'usableMs'>> {
  const types = new Map<string, string>();
  const finished: { script: boolean; bytes: number }[] = [];
  devtools.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type));
  devtools.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    finished.push({ script: types.get(requestId) === 'Script', bytes: encodedDataLength });
  });
  await devtools.send('Network.enable');
  const sum = (counted: typeof finished) => counted.reduce((total, { bytes }) => total + bytes, 0);
  return () => ({
    ...{ scriptBytes: sum(finished.filter(({ script }) => script)), bytes: sum(finished), requests: finished.length },
  });
}

/** Records the first frame in which the page is usable. */
const watchFor = (condition: string): string => `(() => {
  const check = () => {
    if (document.body && (${condition})) globalThis.usableMs = performance.now();
    else requestAnimationFrame(check);
  };
  requestAnimationFrame(check);
})()`;

/** One visit with an empty cache. */
async function visit(browser: Browser, url: string, { path, isUsable }: FirstLoad, cookie: string): Promise<Visited> {
  const context = await browser.newContext(PHONE);
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url }]);
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  const count = await countTransfers(devtools);
  await devtools.send('Network.emulateNetworkConditions', { offline: false, ...SLOW_4G });
  await page.addInitScript(watchFor(isUsable));
  await page.goto(url + path, { waitUntil: 'commit' });
  for (let waited = 0; waited < VISIT_LIMIT_MS; waited += POLL_MS) {
    const usableMs = await page.evaluate<number | undefined>('globalThis.usableMs');
    if (usableMs !== undefined) {
      const counted = count();
      await context.close();
      return { usableMs, ...counted };
    }
    await sleep(POLL_MS);
  }
  throw new Error(`${path} never became usable`);
}

/** The wait on a slow connection, and what the browser loads until then. */
async function measureFirstLoad(browser: Browser, url: string, page: FirstLoad, cookie: string, visits: number) {
  // The server compresses and compiles on the first request.
  await visit(browser, url, page, cookie);
  const visited: Visited[] = [];
  for (let n = 0; n < visits; n++) visited.push(await visit(browser, url, page, cookie));
  const of = (name: keyof Visited) => median(visited.map((each) => each[name]));
  print(`  ${page.name}: ${visited.map(({ usableMs }) => Math.round(usableMs)).join(', ')} ms`);
  return [
    atMost(`${page.name} on slow 4G: usable, median of ${visits}`, of('usableMs'), page.maxMs, ms),
    page.limitsScripts === true
      ? atMost('  JavaScript until then', of('scriptBytes'), MAX_SCRIPT_BYTES, kilobytes)
      : info('  JavaScript until then', kilobytes(of('scriptBytes'))),
    info('  everything until then', `${kilobytes(of('bytes'))} in ${of('requests')} requests`),
  ];
}

/** Records an intro as the simulated member. Returns the path of the recipient's page. */
async function recordPage(site: Site): Promise<string> {
  const id = await requestIntro(site);
  await call(site, 'POST', `/v1/test_helpers/intros/${id}/record`);
  for (;;) {
    const { delivery } = await call<{ delivery: { recipient_url: string | null } }>(site, 'GET', `/v1/intros/${id}`);
    if (delivery.recipient_url !== null) return new URL(delivery.recipient_url).pathname;
    await sleep(POLL_MS);
  }
}

/** First visits of a phone's browser on a slow connection. */
export async function measurePage(quick: boolean): Promise<Finding[]> {
  const site = await openSite(await prepare());
  const recipient = await recordPage(site);
  const recorder = await readMemberPath(site, await requestIntro(site));
  await writeRows(site.database, ROWS);
  const cookie = await signIn(site);
  const findings: Finding[] = [];
  const browser = await openChromium();
  try {
    for (const page of firstLoads({ recorder, recipient }))
      findings.push(...(await measureFirstLoad(browser, site.url, page, cookie, quick ? 1 : 7)));
  } finally {
    await endChromium();
  }
  await site.close();
  return findings;
}
