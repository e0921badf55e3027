import type { WebhookEventType } from '@foreword/contract';
import type { Links } from '../links/index.ts';
import { type Queryable, queryableOf } from '../platform/db.ts';
import type { Tables, Tenant } from '../tables.ts';
import type { AnyTransaction, DomainEvent, Publish } from '../webhooks/index.ts';
import { presentIntro } from './present.ts';
import { findIntro } from './store.ts';

type IntroEventType = Extract<WebhookEventType, `intro.${string}`>;

export interface IntroEvent {
  readonly tenant: Tenant;
  readonly introId: string;
  readonly type: IntroEventType;
  /** The time of the change, if it is not that of the batch. */
  readonly at?: Date | undefined;
}

/** Publishes what changed about intros, in the transaction of the change. */
export interface IntroEvents {
  publish(within: AnyTransaction, events: readonly IntroEvent[], now: Date): Promise<void>;
  /** For publishing an intro event in one batch with other domain events. */
  toDomainEvent(within: AnyTransaction, event: IntroEvent): DomainEvent;
  readonly publishAll: Publish;
}

export function createIntroEvents(links: Links, publish: Publish): IntroEvents {
  const toDomainEvent: IntroEvents['toDomainEvent'] = (within, { tenant, introId, type, at }) => ({
    tenant,
    type,
    at,
    async data() {
      const db: Queryable<Tables> = 'executeQuery' in within ? within : queryableOf<Tables>(within);
      const row = await findIntro(db, tenant, introId);
      if (row === null) throw new Error(`cannot publish ${type}: the intro ${introId} does not exist`);
      return presentIntro(row, links.pageUrl);
    },
  });
  return {
    toDomainEvent,
    publishAll: publish,
    publish: (within, events, now) =>
      publish(
        within,
        events.map((event) => toDomainEvent(within, event)),
        now,
      ),
  };
}
