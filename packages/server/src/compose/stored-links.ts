import { setTimeout as pause } from 'node:timers/promises';
import { hideMessageLinks } from '../delivery/index.ts';
import { removeStoredLinks } from '../idempotency/index.ts';
import { every } from '../platform/schedule.ts';
import { sealWebhookContents } from '../webhooks/index.ts';
import type { Core, Running } from './core.ts';

/** Nodes of an earlier version may still run and store links. */
const INTERVAL_MS = 60_000;
/** A few milliseconds of this thread, which requests share. */
const BATCH = 200;
const PAUSE_MS = 10;

type Deps = Pick<Core, 'db' | 'links' | 'contents' | 'log'>;

/** Works until a batch is not full. Logs how many rows it changed, so that an operator sees the end. */
async function hideStoredLinks(deps: Deps, isStopping: () => boolean): Promise<void> {
  const steps = {
    messages: () => hideMessageLinks(deps, BATCH),
    webhooks: () => sealWebhookContents(deps, BATCH),
    responses: () => removeStoredLinks(deps.db.kysely, BATCH),
  };
  for (const [stored, step] of Object.entries(steps)) {
    let total = 0;
    let isDone = false;
    while (!isDone && !isStopping()) {
      const rows = await step();
      total += rows;
      isDone = rows < BATCH;
      if (!isDone) await pause(PAUSE_MS);
    }
    if (total > 0) deps.log.info({ stored, rows: total, isDone }, 'removed links that an earlier version stored');
  }
}

/**
 * Removes the links that earlier versions stored. A migration cannot do it, because it has no server key. Each batch is one
 * transaction that finds its rows by partial indexes: it may end at any point and run on several nodes, and once everything
 * is done, the indexes are empty.
 */
export function startHidingLinks(deps: Deps): Running {
  let isStopping = false;
  const schedule = every(INTERVAL_MS, 'remove stored links', deps.log, () => hideStoredLinks(deps, () => isStopping));
  return {
    stop() {
      isStopping = true;
      return schedule.stop();
    },
  };
}
