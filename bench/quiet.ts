import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, postOneEvent } from './accept.ts';
import { stop } from './children.ts';
import { aside, atMost, type Finding, median, ms, quantile } from './figures.ts';
import { startService } from './service.ts';

const WANTED_START_MS = 1_500;
const WANTED_PROCESSED_MS = 100;
const POLL_MS = 2;
const PROCESSED_LIMIT_MS = 10_000;
/** Not a divisor of any polling interval, so that events meet the worker at every moment of its own rhythm. */
const PAUSE_MS = 137;

/** From the start of the process to the first answer on /readyz, with a database that is initialised and migrated. */
export async function measureStarts(dataDir: string, count: number): Promise<Finding> {
  const took: number[] = [];
  for (let n = 0; n < count; n++) {
    const service = await startService({ dataDir });
    took.push(service.readyMs);
    await stop(service.child);
  }
  return atMost(`start to ready, median of ${count}`, median(took), WANTED_START_MS, ms);
}

async function waitUntilProcessed(bench: Bench, id: string): Promise<void> {
  const begun = performance.now();
  while (performance.now() - begun < PROCESSED_LIMIT_MS) {
    const response = await fetch(`${bench.service.url}/v1/events/${id}`, {
      headers: { authorization: `Bearer ${bench.key}` },
    });
    if (response.status !== 200) throw new Error(`an event was read with ${response.status}`);
    const { status } = (await response.json()) as { status: string };
    if (status === 'processed') return;
    await sleep(POLL_MS);
  }
  throw new Error(`${id} was not processed in time`);
}

/** As a caller sees it: from the 202 to the first answer that says processed, one event at a time. */
export async function measureProcessing(bench: Bench, count: number): Promise<Finding[]> {
  const took: number[] = [];
  for (let n = 0; n < count; n++) {
    const { id } = JSON.parse(await postOneEvent(bench, `acme_crm:single-${n}:new_appointment`)) as { id: string };
    const begun = performance.now();
    await waitUntilProcessed(bench, id);
    took.push(performance.now() - begun);
    await sleep(PAUSE_MS);
  }
  return [
    atMost(`accepted to processed, median of ${count}`, median(took), WANTED_PROCESSED_MS, ms),
    aside('  95 of 100 within', ms(quantile(took, 0.95))),
  ];
}
