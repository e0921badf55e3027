import type { Transaction } from 'kysely';
import type { Tables, Tenant } from '../tables.ts';

/** What others want to hear of; told in the transaction of the change. */
export type News =
  | { readonly type: 'intro.sent' | 'intro.delivery_failed'; readonly tenant: Tenant; readonly introId: string }
  | {
      readonly type: 'recipient.opted_out';
      readonly tenant: Tenant;
      readonly phone: string;
      readonly optedOutAt: Date;
    };

export type Announce = (tx: Transaction<Tables>, news: readonly News[], now: Date) => Promise<void>;
