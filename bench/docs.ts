import { buildDocs } from '../docs/site/build.ts';
import { stop } from './children.ts';
import { atLeast, type Finding, median, ms, print } from './figures.ts';
import { type Run, runLighthouse } from './page/lighthouse.ts';
import { prepareDataDir, startService } from './service.ts';

const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;
const MIN_SCORE = 95;
const VISITS = 3;
/** The landing page, a guide with code, the longest page, and the page that errors link to. */
const PAGES = ['/docs', '/docs/guides/quickstart', '/docs/operations', '/docs/errors'];

async function visit(url: string, count: number): Promise<Run[]> {
  const runs: Run[] = [];
  for (let n = 1; n <= count; n++) {
    const run = await runLighthouse(url, CATEGORIES);
    print(`  ${new URL(url).pathname}, ${n} of ${count}: ${run.scores.join(', ')}; LCP ${ms(run.lcpMs)}`);
    runs.push(run);
  }
  return runs;
}

/** Measures pages of the docs site in a phone's browser. */
export async function measureDocs(quick: boolean): Promise<Finding[]> {
  buildDocs();
  const { dataDir } = await prepareDataDir();
  const service = await startService({ dataDir, environment: { DOCS_SITE: 'on' } });
  const findings: Finding[] = [];
  for (const page of PAGES) {
    const runs = await visit(service.url + page, quick ? 1 : VISITS);
    for (const [at, name] of CATEGORIES.entries()) {
      const score = median(runs.map(({ scores }) => scores[at] ?? 0));
      findings.push(atLeast(`Lighthouse, mobile: ${page}, ${name}`, score, MIN_SCORE, String));
    }
  }
  await stop(service.child);
  return findings;
}
