import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, type Effort, judgeAccepting, measureAccepting } from './accept.ts';
import { stopEverything } from './children.ts';
import { measureConsole } from './console.ts';
import { aside, atMost, type Finding, median, megabytes, print, printTable, times } from './figures.ts';
import { measureGrowth } from './growth.ts';
import { loadProgram } from './load.ts';
import { measureMedia } from './media.ts';
import { measurePage } from './page.ts';
import { postgresMb, residentMb } from './processes.ts';
import { measureProcessing, measureStarts } from './quiet.ts';
import { measureRecorder } from './recorder.ts';
import { connectBeside, prepareDataDir, startService } from './service.ts';
import { measureDrain, measureTogether } from './sustained.ts';
import { measureWebhooks } from './webhooks.ts';

interface Plan extends Effort {
  readonly starts: number;
  readonly singles: number;
  readonly restSeconds: number;
  readonly longSeconds: number;
}

const WHOLE: Plan = {
  rounds: 3,
  seconds: 8,
  warmUpSeconds: 5,
  starts: 5,
  singles: 50,
  restSeconds: 10,
  longSeconds: 30,
};
/** Shows that the bench works; its figures are not worth quoting. */
const QUICK: Plan = { rounds: 1, seconds: 2, warmUpSeconds: 1, starts: 1, singles: 10, restSeconds: 1, longSeconds: 6 };

const WANTED_REST_MB = 200;
/** None, within what two readings of the same process differ by when nothing happens between them but collections. */
const WANTED_GROWTH = 1.05;
const PARTS: Readonly<Record<string, (quick: boolean) => Promise<Finding[]>>> = {
  console: measureConsole,
  growth: measureGrowth,
  media: measureMedia,
  page: measurePage,
  recorder: measureRecorder,
  webhooks: measureWebhooks,
};
const USAGE = `usage: npm run bench [-- ${Object.keys(PARTS).join(' | ')}] [--quick]`;

async function measureService(plan: Plan): Promise<{ findings: Finding[]; lies: string[] }> {
  const lies: string[] = [];
  const { dataDir, key } = await prepareDataDir();
  const starts = await measureStarts(dataDir, plan.starts);
  const service = await startService({ dataDir });
  const database = await connectBeside(dataDir);
  const bench: Bench = { service, database, dataDir, key, lies };
  await sleep(plan.restSeconds * 1000);
  const restMb = residentMb(service.child.pid);
  const restPostgresMb = postgresMb(dataDir);
  const singles = await measureProcessing(bench, plan.singles);

  const roundsAt = await measureAccepting(bench, plan);
  const full = roundsAt.get(64) ?? [];
  const draining = await measureDrain(bench, plan.longSeconds);
  const together = await measureTogether(bench, plan.longSeconds, median(full.map(({ bare }) => bare)));

  await sleep(plan.restSeconds * 1000);
  const settledMb = [...roundsAt.values()].flat().map((round) => round.settledMb);
  const lastMb = residentMb(service.child.pid);
  const findings = [
    ...judgeAccepting(roundsAt),
    ...draining,
    ...together,
    ...singles,
    starts,
    atMost('memory at rest', restMb, WANTED_REST_MB, megabytes),
    aside('memory after each round, in MB', settledMb.map(Math.round).join(' ')),
    aside('memory at the end', megabytes(lastMb)),
    atMost('  of the median of the first three rounds', lastMb / median(settledMb.slice(0, 3)), WANTED_GROWTH, times),
    aside(
      'memory of PostgreSQL at rest and at the end',
      `${megabytes(restPostgresMb)}, ${megabytes(postgresMb(dataDir))}`,
    ),
  ];
  await database.end();
  return { findings, lies };
}

async function main(words: readonly string[]): Promise<number> {
  const [part, ...more] = words.filter((word) => word !== '--quick');
  if (more.length > 0 || (part !== undefined && !(part in PARTS))) {
    print(USAGE);
    return 2;
  }
  const quick = words.includes('--quick');
  print(`${availableParallelism()} cores, load from ${loadProgram}, log level info to a file, fsync on`);
  const measurePart = part === undefined ? undefined : PARTS[part];
  if (measurePart !== undefined) {
    printTable(await measurePart(quick));
    return 0;
  }
  const { findings, lies } = await measureService(quick ? QUICK : WHOLE);
  print('');
  printTable(findings);
  for (const lie of lies) print(`NOT HONEST: ${lie}`);
  return lies.length === 0 ? 0 : 1;
}

let ending: Promise<never> | undefined;

/** The first reason to end counts: what fails because of it must not cut the clearing up short. */
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
