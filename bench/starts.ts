import { execFileSync } from 'node:child_process';
import { atMost, type Finding, median, ms, times } from './figures.ts';
import { makeFolder, stop } from './processes.ts';
import { prepare, startService } from './service.ts';

const MAX_MS = 1_000;
const MAX_FIRST_MS = 4_000;
/** 700 ms where an empty program takes 40 ms. */
const MAX_RATIO = 17.5;

/** From the start of the process to its first 200 on /readyz. */
async function timeStart(dataDir: string): Promise<number> {
  const { child, readyMs } = await startService({ dataDir, environment: {} });
  await stop(child);
  return readyMs;
}

function timeEmptyProgram(): number {
  const started = performance.now();
  execFileSync(process.execPath, ['-e', '']);
  return performance.now() - started;
}

/** With a database in the data folder and without one. */
export async function measureStarts(quick: boolean): Promise<Finding[]> {
  const count = quick ? 1 : 5;
  const { dataDir } = await prepare();
  const [later, first, empty]: [number[], number[], number[]] = [[], [], []];
  for (let n = 0; n < count; n++) {
    first.push(await timeStart(makeFolder()));
    empty.push(timeEmptyProgram());
    later.push(await timeStart(dataDir));
    empty.push(timeEmptyProgram());
  }
  return [
    atMost(`start to ready, median of ${count}`, median(later), MAX_MS, ms),
    atMost('  compared with an empty Node program', median(later) / median(empty), MAX_RATIO, times),
    atMost('  in an empty folder', median(first), MAX_FIRST_MS, ms),
  ];
}
