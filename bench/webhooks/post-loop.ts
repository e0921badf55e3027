import { systemClock } from '../../packages/server/src/platform/clock.ts';
import { newId } from '../../packages/server/src/platform/ids.ts';
import { createOutbound } from '../../packages/server/src/platform/outbound.ts';
import { createSecret, signatureHeaders } from '../../packages/server/src/webhooks/signing.ts';

/**
 * The ceiling for webhooks: signs and posts with the same client and concurrency, but stores nothing. Runs one round per
 * message. Exits with its parent.
 */
export interface LoopRound {
  readonly urls: string[];
  readonly payload: string;
  readonly count: number;
  readonly parallel: number;
}

export interface LoopReport {
  readonly seconds: number;
  readonly failures: number;
}

const outbound = createOutbound({ allowPrivate: true, connectionsPerOrigin: 512 });
const secret = createSecret();

async function postOne(url: string, payload: string): Promise<boolean> {
  const now = systemClock();
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    ...signatureHeaders({ id: newId('msg', now), payload }, [secret], now),
  };
  const request = { method: 'POST', url, headers, body: payload, timeoutMs: 15_000, keepBytes: 1_024 } as const;
  const { response, fault } = await outbound.request(request);
  return fault === null && response?.status === 200;
}

async function runRound({ urls, payload, count, parallel }: LoopRound): Promise<LoopReport> {
  const started = performance.now();
  let next = 0;
  let failures = 0;
  const worker = async () => {
    while (next < count) {
      const url = urls[next % urls.length] ?? '';
      next += 1;
      if (!(await postOne(url, payload))) failures += 1;
    }
  };
  await Promise.all(Array.from({ length: parallel }, worker));
  return { seconds: (performance.now() - started) / 1000, failures };
}

process.on('message', async (round: LoopRound) => {
  const report = await runRound(round);
  if (process.connected) process.send?.(report);
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
