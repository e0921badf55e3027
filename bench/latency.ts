import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, postOneEvent } from './accept.ts';
import { stop } from './children.ts';
import { atMost, type Finding, info, median, ms, quantile } from './figures.ts';
import { startService } from './service.ts';

const MAX_START_MS = 1_500;
const MAX_PROCESSED_MS = 100;
const POLL_MS = 2;
const PROCESSED_LIMIT_MS = 10_000;
/** Not a divisor of any polling interval, so that events arrive at every phase of the worker's cycle. */
const PAUSE_MS = 137;

/** Time from process start to the first ready response, with an initialized and migrated database. */
export async function measureStarts(dataDir: string, count: number): Promise<Finding> {
  const took: number[] = [];
  for (let n = 0; n < count; n++) {
    const service = await startService({ dataDir });
    took.push(service.readyMs);
    await stop(service.child);
  }
  return atMost(`start to ready, median of ${count}`, median(took), MAX_START_MS, ms);
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
