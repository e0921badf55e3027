import { stop } from './children.ts';
import { signIn } from './console.ts';
import type { Finding } from './figures.ts';
import { writeRows } from './growth/rows.ts';
import { readMemberLink, requestIntro } from './intros.ts';
import { type FirstLoad, measureFirstLoads } from './page/first-load.ts';
import { measureLighthouse } from './page/lighthouse.ts';
import { measurePageRate, measureVideoRate } from './page/rates.ts';
import { measureSingle } from './page/single.ts';
import { makeSite } from './page/site.ts';
import { connectToDatabase, prepareDataDir, signInLink, startService } from './service.ts';

const FULL = { rounds: 5, seconds: 6, singles: 2_000, visits: 3, firstLoads: 7 };
/** Only checks that the bench works. The figures are not reliable. */
const QUICK = { rounds: 1, seconds: 2, singles: 200, visits: 1, firstLoads: 1 };

/** Enough for full pages of both lists. */
const ROWS = 2_000;

const firstLoads = (pages: { recorder: string; recipient: string }): FirstLoad[] => [
  {
    name: 'overview',
    path: '/console/overview',
    isUsable: `document.querySelector('.waiting-list a') && document.querySelectorAll('.figure-value').length > 0 &&
      !document.querySelector('.figure-skeleton')`,
    maxMs: 1_800,
    limitsScripts: true,
  },
  {
    name: 'intros',
    path: '/console/intros',
    isUsable: `document.querySelector('.intros-list [data-key] a')`,
    maxMs: 1_800,
    limitsScripts: true,
  },
  {
    name: 'recorder',
    path: pages.recorder,
    isUsable: `document.querySelector('.actions button:not(:disabled)')`,
    maxMs: 1_300,
  },
  {
    name: 'recipient page',
    path: pages.recipient,
    isUsable: `document.querySelector('video') && performance.getEntriesByName('first-contentful-paint').length > 0`,
    maxMs: 1_000,
  },
];

/** Measures the recipient's page alone, under load, with its video compared to nginx, and first visits in a phone's browser. */
export async function measurePage(quick: boolean): Promise<Finding[]> {
  const effort = quick ? QUICK : FULL;
  const { dataDir, key } = await prepareDataDir();
  const service = await startService({ dataDir });
  const database = await connectToDatabase(dataDir);
  const site = await makeSite({ url: service.url, dataDir, database });
  const recorder = await readMemberLink({ service, dataDir, key }, await requestIntro({ service, dataDir, key }));
  await writeRows(database, ROWS);
  await database.query(`update members set role = 'owner' where email = 'ana@acme.example'`);
  const { rows } = await database.query<{ id: string }>(
    `select organization_id as id from members where role = 'owner'`,
  );
  await database.end();
  const cookie = await signIn(service.url, await signInLink(dataDir, rows[0]?.id ?? '', 'ana@acme.example'));
  const pages = { recorder: new URL(recorder).pathname, recipient: site.pagePath };
  const findings = [
    ...(await measureSingle(site, effort.singles)),
    ...(await measurePageRate(site, effort)),
    ...(await measureVideoRate(site, effort)),
    ...(await measureFirstLoads({ url: service.url, cookie }, firstLoads(pages), effort.firstLoads)),
    ...(await measureLighthouse(site, effort.visits)),
  ];
  await stop(service.child);
  return findings;
}
