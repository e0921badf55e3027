import { atMost, type Finding, median, ms } from './figures.ts';
import { makeFolder, stop } from './processes.ts';
import { prepare, startService } from './service.ts';

const MAX_MS = 1_000;
const MAX_FIRST_MS = 4_000;

/** From the start of the process to its first 200 on /readyz. */
async function timeStart(dataDir: string): Promise<number> {
  const { child, readyMs } = await startService({ dataDir, environment: {} });
  await stop(child);
  return readyMs;
}

/** With a database in the data folder and without one. */
export async function measureStarts(quick: boolean): Promise<Finding[]> {
  const count = quick ? 1 : 5;
  const { dataDir } = await prepare();
  const [later, first]: [number[], number[]] = [[], []];
  for (let n = 0; n < count; n++) {
    first.push(await timeStart(makeFolder()));
    later.push(await timeStart(dataDir));
  }
  return [
    atMost(`start to ready, median of ${count}`, median(later), MAX_MS, ms),
    atMost('  in an empty folder', median(first), MAX_FIRST_MS, ms),
  ];
}
