import { availableParallelism } from 'node:os';
import { deleteOldSessions, SESSION_CLEANUP_INTERVAL_MS } from '../../console/index.ts';
import {
  COUNTS_INTERVAL_MS,
  deleteOldCounts,
  deleteOldReceivedTexts,
  planDelivery,
  RECEIVED_TEXTS_INTERVAL_MS,
  SUMMARIES_INTERVAL_MS,
} from '../../delivery/index.ts';
import { EXPIRING_KEYS_INTERVAL_MS, notifyOfExpiringKeys } from '../../http/access/index.ts';
import { EXPIRY_INTERVAL_MS, expireDue } from '../../intros/index.ts';
import { deleteOldTraces, TRACES_INTERVAL_MS } from '../../intros/traces/index.ts';
import { startDomainChecks } from '../../organizations/link-domains/index.ts';
import { systemChance } from '../../platform/ids.ts';
import { createOutbound, createResolver } from '../../platform/outbound.ts';
import { every } from '../../platform/schedule.ts';
import { continueErasures, ERASURE_INTERVAL_MS } from '../../privacy/erasure/index.ts';
import {
  REMOVAL_INTERVAL_MS,
  REOPEN_INTERVAL_MS,
  removeWithdrawn,
  reopenWithdrawn,
} from '../../privacy/likeness/index.ts';
import { startRetention } from '../../privacy/retention/index.ts';
import {
  createRecordingProcessor,
  FILES_INTERVAL_MS,
  slotsFor,
  startEncoding,
  sweepFiles,
} from '../../recordings/index.ts';
import { followTestClocks } from '../../testing/simulation/index.ts';
import { MAX_CONCURRENT_ATTEMPTS, WebhookSender } from '../../webhooks/index.ts';
import type { Core, Running } from './core.ts';

/** Starts processing events, expiring intros, sending messages and webhooks, and deleting old data. */
export function startWorker(core: Core): Running[] {
  const { db, clock, metrics, traces, log, direct, seal, contents, delivery, processor, config } = core;
  const outbound = createOutbound({
    allowPrivate: config.webhooksAllowPrivate,
    connectionsPerOrigin: MAX_CONCURRENT_ATTEMPTS,
    ...(config.dnsServers !== undefined && { resolve: createResolver(config.dnsServers) }),
  });
  const sender = new WebhookSender({
    db,
    connection: direct,
    clock,
    chance: systemChance,
    seal,
    contents,
    outbound,
    log,
    metrics,
    traces,
    yieldToRequests: core.yieldSending,
    onDisabled: delivery.ownerEmails.notifyEndpointDisabled,
  });
  sender.start();
  processor.start(core);
  delivery.engine.start(core);
  return [
    processor,
    sender,
    delivery.engine,
    every(ERASURE_INTERVAL_MS, 'continue erasures', log, (stopping) => continueErasures(core, stopping)),
    startDomainChecks({ ...core, allowPrivate: config.webhooksAllowPrivate, dnsServers: config.dnsServers }),
    followTestClocks({ ...core, engine: delivery.engine }),
    delivery.startSendingEmails(),
    every(SUMMARIES_INTERVAL_MS, 'plan weekly summaries', log, delivery.weeklySummaries.plan),
    every(REMOVAL_INTERVAL_MS, 'remove withdrawn likenesses', log, () => removeWithdrawn(core)),
    every(REOPEN_INTERVAL_MS, 'check withdrawn likenesses', log, () => reopenWithdrawn(core)),
    every(EXPIRY_INTERVAL_MS, 'expire intros', log, () => expireDue(core)),
    every(COUNTS_INTERVAL_MS, 'delete old text counts', log, () => deleteOldCounts(db.kysely, clock())),
    every(RECEIVED_TEXTS_INTERVAL_MS, 'delete old received texts', log, () =>
      deleteOldReceivedTexts(db.kysely, clock()),
    ),
    every(TRACES_INTERVAL_MS, 'delete old traces', log, () => deleteOldTraces(db.kysely, clock())),
    every(SESSION_CLEANUP_INTERVAL_MS, 'delete old sessions', log, () => deleteOldSessions(db.kysely, clock())),
    every(EXPIRING_KEYS_INTERVAL_MS, 'notify of expiring keys', log, () =>
      notifyOfExpiringKeys({ db, clock, notify: delivery.ownerEmails.notifyKeyExpires }),
    ),
    startRetention({ db, clock, log }),
  ];
}

/** Starts encoding takes, with what the API leaves idle of each core. */
export function startMedia(core: Core): Running[] {
  const { db, objects, clock, log, config, introEvents } = core;
  const processor = createRecordingProcessor({
    ...core,
    slots: slotsFor(availableParallelism()),
    async onReady(tx, tenant, introId, now) {
      await planDelivery(core, tx, tenant, introId, now);
      await introEvents.publish(tx, [{ tenant, introId, type: 'intro.ready' }], now);
    },
  });
  const { originalsDays } = config;
  return [
    processor,
    startEncoding(core, processor),
    every(FILES_INTERVAL_MS, 'sweep files', log, (stopping) =>
      sweepFiles({ db, objects, clock, originalsDays, stopping }),
    ),
  ];
}
