/** Opt-outs: lists, adds and removes them. */

import type { CONSENT_OPERATIONS, ConsentChange, ConsoleConsent } from '@foreword/contract';
import { type ConsentRow, canBeUndone, findOptOut, listConsents, undoOptOut } from '../../delivery/index.ts';
import type { Tenant } from '../../tables.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';

type Deps = Pick<ConsoleDeps, 'db' | 'testClocks' | 'log'>;

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
  const { db, testClocks, log } = deps;
  return {
    'GET /consent': ({ user, query: { phone } }) => read(deps, user.tenant, phone),
    async 'POST /consent/allow'({ user: { tenant, memberId }, body: { phone, asked_by } }) {
      const undoing = { phone, memberId, askedBy: asked_by.trim() };
      await db.kysely.transaction().execute((tx) => undoOptOut(tx, tenant, undoing, testClocks.now(tenant)));
      log.info({ organization: tenant.organizationId, member: memberId }, 'opt-out undone');
      return read(deps, tenant, phone);
    },
  };
}
