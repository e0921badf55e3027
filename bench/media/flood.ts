import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { stop } from '../children.ts';
import { atMost, type Finding, info, median, ms, print } from '../figures.ts';
import { requestIntro } from '../intros.ts';
import { createOrganization, prepareDataDir, startService } from '../service.ts';
import { record } from './queued.ts';
import { waitUntilReady } from './stop-to-ready.ts';
import { makeLargeTake, TAKE_S, type Takes } from './takes.ts';

const FLOOD = { takes: 8, seconds: TAKE_S };
const QUICK = { takes: 4, seconds: 8 };
const ROUNDS = 3;
const MAX_READY_MS = 10_000;
/** The encoder is busy with the flood by then. */
const HEAD_START_MS = 3_000;

/** An ordinary take of one organization, from its receipt to ready, while another one has uploaded many takes in 4K. */
export async function measureFlood(options: { folder: string; takes: Takes; isQuick: boolean }): Promise<Finding[]> {
  const { folder, takes, isQuick } = options;
  const flood = isQuick ? QUICK : FLOOD;
  const large = await readFile(await makeLargeTake(folder, flood.seconds));
  const { dataDir, key } = await prepareDataDir();
  const otherKey = await createOrganization({ DATA_DIR: dataDir });
  const service = await startService({ dataDir });
  const [flooding, other] = [
    { service, dataDir, key },
    { service, dataDir, key: otherKey },
  ];
  for (let n = 0; n < flood.takes; n++) await record(flooding, await requestIntro(flooding), large, 'video/mp4');
  await sleep(HEAD_START_MS);
  const measure = async (file: string, type: string): Promise<number[]> => {
    const take = await readFile(file);
    const measured: number[] = [];
    for (let round = 0; round < (isQuick ? 1 : ROUNDS); round++) {
      const id = await requestIntro(other);
      await record(other, id, take, type);
      const received = performance.now();
      await waitUntilReady(other, id);
      measured.push(performance.now() - received);
    }
    print(`  ready during the flood: ${measured.map(ms).join(', ')}`);
    return measured;
  };
  const encoded = await measure(takes.encoded, 'video/webm');
  const copied = await measure(takes.copied, 'video/mp4');
  await stop(service.child);
  return [
    info('Flood of another organization', `${flood.takes} takes of ${flood.seconds} s in 4K`),
    atMost(`  an ordinary take of ${TAKE_S} s, encoded: ready`, Math.max(...encoded), MAX_READY_MS, ms),
    info(`  an ordinary take of ${TAKE_S} s, copied: ready`, ms(median(copied))),
  ];
}
