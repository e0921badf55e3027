import type { Intro } from '@foreword/contract';
import type { Database } from '../platform/db.ts';
import type { LongPoll, WaitOptions, Watched } from '../platform/long-poll.ts';
import type { Tables, Tenant } from '../tables.ts';
import type { IntroService } from './service.ts';
import { findNewer, type IntroVersion } from './store.ts';

export type WaitForIntro = (
  tenant: Tenant,
  id: string,
  options: WaitOptions & { readonly knownVersion: number | undefined },
) => Promise<{ body: Intro }>;

/** Retrieves an intro once its version is higher than the known one. */
export function createWaitForIntro(deps: {
  db: Database<Tables>;
  intros: IntroService;
  longPoll: LongPoll;
}): WaitForIntro {
  const { db, intros, longPoll } = deps;
  const watched: Watched<IntroVersion> = { findChanged: (known) => findNewer(db.pool, known) };
  return (tenant, id, { knownVersion, ...options }) =>
    longPoll.retrieve(
      watched,
      {
        read: () => intros.retrieve(tenant, id),
        changeOf: ({ version }) =>
          version > (knownVersion ?? version) ? null : { tenant, id, version: knownVersion ?? version },
      },
      options,
    );
}
