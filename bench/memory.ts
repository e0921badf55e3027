import { stop } from './children.ts';
import { atMost, type Finding, info, median, megabytes, print, times } from './figures.ts';
import { postEvents } from './load.ts';
import { postgresMb, residentMb } from './processes.ts';
import { connectToDatabase, drain, prepareDataDir, startService } from './service.ts';

/** A rate that leaves the machine time for other work: memory does not depend on it. */
const PER_SECOND = 200;
const CONNECTIONS = 16;
const MINUTES = 60;
/** Caches are full, and V8 has optimized the code. */
const WARM_UP_MINUTES = 10;
/** Samples at each end: garbage collection makes single ones differ. */
const SAMPLES = 10;
const MAX_GROWTH = 1.05;
const DRAIN_LIMIT_S = 60;

/** Memory of the service while events arrive for an hour. */
export async function measureMemory(quick: boolean): Promise<Finding[]> {
  const { dataDir, key } = await prepareDataDir();
  const service = await startService({ dataDir });
  const database = await connectToDatabase(dataDir);
  const load = { url: `${service.url}/v1/touchpoint-events`, key, connections: CONNECTIONS, perSecond: PER_SECOND };
  const [warmUp, minutes, seconds] = quick ? [1, 3, 2] : [WARM_UP_MINUTES, MINUTES, 60];
  const samples: number[] = [];
  let events = 0;
  for (let minute = 1; minute <= warmUp + minutes; minute++) {
    const { requests, failures } = await postEvents({ ...load, seconds });
    if (failures > 0) throw new Error(`${failures} of ${requests} requests failed`);
    events += requests;
    const serviceMb = residentMb(service.child.pid);
    if (minute > warmUp) samples.push(serviceMb);
    print(`  minute ${minute}: service ${megabytes(serviceMb)}, PostgreSQL ${megabytes(postgresMb(dataDir))}`);
  }
  const drained = await drain(database, DRAIN_LIMIT_S);
  await database.end();
  await stop(service.child);
  if (!Number.isFinite(drained.seconds)) throw new Error(`events still wait after ${DRAIN_LIMIT_S} s`);
  const [first, last] = [median(samples.slice(0, SAMPLES)), median(samples.slice(-SAMPLES))];
  return [
    info(`events in ${warmUp + minutes} minutes`, `${events}`),
    info(`memory of the service after ${warmUp} minutes`, megabytes(first)),
    atMost(`  ${minutes} minutes later: ${megabytes(last)}`, last / first, MAX_GROWTH, times),
  ];
}
