import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, makeFolder, startProcess, stop } from '../children.ts';
import { atLeast, atMost, type Finding, median, ms, print } from '../figures.ts';
import { resolveTool } from '../tools.ts';
import type { Site } from './site.ts';

const CHROMIUM = '/usr/bin/chromium';
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;
const MIN_SCORE = 100;
const MAX_LCP_MS = 1_200;
const START_LIMIT_MS = 10_000;
const START_POLL_MS = 50;

/** The part of Lighthouse's result that we read. Its own types are only available once it is installed. */
interface Result {
  readonly lhr: {
    readonly finalDisplayedUrl: string;
    readonly audits: Readonly<
      Record<
        string,
        {
          id: string;
          score: number | null;
          displayValue?: string;
          numericValue?: number;
          details?: { items?: readonly unknown[] };
        }
      >
    >;
    readonly categories: Readonly<
      Record<string, { score: number | null; auditRefs: readonly { id: string; weight: number }[] }>
    >;
  };
}

type Lighthouse = (
  url: string,
  flags: { port: number; onlyCategories: string[]; logLevel: 'error' } & Readonly<Record<string, unknown>>,
) => Promise<Result | undefined>;

export interface Run {
  readonly scores: readonly number[];
  readonly lcpMs: number;
}

export async function startChromium(): Promise<{ port: number; end(): Promise<void> }> {
  if (!existsSync(CHROMIUM)) throw new Error(`${CHROMIUM} is missing. Install it with: apt-get install chromium`);
  const port = await freePort();
  const profile = makeFolder();
  const quiet = ['--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
  // The sandbox does not work as root, as in most containers. Only our own page is opened.
  const options = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--log-level=3',
    `--user-data-dir=${profile}`,
    ...quiet,
  ];
  const child = startProcess(CHROMIUM, [...options, `--remote-debugging-port=${port}`, 'about:blank'], {
    env: { HOME: profile, PATH: '/usr/bin:/bin', XDG_CONFIG_HOME: join(profile, 'config') },
    stdout: 'pipe',
  });
  const isUp = () =>
    fetch(`http://127.0.0.1:${port}/json/version`).then(
      ({ ok }) => ok,
      () => false,
    );
  for (let waited = 0; !(await isUp()); waited += START_POLL_MS) {
    if (waited > START_LIMIT_MS) throw new Error('Chromium did not start');
    await sleep(START_POLL_MS);
  }
  return { port, end: () => stop(child) };
}

export async function loadLighthouse(): Promise<Lighthouse> {
  const loaded = (await import(resolveTool('lighthouse'))) as { default: Lighthouse };
  return loaded.default;
}

/** Uses Lighthouse's defaults: a simulated mid-range phone on slow 4G. Prints the audits that cost points. */
export async function runLighthouse(url: string, categories: readonly string[]): Promise<Run> {
  const lighthouse = await loadLighthouse();
  const browser = await startChromium();
  try {
    const result = await lighthouse(url, { port: browser.port, onlyCategories: [...categories], logLevel: 'error' });
    if (result === undefined) throw new Error('Lighthouse returned no result');
    const { audits, categories: scored } = result.lhr;
    for (const audit of Object.values(audits)) {
      const counts = categories.some((name) =>
        scored[name]?.auditRefs.some(({ id, weight }) => id === audit.id && weight > 0),
      );
      if (counts && audit.score !== null && audit.score < 1)
        print(`  ${audit.id}: ${audit.score} ${audit.displayValue ?? ''}`);
    }
    return {
      scores: categories.map((name) => Math.round((scored[name]?.score ?? 0) * 100)),
      lcpMs: audits['largest-contentful-paint']?.numericValue ?? Number.NaN,
    };
  } finally {
    await browser.end();
  }
}

export async function measureLighthouse(site: Site, count: number): Promise<Finding[]> {
  const runs: Run[] = [];
  for (let n = 1; n <= count; n++) {
    const run = await runLighthouse(site.url + site.pagePath, CATEGORIES);
    print(`  Lighthouse ${n} of ${count}: ${run.scores.join(', ')}; LCP ${ms(run.lcpMs)}`);
    runs.push(run);
  }
  return [
    ...CATEGORIES.map((name, at) =>
      atLeast(`Lighthouse, mobile: ${name}`, median(runs.map(({ scores }) => scores[at] ?? 0)), MIN_SCORE, String),
    ),
    atMost('  largest contentful paint', median(runs.map(({ lcpMs }) => lcpMs)), MAX_LCP_MS, ms),
  ];
}
