import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, type Effort, evaluateAccepting, measureAccepting } from './accept.ts';
import { measureAccessibility } from './accessibility.ts';
import { stopEverything } from './children.ts';
import { measureConsole } from './console.ts';
import { measureCost } from './cost.ts';
import { measureDocs } from './docs.ts';
import { atMost, type Finding, info, median, megabytes, print, printTable, times } from './figures.ts';
import { measureGrowth } from './growth.ts';
import { measureProcessing, measureStarts, measureStartTimes } from './latency.ts';
import { measureLevels } from './levels.ts';
import { loadProgram } from './load.ts';
import { measureMedia } from './media.ts';
import { measureMemory } from './memory.ts';
import { measurePage } from './page.ts';
import { measurePartitions } from './partitions.ts';
import { measurePooler } from './pooler.ts';
import { postgresMb, residentMb } from './processes.ts';
import { measureRecorder } from './recorder.ts';
import { measureRetention } from './retention.ts';
import { measureSaturation } from './saturation.ts';
import { connectToDatabase, prepareDataDir, startService } from './service.ts';
import { measureDrain, measureSustained } from './sustained.ts';
import { measureTraces } from './traces.ts';
import { measureWebhooks } from './webhooks.ts';
import { measureWriterCommits } from './writers.ts';

interface Plan extends Effort {
  readonly starts: number;
  readonly singles: number;
  readonly idleSeconds: number;
  readonly longSeconds: number;
}

/** Rounds are short, because accepting slows down to the rate of processing when events have waited for a second. */
const FULL: Plan = {
  rounds: 5,
  seconds: 3,
  warmUpSeconds: 5,
  starts: 5,
  singles: 50,
  idleSeconds: 10,
  longSeconds: 30,
};
/** Only checks that the bench works. The figures are not reliable. */
const QUICK: Plan = { rounds: 1, seconds: 2, warmUpSeconds: 1, starts: 1, singles: 10, idleSeconds: 1, longSeconds: 6 };

const MAX_IDLE_MB = 200;
/** No growth, apart from the difference that garbage collection makes between two readings. */
const MAX_GROWTH = 1.05;
const PARTS: Readonly<Record<string, (quick: boolean) => Promise<Finding[]>>> = {
  accessibility: measureAccessibility,
  console: measureConsole,
  cost: measureCost,
  docs: measureDocs,
  growth: measureGrowth,
  levels: measureLevels,
  media: measureMedia,
  memory: measureMemory,
  page: measurePage,
  partitions: measurePartitions,
  pooler: measurePooler,
  recorder: measureRecorder,
  retention: measureRetention,
  saturation: measureSaturation,
  starts: measureStartTimes,
  traces: measureTraces,
  webhooks: measureWebhooks,
  writers: measureWriterCommits,
};
const USAGE = `usage: npm run bench [-- ${Object.keys(PARTS).join(' | ')}] [--quick]`;

async function measureService(plan: Plan): Promise<{ findings: Finding[]; violations: string[] }> {
  const violations: string[] = [];
  const { dataDir, key } = await prepareDataDir();
  const starts = await measureStarts(dataDir, plan.starts);
  const service = await startService({ dataDir });
  const database = await connectToDatabase(dataDir);
  const bench: Bench = { service, database, dataDir, key, violations };
  await sleep(plan.idleSeconds * 1000);
  const idleMb = residentMb(service.child.pid);
  const idlePostgresMb = postgresMb(dataDir);
  const singles = await measureProcessing(bench, plan.singles);

  const roundsAt = await measureAccepting(bench, plan);
  const full = roundsAt.get(64) ?? [];
  const draining = await measureDrain(bench, plan.longSeconds);
  const sustained = await measureSustained(bench, plan.longSeconds, median(full.map(({ bare }) => bare)));

  await sleep(plan.idleSeconds * 1000);
  const settledMb = [...roundsAt.values()].flat().map((round) => round.settledMb);
  const lastMb = residentMb(service.child.pid);
  const findings = [
    ...evaluateAccepting(roundsAt),
    ...draining,
    ...sustained,
    ...singles,
    starts,
    atMost('idle memory', idleMb, MAX_IDLE_MB, megabytes),
    info('memory after each round, in MB', settledMb.map(Math.round).join(' ')),
    info('memory at the end', megabytes(lastMb)),
    atMost(
      '  compared with the median of the first three rounds',
      lastMb / median(settledMb.slice(0, 3)),
      MAX_GROWTH,
      times,
    ),
    info(
      'memory of PostgreSQL, idle and at the end',
      `${megabytes(idlePostgresMb)}, ${megabytes(postgresMb(dataDir))}`,
    ),
  ];
  await database.end();
  return { findings, violations };
}

async function main(args: readonly string[]): Promise<number> {
  const [part, ...more] = args.filter((arg) => arg !== '--quick');
  if (more.length > 0 || (part !== undefined && !(part in PARTS))) {
    print(USAGE);
    return 2;
  }
  const quick = args.includes('--quick');
  print(`${availableParallelism()} cores, load from ${loadProgram}, log level info to a file, fsync on`);
  const measurePart = part === undefined ? undefined : PARTS[part];
  if (measurePart !== undefined) {
    printTable(await measurePart(quick));
    return 0;
  }
  const { findings, violations } = await measureService(quick ? QUICK : FULL);
  print('');
  printTable(findings);
  for (const violation of violations) print(`BROKEN PROMISE: ${violation}`);
  return violations.length === 0 ? 0 : 1;
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
