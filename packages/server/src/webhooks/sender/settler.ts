import { setTimeout as pause } from 'node:timers/promises';
import { Batcher } from '../../platform/batcher.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, isTransient } from '../../platform/db.ts';
import type { Logger } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Tables } from '../../tables.ts';
import { type Settlement, settle } from './store.ts';

const TOGETHER = 128;
const MAX_CONCURRENT = 2;
const TRIES = 3;
const PAUSE_MS = 250;

/** Settles what came to an end at the same time in one statement. What cannot be settled is sent again: at least once. */
export function createSettler(deps: {
  db: Database<Tables>;
  clock: Clock;
  metrics: Metrics;
  log: Logger;
}): (settlement: Settlement) => Promise<void> {
  const batcher = new Batcher<Settlement, true>({
    name: 'webhooks',
    maxSize: TOGETHER,
    maxConcurrent: MAX_CONCURRENT,
    async flush(settlements) {
      await settle(deps.db.pool, settlements, deps.clock());
      return settlements.map(() => true);
    },
    isTransient,
    sizes: deps.metrics.flushSize,
  });
  return async (settlement) => {
    for (let tries = 1; ; tries++) {
      try {
        await batcher.add(settlement);
        return;
      } catch (err) {
        const { message_id: message, endpoint_id: endpoint } = settlement.delivery;
        if (tries < TRIES && isTransient(err)) await pause(PAUSE_MS);
        else return deps.log.error({ err, message, endpoint }, 'webhook not settled; it is sent again');
      }
    }
  };
}
