/** Opt-outs: lists, adds and removes them. */

import type { CONSENT_OPERATIONS, ConsentChange, ConsoleConsent } from '@foreword/contract';
import type { Tenant } from '../../db/tenancy.ts';
import { type ConsentRow, canBeUndone, findOptOut, importOptOuts, listConsents } from '../../delivery/index.ts';
import { findOrganization } from '../../organizations/index.ts';
import { countryOfTimezone } from '../../platform/countries.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';

type Deps = Pick<ConsoleDeps, 'db' | 'testClocks'>;

const presentChange = ({
  kind,
  source,
  said,
  created_at,
  by_member,
  first_name,
  last_name,
}: ConsentRow): ConsentChange => ({
  kind,
  source,
  said,
  by: by_member === null ? null : { id: by_member, first_name: first_name ?? '', last_name: last_name ?? '' },
  at: created_at.toISOString(),
});

async function read({ db: { kysely: db } }: Deps, tenant: Tenant, phone: string): Promise<ConsoleConsent> {
  const [optOut, history] = await Promise.all([findOptOut(db, tenant, phone), listConsents(db, tenant, phone)]);
  return {
    opted_out:
      optOut === undefined
        ? null
        : {
            source: optOut.source,
            at: optOut.opted_out_at.toISOString(),
            can_be_undone: canBeUndone(optOut.source),
          },
    history: history.map(presentChange),
  };
}

export function createConsentHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof CONSENT_OPERATIONS> {
  const { db, testClocks } = deps;
  return {
    readConsent: (user, { query: { phone } }) => read(deps, user.tenant, phone),
    importOptOuts: ({ tenant, memberId: by }, { body: { text } }) =>
      db.kysely.transaction().execute(async (tx) => {
        const organization = await findOrganization(tx, tenant.organizationId);
        const country = organization === null ? null : countryOfTimezone(organization.timezone);
        return importOptOuts(deps.delivery, tx, { tenant, by, country, text }, testClocks.now(tenant));
      }),
  };
}
