import type { WebhookEventType } from '@foreword/contract';
import type { Tenant } from '../db/tenancy.ts';
import type { AnyTransaction, DomainEvent, Publish, ReadObjects } from '../webhooks/index.ts';
import type { Links } from './links/index.ts';
import { presentIntro } from './present.ts';
import { readIntros } from './store.ts';

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
  toDomainEvent(event: IntroEvent): DomainEvent;
  readonly publishAll: Publish;
}

export function createIntroEvents(links: Links, publish: Publish): IntroEvents {
  const read: ReadObjects = async (db, intros) =>
    (await readIntros(db, intros)).map((row) => ({
      organization_id: row.organization_id,
      object: presentIntro(row, links.pageUrl),
    }));
  const toDomainEvent: IntroEvents['toDomainEvent'] = ({ introId: id, ...event }) => ({ ...event, id, read });
  return {
    toDomainEvent,
    publishAll: publish,
    publish: (within, events, now) => publish(within, events.map(toDomainEvent), now),
  };
}
