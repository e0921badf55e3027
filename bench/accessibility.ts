import { stop } from './children.ts';
import { signIn } from './console.ts';
import { atLeast, type Finding, print } from './figures.ts';
import { readMemberLink, requestIntro } from './intros.ts';
import { loadLighthouse, startChromium } from './page/lighthouse.ts';
import { makeSite } from './page/site.ts';
import { connectToDatabase, prepareDataDir, signInLink, startService } from './service.ts';

/** Every weighted audit passes. Does not depend on the machine's speed. */
const TARGET = 100;
const CATEGORY = 'accessibility';
const DESKTOP = {
  formFactor: 'desktop',
  screenEmulation: { mobile: false, width: 1280, height: 800, deviceScaleFactor: 1, disabled: false },
} as const;

interface Screen {
  readonly name: string;
  readonly url: string;
  readonly cookie?: string;
}

/** The screens to check, on a service with a few intros. */
async function prepareScreens(): Promise<{ screens: readonly Screen[]; end: () => Promise<void> }> {
  const { dataDir, key } = await prepareDataDir();
  const service = await startService({ dataDir });
  const database = await connectToDatabase(dataDir);
  const site = await makeSite({ url: service.url, dataDir, database });
  const target = { service, dataDir, key };
  const intro = await requestIntro(target);
  await database.query("update members set role = 'owner'");
  const { rows } = await database.query<{ id: string }>('select id from organizations');
  await database.end();
  const cookie = await signIn(service.url, await signInLink(dataDir, rows[0]?.id ?? '', 'ana@acme.example'));
  const inConsole = (name: string, path: string): Screen => ({ name, url: `${service.url}/console${path}`, cookie });
  const screens = [
    inConsole('overview', '/overview'),
    inConsole('intros', '/intros'),
    inConsole('intro', `/intros/${intro}`),
    inConsole('touchpoint', '/touchpoints/new_appointment'),
    inConsole('members', '/members'),
    inConsole('developers', '/developers'),
    { name: 'sign-in', url: `${service.url}/console/signin` },
    { name: 'recorder', url: await readMemberLink(target, intro) },
    { name: 'recipient page', url: service.url + site.pagePath },
  ];
  return { screens, end: () => stop(service.child) };
}

/** Lighthouse's accessibility score of every kind of screen, on a phone and on a desktop. Prints the failed audits. */
export async function measureAccessibility(): Promise<Finding[]> {
  const { screens, end } = await prepareScreens();
  const browser = await startChromium();
  const lighthouse = await loadLighthouse();
  const findings: Finding[] = [];
  for (const { name, url, cookie } of screens) {
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
      findings.push(atLeast(`${name}, ${device}`, score, TARGET, String));
    }
  }
  await browser.end();
  await end();
  return findings;
}
