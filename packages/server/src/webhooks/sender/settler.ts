import { setTimeout as pause } from 'node:timers/promises';
import { Batcher } from '../../platform/batcher.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Database, isTransient } from '../../platform/db.ts';
import type { Logger } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Tables } from '../../tables.ts';
import { type Settlement, settle } from '../store/queue.ts';

const MAX_BATCH = 128;
const MAX_CONCURRENT = 2;
const MAX_TRIES = 3;
const RETRY_DELAY_MS = 250;

/** Settles finished deliveries in batches. A delivery that cannot be settled is sent again: delivery is at least once. */
export function createSettler(deps: {
  db: Database<Tables>;
  clock: Clock;
  metrics: Metrics;
  log: Logger;
}): (settlement: Settlement) => Promise<void> {
  const batcher = new Batcher<Settlement, true>({
    name: 'webhooks',
    maxSize: MAX_BATCH,
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
        if (tries < MAX_TRIES && isTransient(err)) await pause(RETRY_DELAY_MS);
        else return deps.log.error({ err, message, endpoint }, 'webhook not settled; it will be sent again');
      }
    }
  };
}
