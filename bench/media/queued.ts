import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { stop } from '../children.ts';
import { atMost, type Finding, info, ms, print } from '../figures.ts';
import { requestIntro, type Target } from '../intros.ts';
import { type LoadReport, postEvents } from '../load.ts';
import { connectToDatabase, prepareDataDir, startService } from '../service.ts';
import { TAKE_S } from './takes.ts';

const TAKES = 100;
const PER_SECOND = 200;
const CONNECTIONS = 8;
const SECONDS = 20;
const QUICK = { takes: 10, seconds: 3 };
const MAX_P99_MS = 50;

/** Records as the simulated member, with this take. */
export async function record(
  { service, key }: Pick<Target, 'service' | 'key'>,
  id: string,
  take: Buffer,
  type = 'video/webm',
): Promise<void> {
  const response = await fetch(`${service.url}/v1/test_helpers/intros/${id}/record`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': type, 'idempotency-key': `bench:take:${id}` },
    body: new Uint8Array(take),
  });
  if (!response.ok) throw new Error(`recording a take returned ${response.status}: ${await response.text()}`);
}

async function countQueued(database: pg.Client): Promise<number> {
  const { rows } = await database.query<{ n: number }>(
    "select count(*)::int as n from recordings where status in ('uploaded', 'processing')",
  );
  return rows[0]?.n ?? Number.NaN;
}

/** Measures the API while the encoder works through a backlog of takes that need encoding. */
export async function measureQueued(file: string, isQuick: boolean): Promise<Finding[]> {
  const { takes, seconds } = isQuick ? QUICK : { takes: TAKES, seconds: SECONDS };
  const { dataDir, key } = await prepareDataDir();
  const service = await startService({ dataDir });
  const database = await connectToDatabase(dataDir);
  const target = { service, dataDir, key };
  const load = (): Promise<LoadReport> =>
    postEvents({
      url: `${service.url}/v1/touchpoint-events`,
      key,
      connections: CONNECTIONS,
      seconds,
      perSecond: PER_SECOND,
    });
  const without = await load();
  const take = await readFile(file);
  for (let n = 0; n < takes; n++) await record(target, await requestIntro(target), take);
  const before = await countQueued(database);
  const during = await load();
  const after = await countQueued(database);
  print(`  takes waiting before and after the load: ${before}, ${after}`);
  await database.end();
  await stop(service.child);
  const failures = without.failures + during.failures;
  if (failures > 0) throw new Error(`${failures} events were refused`);
  if (after === 0) throw new Error('the takes were done before the load was over');
  const rate = `${PER_SECOND} events/s, ${CONNECTIONS} connections, ${seconds} s`;
  return [
    info(`API at ${rate}: answered`, `${during.requests}, p50 ${ms(during.p50Ms)}`),
    info('  p99 with nothing to encode', ms(without.p99Ms)),
    atMost(`  p99 with ${takes} takes of ${TAKE_S} s queued`, during.p99Ms, MAX_P99_MS, ms),
  ];
}
