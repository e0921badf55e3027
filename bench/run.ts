/** Folder: measures what decides, as ratios within one run. */

import { availableParallelism } from 'node:os';
import { measureAccepting } from './accept.ts';
import { measureCost } from './cost.ts';
import { measureFairness } from './fairness.ts';
import { type Finding, print, printTable } from './figures.ts';
import { measureGrowth } from './growth.ts';
import { measureLevels } from './levels.ts';
import { measureMedia } from './media.ts';
import { measureMemory } from './memory.ts';
import { measurePage } from './page.ts';
import { stopEverything } from './processes.ts';
import { measureStarts } from './starts.ts';
import { measureWebhooks } from './webhooks.ts';

/** `quick` only checks that the bench works: its figures are not reliable. */
const PARTS: Readonly<Record<string, (quick: boolean) => Promise<Finding[]>>> = {
  accept: measureAccepting,
  cost: measureCost,
  fairness: measureFairness,
  growth: measureGrowth,
  levels: measureLevels,
  media: measureMedia,
  memory: measureMemory,
  page: measurePage,
  starts: measureStarts,
  webhooks: measureWebhooks,
};

async function main(args: readonly string[]): Promise<number> {
  const [part = 'accept', ...more] = args.filter((arg) => arg !== '--quick');
  const measure = PARTS[part];
  if (measure === undefined || more.length > 0) {
    print(`usage: npm run bench [-- ${Object.keys(PARTS).join(' | ')}] [--quick]`);
    return 2;
  }
  print(`${availableParallelism()} cores, log level info to a file, fsync on`);
  printTable(await measure(args.includes('--quick')));
  return 0;
}

let ending: Promise<never> | undefined;

/** Only the first call counts: failures caused by stopping must not interrupt the cleanup. */
function end(code: number): Promise<never> {
  ending ??= stopEverything().then(() => process.exit(code));
  return ending;
}

process.once('SIGINT', () => void end(130));
process.once('SIGTERM', () => void end(143));
try {
  await end(await main(process.argv.slice(2)));
} catch (error) {
  if (ending === undefined) print(error instanceof Error ? (error.stack ?? error.message) : String(error));
  await end(1);
}
