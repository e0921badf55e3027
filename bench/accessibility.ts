import { setTimeout as sleep } from 'node:timers/promises';
import type { Viewer } from '../packages/server/test/browser/console-screen.ts';
import { pathOf, SCREENS } from '../packages/server/test/browser/console-screens.ts';
import { signIn } from './console.ts';
import { atLeast, type Finding, print } from './figures.ts';
import { loadLighthouse, startChromium } from './page/lighthouse.ts';
import { type SampleService, startSampleService } from './sample-service.ts';

/** Every weighted audit passes. Does not depend on the machine's speed. */
const TARGET = 100;
const CATEGORY = 'accessibility';
const DESKTOP = {
  formFactor: 'desktop',
  screenEmulation: { mobile: false, width: 1280, height: 800, deviceScaleFactor: 1, disabled: false },
} as const;
const RECORDED_WITHIN_MS = 60_000;
const POLL_MS = 500;

interface Screen {
  readonly name: string;
  readonly url: string;
  readonly cookie?: string | undefined;
}

/** Every screen of the console that has an address of its own. Lighthouse opens addresses, so it sees no open dialog. */
async function consoleScreens(sample: SampleService): Promise<Screen[]> {
  const cookies = new Map<Viewer, string | undefined>();
  const screens: Screen[] = [];
  for (const screen of SCREENS) {
    const { name, viewer, prepare, status = 200 } = screen;
    if (prepare !== undefined || status !== 200) continue;
    if (!cookies.has(viewer)) {
      const link = await sample.createSignInLink(viewer);
      cookies.set(viewer, link === null ? undefined : await signIn(sample.url, link));
    }
    const url = `${sample.url}/console${pathOf(screen, sample.company)}`;
    screens.push({ name, url, cookie: cookies.get(viewer) });
  }
  return screens;
}

async function pagesOfIntros({ url, api, company, run }: SampleService): Promise<Screen[]> {
  await api.post(`/v1/test_helpers/intros/${company.sent}/record`);
  const isSent = async () => (await api.get(`/v1/intros/${company.sent}`)).body.status === 'sent';
  for (let waitedMs = 0; !(await isSent()); waitedMs += POLL_MS) {
    if (waitedMs > RECORDED_WITHIN_MS) throw new Error('the intro was not sent in time');
    await sleep(POLL_MS);
  }
  const { body: sent } = await api.get(`/v1/intros/${company.sent}`);
  const recorder = await run('intro', 'link', company.requested);
  return [
    { name: 'recorder', url: url + new URL(recorder.url).pathname },
    { name: 'recipient page', url: url + new URL(sent.delivery.recipient_url).pathname },
  ];
}

/** Lighthouse's accessibility score of every screen, on a phone and on a desktop. Prints the failed audits. */
export async function measureAccessibility(quick: boolean): Promise<Finding[]> {
  const sample = await startSampleService();
  const screens = [...(await pagesOfIntros(sample)), ...(await consoleScreens(sample))].slice(0, quick ? 4 : undefined);
  const browser = await startChromium();
  const lighthouse = await loadLighthouse();
  const findings: Finding[] = [];
  for (const { name, url, cookie } of screens) {
    const scores: number[] = [];
    for (const device of ['phone', 'desktop'] as const) {
      const result = await lighthouse(url, {
        port: browser.port,
        onlyCategories: [CATEGORY],
        logLevel: 'error',
        throttlingMethod: 'provided',
        ...(cookie !== undefined && { extraHeaders: { Cookie: cookie } }),
        ...(device === 'desktop' && DESKTOP),
      });
      if (result?.lhr.finalDisplayedUrl !== url) throw new Error(`${url} led to ${result?.lhr.finalDisplayedUrl}`);
      const { audits, categories } = result.lhr;
      const failed = (categories[CATEGORY]?.auditRefs ?? []).filter(
        ({ id, weight }) => weight > 0 && audits[id]?.score !== null && audits[id]?.score !== 1,
      );
      for (const { id } of failed) print(`  ${name}, ${device}: ${id} ${JSON.stringify(audits[id]?.details?.items)}`);
      const score = Math.round((categories[CATEGORY]?.score ?? 0) * 100);
      scores.push(score);
      findings.push(atLeast(`${name}, ${device}`, score, TARGET, String));
    }
    print(`  ${name}: ${scores.join(', ')}`);
  }
  await browser.end();
  return findings;
}
