import { atMost, type Finding, info, median, megabytes, print, times } from './figures.ts';
import { postEvents } from './load.ts';
import { residentMb } from './processes.ts';
import { drain, openSite, prepare } from './service.ts';

/** A rate that leaves the machine time for other work: memory does not depend on it. */
const PER_SECOND = 200;
const CONNECTIONS = 16;
const MINUTES = 60;
/** Caches are full, and V8 has optimized the code. */
const WARM_UP_MINUTES = 10;
/** Samples at each end: garbage collection makes single ones differ. */
const SAMPLES = 10;
const MAX_GROWTH = 1.05;
const IDLE_MS = 10_000;

/** Memory of the service while events arrive for an hour. */
export async function measureMemory(quick: boolean): Promise<Finding[]> {
  const site = await openSite(await prepare());
  await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
  const idleMb = residentMb(site.child.pid);
  const [warmUp, minutes, seconds] = quick ? [1, 3, 2] : [WARM_UP_MINUTES, MINUTES, 60];
  const samples: number[] = [];
  let events = 0;
  for (let minute = 1; minute <= warmUp + minutes; minute++) {
    const { url, key } = site;
    const load = { url, key, connections: CONNECTIONS, perSecond: PER_SECOND, seconds };
    events += (await postEvents(load)).requests;
    const serviceMb = residentMb(site.child.pid);
    if (minute > warmUp) samples.push(serviceMb);
    print(`  minute ${minute}: ${megabytes(serviceMb)}`);
  }
  await drain(site.database);
  await site.close();
  const [first, last] = [median(samples.slice(0, SAMPLES)), median(samples.slice(-SAMPLES))];
  return [
    info('memory of the service after its start', megabytes(idleMb)),
    info(`events in ${warmUp + minutes} minutes`, `${events}`),
    info(`memory of the service after ${warmUp} minutes`, megabytes(first)),
    atMost(`  ${minutes} minutes later: ${megabytes(last)}`, last / first, MAX_GROWTH, times),
  ];
}
