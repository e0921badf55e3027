import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Browser, type CDPSession, chromium } from 'playwright-core';
import { atMost, type Finding, info, median, ms, print } from '../figures.ts';

const CHROMIUM = '/usr/bin/chromium';
/** Lighthouse's mobile network, throttled for real. */
export const SLOW_4G = { latency: 150, downloadThroughput: (1.6 * 1_000_000) / 8, uploadThroughput: (750 * 1_000) / 8 };
const POLL_MS = 20;
const VISIT_LIMIT_MS = 60_000;
const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
const MAX_SCRIPT_BYTES = 110 * 1024;

/** A page, and the condition for being usable. */
export interface FirstLoad {
  readonly name: string;
  readonly path: string;
  /** JavaScript that is true once the page is usable. */
  readonly isUsable: string;
  readonly maxMs: number;
  /** Only the console has a limit. */
  readonly limitsScripts?: boolean;
}

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
    scriptBytes: sum(finished.filter(({ script }) => script)),
    bytes: sum(finished),
    requests: finished.length,
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

const kilobytes = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;

/** Measures the wait on a slow connection, and what the browser loads until then. */
export async function measureFirstLoads(
  { url, cookie }: { url: string; cookie: string },
  loads: readonly FirstLoad[],
  visits: number,
): Promise<Finding[]> {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing. Install it with: apt-get install chromium`);
  // The sandbox does not work as root, as in most containers. Only our own pages are opened.
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'];
  const browser = await chromium.launch({ executablePath: CHROMIUM, args });
  try {
    const findings: Finding[] = [];
    for (const load of loads) {
      // The server compresses and compiles on the first request.
      await visit(browser, url, load, cookie);
      const visited: Visited[] = [];
      for (let n = 0; n < visits; n++) visited.push(await visit(browser, url, load, cookie));
      const medianOf = (name: keyof Visited) => median(visited.map((each) => each[name]));
      print(`  ${load.name}: ${visited.map(({ usableMs }) => Math.round(usableMs)).join(', ')} ms`);
      const scripts = medianOf('scriptBytes');
      findings.push(
        atMost(`${load.name} on slow 4G: usable, median of ${visits}`, medianOf('usableMs'), load.maxMs, ms),
        load.limitsScripts === true
          ? atMost('  JavaScript until then', scripts, MAX_SCRIPT_BYTES, kilobytes)
          : info('  JavaScript until then', kilobytes(scripts)),
        info('  everything until then', `${kilobytes(medianOf('bytes'))} in ${medianOf('requests')} requests`),
      );
    }
    return findings;
  } finally {
    await browser.close();
  }
}
