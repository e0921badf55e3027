import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, postCounted } from './accept.ts';
import { aside, atLeast, atMost, type Finding, median, perSecond, print, times } from './figures.ts';
import { countWaiting } from './service.ts';

const CONNECTIONS = 64;
const WANTED_TOGETHER = 0.2;
const WANTED_DRAIN_S = 60;
/** Tried in turn until the backlog stands still; what lies below the wanted one says how far away it is. */
const SHARES_OF_BARE = [0.25, 0.21, 0.1];
/** Processing goes in batches, so the backlog breathes: by what comes in within this time. */
const BREATH_S = 0.5;

export async function measureDrain(bench: Bench, seconds: number): Promise<Finding[]> {
  print(`full load for ${seconds} s, then how long the rest takes`);
  const report = await postCounted(bench, { connections: CONNECTIONS, seconds });
  return [
    aside(`waiting after ${seconds} s at full load`, `${report.waiting} of ${report.requests}`),
    atMost('  processed after', report.drainSeconds, WANTED_DRAIN_S, (value) => `${value.toFixed(1)} s`),
  ];
}

async function sampleWaiting(bench: Bench, seconds: number): Promise<number[]> {
  const samples: number[] = [];
  const begun = performance.now();
  for (let second = 1; second <= seconds; second++) {
    await sleep(Math.max(0, begun + second * 1000 - performance.now()));
    samples.push(await countWaiting(bench.database));
  }
  return samples;
}

/** Whether it is no larger at the end than it was after the first third. */
function standsStill(samples: readonly number[], rate: number): boolean {
  const third = Math.floor(samples.length / 3);
  const early = median(samples.slice(third - 2, third + 1));
  const late = median(samples.slice(-3));
  return late <= early + rate * BREATH_S;
}

/** Accepting and processing at once, for as long as one likes: the highest share of bare at which the backlog does not grow. */
export async function measureTogether(bench: Bench, seconds: number, bare: number): Promise<Finding[]> {
  for (const share of SHARES_OF_BARE) {
    const wanted = bare * share;
    print(`accepting and processing together at ${perSecond(wanted)}, ${times(share)} of bare, for ${seconds} s`);
    let samples: number[] = [];
    const report = await postCounted(bench, {
      connections: CONNECTIONS,
      seconds,
      perSecond: wanted,
      whileLoading: async () => {
        samples = await sampleWaiting(bench, seconds);
      },
    });
    const achieved = report.requests / report.seconds;
    print(`  waiting, each second: ${samples.join(' ')}`);
    print(`  accepted ${perSecond(achieved)}`);
    if (achieved >= 0.95 * wanted && standsStill(samples, achieved)) {
      return [
        aside(`accepting and processing together, ${seconds} s`, perSecond(achieved)),
        atLeast('  of a bare Fastify', achieved / bare, WANTED_TOGETHER, times),
      ];
    }
  }
  return [
    {
      what: 'accepting and processing together',
      measured: 'the backlog grew',
      wanted: `≥ ${times(WANTED_TOGETHER)}`,
      ok: false,
    },
  ];
}
