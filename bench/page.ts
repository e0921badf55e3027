import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser } from 'playwright-core';
import { endChromium, openChromium } from '../packages/server/test/browser/chromium.ts';
import { atMost, type Finding, info, kilobytes, median, ms, print } from './figures.ts';
import { writeRows } from './growth/rows.ts';
import { call, openSite, prepare, readMemberPath, requestIntro, type Site, signIn } from './service.ts';

/** Enough for full pages of both lists. */
const ROWS = 2_000;
/** Lighthouse's mobile network, throttled for real. */
const SLOW_4G = { latency: 150, downloadThroughput: (1.6 * 1_000_000) / 8, uploadThroughput: (750 * 1_000) / 8 };
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
const POLL_MS = 20;
const VISIT_LIMIT_MS = 60_000;

interface FirstLoad {
  readonly name: string;
  readonly path: string;
  readonly maxMs: number;
  /** In JavaScript. */
  readonly isUsable: string;
}

/** Its heading, and a control or a row of its content. */
const IS_USABLE = `document.querySelector('main h1') && document.querySelector('main :is(.list-row, .card :is(a, button, input))')`;

const firstLoads = (pages: { recorder: string; recipient: string }): FirstLoad[] => [
  ...[
    'overview',
    'intros',
    'messages',
    'account',
    'organization/brand',
    'organization/texting',
    'organization/activity',
  ].map((path) => ({ name: path, path: `/console/${path}`, maxMs: 1_500, isUsable: IS_USABLE })),
  {
    ...{ name: 'recorder', path: pages.recorder, maxMs: 1_300 },
    isUsable: `document.querySelector('.actions button:not(:disabled)')`,
  },
  {
    ...{ name: 'recipient page', path: pages.recipient, maxMs: 1_000 },
    isUsable: `document.querySelector('video') && performance.getEntriesByName('first-contentful-paint').length > 0`,
  },
  {
    ...{ name: 'API reference', path: '/docs/reference', maxMs: 2_500 },
    isUsable: `document.readyState === 'complete' && performance.getEntriesByName('first-contentful-paint').length > 0`,
  },
];

interface Visited {
  readonly usableMs: number;
  /** Transferred until then, with headers. */
  readonly scriptBytes: number;
  readonly bytes: number;
  readonly requests: number;
}

/** Notes the first frame in which the page is usable, and what it has loaded until then. */
const watchFor = (condition: string): string => `(() => {
  const sum = (entries) => entries.reduce((total, { transferSize }) => total + transferSize, 0);
  const check = () => {
    if (!document.body || !(${condition})) return requestAnimationFrame(check);
    const loaded = ['navigation', 'resource'].flatMap((type) => performance.getEntriesByType(type));
    const scriptBytes = sum(loaded.filter(({ name }) => /[.]m?js$/.test(name)));
    globalThis.visited = { usableMs: performance.now(), scriptBytes, bytes: sum(loaded), requests: loaded.length };
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
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', { offline: false, ...SLOW_4G });
  await page.addInitScript(watchFor(isUsable));
  await page.goto(url + path, { waitUntil: 'commit' });
  // Not with waitForFunction, which the Content-Security-Policy of the pages forbids.
  for (let waited = 0; waited < VISIT_LIMIT_MS; waited += POLL_MS) {
    const visited = await page.evaluate<Visited | undefined>('globalThis.visited');
    if (visited !== undefined) {
      await context.close();
      return visited;
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
    info('  JavaScript until then', kilobytes(of('scriptBytes'))),
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
