import { availableParallelism } from 'node:os';
import { EXPIRING_KEYS_INTERVAL_MS, notifyOfExpiringKeys } from '../access/index.ts';
import {
  deleteOldRequests,
  deleteOldSessions,
  REQUEST_LOG_CLEANUP_INTERVAL_MS,
  SESSION_CLEANUP_INTERVAL_MS,
} from '../console/index.ts';
import {
  ADOPT_INTERVAL_MS,
  COUNTS_INTERVAL_MS,
  deleteOldCounts,
  planDelivery,
  workOnOwnerEmails,
} from '../delivery/index.ts';
import { SWEEP_INTERVAL_MS, workOnEvents } from '../events/index.ts';
import { EXPIRY_INTERVAL_MS, expireDue } from '../intros/index.ts';
import { systemChance } from '../platform/ids.ts';
import { createOutbound } from '../platform/outbound.ts';
import { every } from '../platform/schedule.ts';
import {
  createRecordingProcessor,
  FILES_INTERVAL_MS,
  POLL_INTERVAL_MS,
  slotsFor,
  sweepFiles,
  workOnRecordings,
} from '../recordings/index.ts';
import { followTestClocks } from '../simulation/index.ts';
import {
  createWebhookSender,
  DELETE_OLD_INTERVAL_MS,
  deleteOldWebhooks,
  MAX_CONCURRENT_ATTEMPTS,
} from '../webhooks/index.ts';
import type { Core, Running } from './core.ts';
import { startHidingLinks } from './stored-links.ts';

/** Starts processing events, expiring intros, sending messages and webhooks, and deleting old data. */
export async function startWorker(core: Core): Promise<Running[]> {
  const { db, jobs, clock, metrics, log, direct, seal, contents, introEvents, delivery, processor, config } = core;
  const outbound = createOutbound({
    allowPrivate: config.webhooksAllowPrivate,
    connectionsPerOrigin: MAX_CONCURRENT_ATTEMPTS,
  });
  const sender = createWebhookSender({
    db,
    connection: direct,
    clock,
    chance: systemChance,
    seal,
    contents,
    outbound,
    log,
    metrics,
    onDisabled: delivery.ownerEmails.notifyEndpointDisabled,
  });
  await workOnEvents(jobs, processor);
  await workOnOwnerEmails(jobs, delivery.ownerEmails);
  sender.start();
  delivery.engine.start(direct);
  return [
    processor,
    sender,
    delivery.engine,
    startHidingLinks(core),
    followTestClocks({ ...core, engine: delivery.engine }),
    every(ADOPT_INTERVAL_MS, 'adopt owner emails', log, delivery.ownerEmails.adopt),
    every(EXPIRY_INTERVAL_MS, 'expire intros', log, () => expireDue({ db, clock, metrics, introEvents })),
    every(SWEEP_INTERVAL_MS, 'sweep events', log, () => processor.processWaiting()),
    every(COUNTS_INTERVAL_MS, 'delete old text counts', log, () => deleteOldCounts(db.kysely, clock())),
    every(SESSION_CLEANUP_INTERVAL_MS, 'delete old sessions', log, () => deleteOldSessions(db.kysely, clock())),
    every(EXPIRING_KEYS_INTERVAL_MS, 'notify of expiring keys', log, () =>
      notifyOfExpiringKeys({ db, clock, notify: delivery.ownerEmails.notifyKeyExpires }),
    ),
    every(REQUEST_LOG_CLEANUP_INTERVAL_MS, 'delete old requests', log, () => deleteOldRequests(db, clock)),
    every(DELETE_OLD_INTERVAL_MS, 'delete old webhooks', log, () => deleteOldWebhooks(db, clock)),
  ];
}

/** Starts encoding takes, with what the API leaves idle of each core. */
export async function startMedia(core: Core): Promise<Running[]> {
  const { db, jobs, objects, clock, log, config, introEvents } = core;
  const processor = createRecordingProcessor({
    ...core,
    slots: slotsFor(availableParallelism()),
    async onReady(tx, tenant, introId, now) {
      await planDelivery(core, tx, tenant, introId, now);
      await introEvents.publish(tx, [{ tenant, introId, type: 'intro.ready' }], now);
    },
  });
  await workOnRecordings(jobs, processor);
  const { originalsDays } = config;
  return [
    processor,
    every(POLL_INTERVAL_MS, 'process takes', log, () => processor.startWaiting()),
    every(FILES_INTERVAL_MS, 'sweep files', log, () => sweepFiles({ db, objects, clock, originalsDays })),
  ];
}
