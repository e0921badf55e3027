/** Messages to members, recipients and owners, from planning to the delivery report. */

import type { DeliveryFailureCode } from '@foreword/contract';
import type { Services } from '../app/services.ts';
import type { Tenant, Tx } from '../db/tenancy.ts';
import { createDecline, type IntroEvents, type Reassign } from '../intros/index.ts';
import { createMessageTokens } from './bounces/reports.ts';
import { createBounces } from './bounces/routes.ts';
import type { Carriers } from './carriers/index.ts';
import { createConsents, createErasedOptOuts } from './consents.ts';
import { createReplies } from './inbound/replies.ts';
import { createStatusReceiver } from './inbound/routes.ts';
import { createOwnerEmails, sendDueEmail, startSendingEmails } from './owner-emails.ts';
import { createDeliveryEngine } from './queue/engine.ts';
import { failText } from './queue/plan.ts';
import { createOutcomeHandler, type PublishEvents } from './queue/record.ts';
import { dropMemberMessages } from './store/queue.ts';
import { createOffLinks, createWeeklySummaries } from './weekly-summary.ts';

export { createMessageTokens } from './bounces/reports.ts';
export { registerBounceRoutes } from './bounces/routes.ts';
export {
  type CarrierSettings,
  type Carriers,
  type CarrierWatch,
  deliveryColumns,
  openCarriers,
  sealAccount,
  type TextAccount,
  watchCarriers,
} from './carriers/index.ts';
export {
  type Consents,
  canBeUndone,
  canUndo,
  createConsents,
  createErasedOptOuts,
  type ErasedOptOuts,
  importOptOuts,
} from './consents.ts';
export { storeTextReply } from './inbound/replies.ts';
export { registerCarrierRoutes } from './inbound/routes.ts';
export { deliveryOperations, textOperations } from './operations.ts';
export { sendSecretEmail } from './owner-emails.ts';
export type { DeliveryEngine } from './queue/engine.ts';
export { readAccountFaults } from './queue/holds.ts';
export { stateHolding } from './queue/hours.ts';
export { readTextLimits, resumeTexts, saveSettings } from './queue/limits.ts';
export {
  checkManualSends,
  correctPhone,
  type ManualSend,
  planDelivery,
  remindManually,
  resendManually,
  sendAnyway,
} from './queue/plan.ts';
export { createEventPublisher, type DeliveryEvent } from './queue/record.ts';
export { type ConsentRow, findOptOut, KEEP_STRONGER, listConsents } from './store/consents.ts';
export { deleteOldReceivedTexts, RECEIVED_TEXTS_INTERVAL_MS } from './store/inbound.ts';
export {
  COUNTS_INTERVAL_MS,
  changeSettings,
  type DeliverySettings,
  deleteOldCounts,
  listAccounts,
  type OwnAccount,
  readAccount,
  readSettings,
} from './store/limits.ts';
export { hasDeliveredTexts, listMessages, listOutbox, listOwnerEmails, type OutboxRow } from './store/messages.ts';
export {
  dropMessagesOfIntros,
  endTestClock,
  findNextDue,
  type MessageRow,
  notifyNewMember,
  notifyOfReply,
  secondsOverdue,
} from './store/queue.ts';
export { type DeliveryDryRun, dryRunDelivery } from './views/dry-run.ts';
export { readTimeline } from './views/timeline.ts';
export {
  OFF_PATH,
  SUMMARIES_INTERVAL_MS,
  skipWeeklySummary,
} from './weekly-summary.ts';
export { writeSignIn } from './wording/email.ts';
export { wordingIn } from './wording/languages/index.ts';
export { bodyOf, type RecipientText, writeRecipientText } from './wording/texts.ts';

export type Delivery = ReturnType<typeof createDelivery>;

/** Sends messages to members, recipients and owners, and receives what carriers report. */
export function createDelivery(
  deps: Omit<Services, 'objects' | 'space' | 'workFolders'> & {
    carriers: Carriers;
    publish: PublishEvents;
    introEvents: IntroEvents;
    reassign: Reassign;
  },
) {
  const { publish, introEvents } = deps;
  const receiving = { ...deps, db: deps.requestDb };
  const ownerEmails = createOwnerEmails(deps);
  const offLinks = createOffLinks(deps.serverKey, deps.publicUrl);
  const erasedOptOuts = createErasedOptOuts(deps.serverKey);
  const consents = createConsents({ publish, erasedOptOuts });
  const outcomes = createOutcomeHandler({ publish, consents, ownerEmails });
  const notifyTeam = ownerEmails.notifyIntroDeclined;
  const weeklySummaries = createWeeklySummaries({ ...deps, offLinks });
  const sendNextEmail = () =>
    sendDueEmail(deps, (row) => (row.purpose === 'weekly_summary' ? weeklySummaries : ownerEmails).send(row));
  const decline = createDecline({ introEvents, dropMemberMessages, notifyTeam });
  return {
    engine: createDeliveryEngine({ ...deps, outcomes, ownerEmails }),
    ownerEmails,
    weeklySummaries,
    sendNextEmail,
    startSendingEmails: () => startSendingEmails(deps.log, sendNextEmail),
    offLinks,
    /** Declines an intro, on any screen or by text. */
    decline,
    bounces: createBounces({ ...receiving, tokens: createMessageTokens(deps.serverKey), outcomes }),
    routes: {
      replies: createReplies({ ...receiving, consents, decline }),
      receiveStatus: createStatusReceiver({ ...receiving, outcomes }),
    },
    consents,
    /** In the caller's transaction: the text to the recipient fails, without any contact with its carrier. */
    failText: (tx: Tx, tenant: Tenant, introId: string, code: DeliveryFailureCode, now: Date) =>
      failText({ ...deps, outcomes }, tx, tenant, introId, code, now),
  };
}
