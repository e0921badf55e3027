import type { TouchpointEvent } from '@foreword/contract';
import type { Database } from '../platform/db.ts';
import type { LongPoll, WaitOptions, Watched } from '../platform/long-poll.ts';
import type { ObjectOfTenant, Tables, Tenant } from '../tables.ts';
import { retrieveEvent } from './service.ts';
import { findSettled } from './store.ts';

export type WaitForEvent = (tenant: Tenant, id: string, options: WaitOptions) => Promise<{ body: TouchpointEvent }>;

/** Retrieves an event once it is no longer `accepted`. */
export function createWaitForEvent({ db, longPoll }: { db: Database<Tables>; longPoll: LongPoll }): WaitForEvent {
  const watched: Watched<ObjectOfTenant> = { findChanged: (events) => findSettled(db.pool, events) };
  return (tenant, id, options) =>
    longPoll.retrieve(
      watched,
      {
        read: () => retrieveEvent(db.kysely, tenant, id),
        changeOf: ({ status }) => (status === 'accepted' ? { tenant, id } : null),
      },
      options,
    );
}
