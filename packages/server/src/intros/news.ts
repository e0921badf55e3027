import type { WebhookEventType } from '@foreword/contract';
import type { Links } from '../links/index.ts';
import { type Queryable, queryableOf } from '../platform/db.ts';
import type { Tables, Tenant } from '../tables.ts';
import { announce, type Change, type Within } from '../webhooks/index.ts';
import { presentIntro } from './present.ts';
import { findIntro } from './store.ts';

type IntroEventType = Extract<WebhookEventType, `intro.${string}`>;

export interface IntroStep {
  readonly tenant: Tenant;
  readonly introId: string;
  readonly type: IntroEventType;
}

/** What happened to intros, for those who want to hear of it: told in the transaction in which it happens. */
export interface IntroNews {
  tell(within: Within, steps: readonly IntroStep[], now: Date): Promise<void>;
  /** The same, to be told together with something else. */
  changeOf(within: Within, step: IntroStep): Change;
}

export function createIntroNews(links: Links): IntroNews {
  const changeOf: IntroNews['changeOf'] = (within, { tenant, introId, type }) => ({
    tenant,
    type,
    async data() {
      const db: Queryable<Tables> = 'executeQuery' in within ? within : queryableOf<Tables>(within);
      const row = await findIntro(db, tenant, introId);
      if (row === null) throw new Error(`the intro ${introId} is not there to be told of`);
      return presentIntro(row, links.pageUrl);
    },
  });
  return {
    changeOf,
    tell: (within, steps, now) =>
      announce(
        within,
        steps.map((step) => changeOf(within, step)),
        now,
      ),
  };
}
