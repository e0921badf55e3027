import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, postCounted } from './accept.ts';
import { atLeast, atMost, type Finding, info, median, perSecond, print, times } from './figures.ts';
import { countWaiting } from './service.ts';

const CONNECTIONS = 64;
const MIN_SHARE_OF_BARE = 0.2;
const MAX_DRAIN_S = 60;
/** Tried in turn until the backlog stops growing. Shares below the target show how far off the service is. */
const SHARES_OF_BARE = [0.25, 0.21, 0.1];
/** Batches make the backlog fluctuate by about the events that arrive in this time. */
const FLUCTUATION_S = 0.5;

export async function measureDrain(bench: Bench, seconds: number): Promise<Finding[]> {
  print(`full load for ${seconds} s, then the time to process the backlog`);
  const report = await postCounted(bench, { connections: CONNECTIONS, seconds });
  return [
    info(`waiting after ${seconds} s at full load`, `${report.waiting} of ${report.requests}`),
    atMost('  processed after', report.drainSeconds, MAX_DRAIN_S, (value) => `${value.toFixed(1)} s`),
  ];
}

async function sampleWaiting(bench: Bench, seconds: number): Promise<number[]> {
  const samples: number[] = [];
  const started = performance.now();
  for (let second = 1; second <= seconds; second++) {
    await sleep(Math.max(0, started + second * 1000 - performance.now()));
    samples.push(await countWaiting(bench.database));
  }
  return samples;
}

/** Whether the backlog is no larger at the end than after the first third. */
function isStable(samples: readonly number[], rate: number): boolean {
  const third = Math.floor(samples.length / 3);
  const early = median(samples.slice(third - 2, third + 1));
  const late = median(samples.slice(-3));
  return late <= early + rate * FLUCTUATION_S;
}

/** Finds the highest share of the bare rate at which the service accepts and processes without a growing backlog. */
export async function measureSustained(bench: Bench, seconds: number, bare: number): Promise<Finding[]> {
  for (const share of SHARES_OF_BARE) {
    const rate = bare * share;
    print(`accepting and processing together at ${perSecond(rate)}, ${times(share)} of bare, for ${seconds} s`);
    let samples: number[] = [];
    const report = await postCounted(bench, {
      connections: CONNECTIONS,
      seconds,
      perSecond: rate,
      whileLoading: async () => {
        samples = await sampleWaiting(bench, seconds);
      },
    });
    const achieved = report.requests / report.seconds;
    print(`  waiting, each second: ${samples.join(' ')}`);
    print(`  accepted ${perSecond(achieved)}`);
    if (achieved >= 0.95 * rate && isStable(samples, achieved)) {
      return [
        info(`accepting and processing together, ${seconds} s`, perSecond(achieved)),
        atLeast('  compared with a bare Fastify', achieved / bare, MIN_SHARE_OF_BARE, times),
      ];
    }
  }
  return [
    {
      name: 'accepting and processing together',
      measured: 'the backlog grew',
      target: `≥ ${times(MIN_SHARE_OF_BARE)}`,
      ok: false,
    },
  ];
}
