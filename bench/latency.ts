import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, postOneEvent } from './accept.ts';
import { makeFolder, stop } from './children.ts';
import { atMost, type Finding, info, median, ms, quantile } from './figures.ts';
import { prepareDataDir, startService } from './service.ts';

const MAX_START_MS = 1_000;
const MAX_FIRST_START_MS = 4_000;
const MAX_PROCESSED_MS = 100;
const POLL_MS = 2;
const PROCESSED_LIMIT_MS = 10_000;
/** Not a divisor of any polling interval, so that events arrive at every phase of the worker's cycle. */
const PAUSE_MS = 137;

/** From the start of the process to its first ready response. */
async function timeStart(dataDir: string): Promise<number> {
  const service = await startService({ dataDir });
  await stop(service.child);
  return service.readyMs;
}

/** With an initialized and migrated database. */
export async function measureStarts(dataDir: string, count: number): Promise<Finding> {
  const took: number[] = [];
  for (let n = 0; n < count; n++) took.push(await timeStart(dataDir));
  return atMost(`start to ready, median of ${count}`, median(took), MAX_START_MS, ms);
}

/** With and without a database in the data folder. */
export async function measureStartTimes(quick: boolean): Promise<Finding[]> {
  const count = quick ? 1 : 5;
  const { dataDir } = await prepareDataDir();
  const first: number[] = [];
  for (let n = 0; n < count; n++) first.push(await timeStart(makeFolder()));
  return [
    await measureStarts(dataDir, count),
    atMost(`  in an empty folder, median of ${count}`, median(first), MAX_FIRST_START_MS, ms),
  ];
}

async function waitUntilProcessed(bench: Bench, id: string): Promise<void> {
  const started = performance.now();
  while (performance.now() - started < PROCESSED_LIMIT_MS) {
    const response = await fetch(`${bench.service.url}/v1/events/${id}`, {
      headers: { authorization: `Bearer ${bench.key}` },
    });
    if (response.status !== 200) throw new Error(`reading an event returned ${response.status}`);
    const { status } = (await response.json()) as { status: string };
    if (status === 'processed') return;
    await sleep(POLL_MS);
  }
  throw new Error(`${id} was not processed in time`);
}

/** Time from the 202 to the first response with status processed, one event at a time. */
export async function measureProcessing(bench: Bench, count: number): Promise<Finding[]> {
  const took: number[] = [];
  for (let n = 0; n < count; n++) {
    const { id } = JSON.parse(await postOneEvent(bench, `acme_crm:single-${n}:new_appointment`)) as { id: string };
    const started = performance.now();
    await waitUntilProcessed(bench, id);
    took.push(performance.now() - started);
    await sleep(PAUSE_MS);
  }
  return [
    atMost(`accepted to processed, median of ${count}`, median(took), MAX_PROCESSED_MS, ms),
    info('  p95', ms(quantile(took, 0.95))),
  ];
}
