import type { Transaction } from 'kysely';
import type { Links } from '../links/index.ts';
import type { Clock } from '../platform/clock.ts';
import type { Database } from '../platform/db.ts';
import type { Logger } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Tables, Tenant } from '../tables.ts';
import type { Carriers } from './carriers.ts';
import { createConclusions } from './concluding.ts';
import type { Announce } from './news.ts';
import { type Consent, optOut } from './opt-outs.ts';
import { createOwnerLetters, type OwnerLetters } from './owners/index.ts';
import { createReplies } from './replies.ts';
import { createReporting } from './reporting.ts';
import type { CarrierRouteDeps } from './routes.ts';
import { createDeliveryEngine, type DeliveryEngine } from './sending.ts';

export { judgeByHand, type Promised, remindByHand, sendAgain } from './by-hand.ts';
export {
  type CarrierSettings,
  type Carriers,
  openCarriers,
  sealAccount,
  type TwilioAccount,
} from './carriers.ts';
export { sendSecretLetter } from './direct.ts';
export { type CarrierWatch, watchCarriers } from './health.ts';
export type { Announce, News } from './news.ts';
export { listOutbox, type OutboxRow } from './outbox.ts';
export { listOwnerLetters } from './owners/index.ts';
export { planDelivery } from './planning.ts';
export { type DeliveryRehearsal, rehearseDelivery } from './rehearsal.ts';
export { registerCarrierRoutes } from './routes.ts';
export type { Hours } from './rules.ts';
export type { DeliveryEngine } from './sending.ts';
export { changeSettings, listAccounts, type OwnAccount, readAccount, readHours } from './settings.ts';
export { listMessages, type MessageRow, secondsOverdue } from './store.ts';
export { measureText } from './text.ts';
export { readTimeline } from './timeline.ts';
export { DEFAULT_TEXT, type RecipientText, writeToRecipient } from './wording.ts';

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
  turn(): Promise<void>;
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
