import { setTimeout as pause } from 'node:timers/promises';
import {
  deleteOldRequests,
  deleteOldSessions,
  REQUEST_LOG_CLEANUP_INTERVAL_MS,
  SESSION_CLEANUP_INTERVAL_MS,
} from '../console/index.ts';
import { ADOPT_INTERVAL_MS, OWNER_EMAILS, type OwnerEmailJob } from '../delivery/index.ts';
import { PROCESS_EVENTS, SWEEP_INTERVAL_MS } from '../events/index.ts';
import { EXPIRY_INTERVAL_MS, expireDue } from '../intros/index.ts';
import { systemChance } from '../platform/chance.ts';
import { createOutbound } from '../platform/outbound.ts';
import { every } from '../platform/schedule.ts';
import {
  createWebhookSender,
  DELETE_OLD_INTERVAL_MS,
  deleteOldWebhooks,
  MAX_CONCURRENT_ATTEMPTS,
} from '../webhooks/index.ts';
import type { Core, Running } from './core.ts';

/**
 * A pause between two takings of jobs. The first event of a quiet moment is processed at once; of those that follow closely,
 * what came in the pause shares one transaction instead of having three of its own. Far below the 100 ms that we promise.
 */
const GATHER_MS = 20;

/** Turns events into intros, lets them expire, brings messages and webhooks on their way. */
export async function startWorker(core: Core): Promise<Running[]> {
  const { db, jobs, clock, metrics, log, connection, seal, introEvents, delivery, processor, config } = core;
  const outbound = createOutbound({
    allowPrivate: config.webhooksAllowPrivate,
    connectionsPerOrigin: MAX_CONCURRENT_ATTEMPTS,
  });
  const sender = createWebhookSender({
    db,
    connection,
    clock,
    chance: systemChance,
    seal,
    outbound,
    log,
    metrics,
    onDisabled: delivery.ownerEmails.notifyEndpointDisabled,
  });
  await jobs.work(PROCESS_EVENTS, async () => {
    await processor.processWaiting();
    await pause(GATHER_MS);
  });
  await jobs.work<OwnerEmailJob>(OWNER_EMAILS, async (batch) => {
    for (const job of batch) await delivery.ownerEmails.send(job);
  });
  sender.start();
  delivery.engine.start(connection);
  return [
    processor,
    sender,
    delivery.engine,
    every(ADOPT_INTERVAL_MS, 'adopt owner emails', log, delivery.ownerEmails.adopt),
    every(EXPIRY_INTERVAL_MS, 'expire intros', log, () => expireDue({ db, clock, metrics, introEvents })),
    every(SWEEP_INTERVAL_MS, 'sweep events', log, () => processor.processWaiting()),
    every(SESSION_CLEANUP_INTERVAL_MS, 'delete old sessions', log, () => deleteOldSessions(db.kysely, clock())),
    every(REQUEST_LOG_CLEANUP_INTERVAL_MS, 'delete old requests', log, () => deleteOldRequests(db, clock)),
    every(DELETE_OLD_INTERVAL_MS, 'delete old webhooks', log, () => deleteOldWebhooks(db, clock)),
  ];
}
