/** Messages to members, recipients and owners, from planning to the delivery report. */

import type { DeliveryFailureCode } from '@foreword/contract';
import type { Transaction } from 'kysely';
import type { Tables, Tenant } from '../db/tenancy.ts';
import { createDecline, type Decline, type IntroEvents, type Reassign } from '../intros/index.ts';
import type { Links } from '../links/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Jobs } from '../platform/jobs.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { ServerKey } from '../platform/server-key.ts';
import type { TestClocks } from '../test-clock/index.ts';
import type { Traces } from '../traces/index.ts';
import { createMessageTokens } from './bounces/reports.ts';
import { type Bounces, createBounces } from './bounces/routes.ts';
import type { Carriers } from './carriers/index.ts';
import { type Consents, createConsents, createErasedOptOuts } from './consent/opt-outs.ts';
import { createReplies } from './inbound/replies.ts';
import { type CarrierRouteDeps, createStatusReceiver } from './inbound/routes.ts';
import { createOwnerEmails, type OwnerEmails } from './owner-emails.ts';
import { createDeliveryEngine, type DeliveryEngine } from './queue/engine.ts';
import { failText } from './queue/manual.ts';
import { createOutcomeHandler, type PublishEvents } from './queue/record.ts';
import { dropMemberMessages } from './store/queue.ts';
import { createOffLinks, createWeeklySummaries, type OffLinks, type WeeklySummaries } from './summary/service.ts';

export { createMessageTokens } from './bounces/reports.ts';
export { registerBounceRoutes } from './bounces/routes.ts';
export {
  type CarrierSettings,
  type Carriers,
  type CarrierWatch,
  openCarriers,
  sealAccount,
  type TextAccount,
  watchCarriers,
} from './carriers/index.ts';
export {
  type Consents,
  canBeUndone,
  createConsents,
  createErasedOptOuts,
  type ErasedOptOuts,
  importOptOuts,
} from './consent/opt-outs.ts';
export { readAccountFaults } from './holds/accounts.ts';
export { storeTextReply } from './inbound/replies.ts';
export { registerCarrierRoutes } from './inbound/routes.ts';
export { readTextLimits } from './limits/limits.ts';
export { deliveryOperations } from './operations.ts';
export {
  OWNER_EMAILS,
  sendSecretEmail,
  WEEKLY_SUMMARIES,
  workOnOwnerEmails,
  workOnWeeklySummaries,
} from './owner-emails.ts';
export type { DeliveryEngine } from './queue/engine.ts';
export { stateHolding } from './queue/hours.ts';
export { checkManualSends, type ManualSend, remindManually, resendManually, sendAnyway } from './queue/manual.ts';
export { planDelivery } from './queue/plan.ts';
export { createEventPublisher, type DeliveryEvent, type PublishEvents } from './queue/record.ts';
export { deliveryColumns, resumeTexts, saveSettings } from './settings.ts';
export { type ConsentRow, findOptOut, listConsents } from './store/consents.ts';
export { deleteOldReceivedTexts, RECEIVED_TEXTS_INTERVAL_MS } from './store/inbound.ts';
export { hasDeliveredTexts, listMessages, listOutbox, type OutboxRow } from './store/messages.ts';
export { listOwnerEmails } from './store/owner-emails.ts';
export {
  dropMessagesOfIntros,
  endTestClock,
  findNextDue,
  type MessageRow,
  notifyNewMember,
  notifyOfReply,
  secondsOverdue,
} from './store/queue.ts';
export {
  COUNTS_INTERVAL_MS,
  changeSettings,
  deleteOldCounts,
  listAccounts,
  type OwnAccount,
  readAccount,
  readHours,
} from './store/settings.ts';
export {
  OFF_PATH,
  type OffLinks,
  SUMMARIES_INTERVAL_MS,
  skipWeeklySummary,
} from './summary/service.ts';
export { type DeliveryDryRun, dryRunDelivery } from './views/dry-run.ts';
export { readTimeline } from './views/timeline.ts';
export { writeSignIn } from './wording/email.ts';
export { bodyOf, defaultTextIn, type RecipientText, writeRecipientText } from './wording/texts.ts';
export { summaryTextsIn } from './wording/weekly-summary.ts';

/** Sends messages to members, recipients and owners, and receives what carriers report. */
export interface Delivery {
  readonly engine: DeliveryEngine;
  readonly ownerEmails: OwnerEmails;
  readonly weeklySummaries: WeeklySummaries;
  readonly offLinks: OffLinks;
  readonly routes: Pick<CarrierRouteDeps, 'replies' | 'receiveStatus'>;
  readonly bounces: Bounces;
  /** Declines an intro, on any screen or by text. */
  readonly decline: Decline;
  readonly consents: Consents;
  /** In the caller's transaction: the text to the recipient fails, without any contact with its carrier. */
  failText(
    tx: Transaction<Tables>,
    tenant: Tenant,
    introId: string,
    code: DeliveryFailureCode,
    now: Date,
  ): Promise<void>;
}

export function createDelivery(deps: {
  db: Database<Tables>;
  /** For the calls of carriers. */
  requestDb: Database<Tables>;
  /** For statistics. */
  reportDb: Database<Tables>;
  serverKey: ServerKey;
  clock: Clock;
  testClocks: TestClocks;
  jobs: Pick<Jobs, 'sendWithin'>;
  links: Links;
  carriers: Carriers;
  publicUrl: string;
  log: Logger;
  metrics: Metrics;
  traces: Traces;
  publish: PublishEvents;
  introEvents: IntroEvents;
  reassign: Reassign;
}): Delivery {
  const { publish, introEvents } = deps;
  const receiving = { ...deps, db: deps.requestDb };
  const ownerEmails = createOwnerEmails(deps);
  const offLinks = createOffLinks(deps.serverKey, deps.publicUrl);
  const erasedOptOuts = createErasedOptOuts(deps.serverKey);
  const consents = createConsents({ publish, erasedOptOuts });
  const outcomes = createOutcomeHandler({ publish, consents, ownerEmails });
  const notifyTeam = ownerEmails.notifyIntroDeclined;
  const decline = createDecline({ introEvents, dropMemberMessages, notifyTeam });
  return {
    engine: createDeliveryEngine({ ...deps, outcomes, ownerEmails }),
    ownerEmails,
    weeklySummaries: createWeeklySummaries({ ...deps, offLinks }),
    offLinks,
    decline,
    bounces: createBounces({ ...receiving, tokens: createMessageTokens(deps.serverKey), outcomes }),
    routes: {
      replies: createReplies({ ...receiving, consents, decline }),
      receiveStatus: createStatusReceiver({ ...receiving, outcomes }),
    },
    consents,
    failText: (tx, tenant, introId, code, now) => failText({ ...deps, outcomes }, tx, tenant, introId, code, now),
  };
}
