import { stop } from './children.ts';
import type { Finding } from './figures.ts';
import { measureLighthouse } from './page/lighthouse.ts';
import { measurePageRate, measureVideoRate } from './page/rates.ts';
import { measureSingle } from './page/single.ts';
import { makeSite } from './page/site.ts';
import { connectToDatabase, prepareDataDir, startService } from './service.ts';

const FULL = { rounds: 5, seconds: 6, singles: 2_000, visits: 3 };
/** Only checks that the bench works. The figures are not reliable. */
const QUICK = { rounds: 1, seconds: 2, singles: 200, visits: 1 };

/** Measures the recipient's page alone, under load, with its video compared to nginx, and in a phone's browser. */
export async function measurePage(quick: boolean): Promise<Finding[]> {
  const effort = quick ? QUICK : FULL;
  const { dataDir } = await prepareDataDir();
  const service = await startService({ dataDir });
  const database = await connectToDatabase(dataDir);
  const site = await makeSite({ url: service.url, dataDir, database });
  await database.end();
  const findings = [
    ...(await measureSingle(site, effort.singles)),
    ...(await measurePageRate(site, effort)),
    ...(await measureVideoRate(site, effort)),
    ...(await measureLighthouse(site, effort.visits)),
  ];
  await stop(service.child);
  return findings;
}
