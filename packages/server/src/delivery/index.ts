import type { Transaction } from 'kysely';
import type { Links } from '../links/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Tables, Tenant } from '../tables.ts';
import type { Carriers } from './carriers/index.ts';
import { type Consent, optOut } from './consent/opt-outs.ts';
import { createReplies } from './inbound/replies.ts';
import { createReporting } from './inbound/reports.ts';
import type { CarrierRouteDeps } from './inbound/routes.ts';
import type { Announce } from './news.ts';
import { createDeliveryEngine, type DeliveryEngine } from './queue/engine.ts';
import { createConclusions } from './queue/outcomes.ts';
import { createOwnerLetters, type OwnerLetters } from './queue/owner-emails.ts';

export { type CarrierWatch, watchCarriers } from './carriers/health.ts';
export {
  type CarrierSettings,
  type Carriers,
  openCarriers,
  sealAccount,
  type TwilioAccount,
} from './carriers/index.ts';
export { registerCarrierRoutes } from './inbound/routes.ts';
export type { Announce, News } from './news.ts';
export type { DeliveryEngine } from './queue/engine.ts';
export { judgeByHand, type Promised, remindByHand, sendAgain } from './queue/manual.ts';
export { listOwnerLetters } from './queue/owner-emails.ts';
export { planDelivery } from './queue/planning.ts';
export type { Hours } from './queue/rules.ts';
export { sendSecretLetter } from './queue/secret-email.ts';
export { listMessages, type MessageRow, secondsOverdue } from './store/messages.ts';
export { notifyNewMember } from './store/reassignment.ts';
export { changeSettings, listAccounts, type OwnAccount, readAccount, readHours } from './store/settings.ts';
export { type DeliveryRehearsal, rehearseDelivery } from './views/dry-run.ts';
export { listOutbox, type OutboxRow } from './views/outbox.ts';
export { readTimeline } from './views/timeline.ts';
export { measureText } from './wording/segments.ts';
export { DEFAULT_TEXT, type RecipientText, writeToRecipient } from './wording/texts.ts';

/** Messages to people, from the first word to the last report; what the parts of it share is put together here. */
export interface Delivery {
  readonly engine: DeliveryEngine;
  readonly routes: Pick<CarrierRouteDeps, 'replies' | 'report'>;
  /** In the caller's transaction. False when the number had opted out before. */
  optOut(tx: Transaction<Tables>, tenant: Tenant, consent: Consent, now: Date): Promise<boolean>;
  /** In the transaction that turned a webhook endpoint off: a letter to each owner. */
  readonly tellDisabled: OwnerLetters['tellDisabled'];
}

/** Messages about intros, and letters to owners, which wait in queues of their own. */
const together = (messages: DeliveryEngine, letters: OwnerLetters): DeliveryEngine => ({
  async tick() {
    await messages.tick();
    await letters.tick();
  },
  start(connection) {
    messages.start(connection);
    letters.start();
  },
  async stop() {
    await Promise.all([messages.stop(), letters.stop()]);
  },
});

export function createDelivery(deps: {
  db: Database<Tables>;
  clock: Clock;
  links: Links;
  carriers: Carriers;
  publicUrl: string;
  log: Logger;
  metrics: Metrics;
  announce: Announce;
  yieldToRequests(): Promise<void>;
}): Delivery {
  const { announce } = deps;
  const conclusions = createConclusions(announce);
  const letters = createOwnerLetters(deps);
  return {
    engine: together(createDeliveryEngine({ ...deps, conclusions }), letters),
    tellDisabled: letters.tellDisabled,
    routes: { replies: createReplies(deps), report: createReporting({ ...deps, conclusions }) },
    optOut: (tx, tenant, consent, now) => optOut(announce, tx, tenant, consent, now),
  };
}
