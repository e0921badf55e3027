/** Shows and changes retention periods. */

import { type ConsoleRetentionList, iso, type RETENTION_OPERATIONS } from '@foreword/contract';
import type { Tenant } from '../../db/tenancy.ts';
import { changeRetention, previewRetention, readRetention } from '../../privacy/retention/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ConsoleHandlers } from '../operations.ts';
import { requireOrganization } from '../organization.ts';

type Deps = Pick<ConsoleDeps, 'db' | 'clock'>;

async function present({ db: { kysely: db }, clock }: Deps, tenant: Tenant): Promise<ConsoleRetentionList> {
  const organization = await requireOrganization(db, tenant);
  const rules = await readRetention(db, tenant, clock());
  return {
    rules: rules.map(({ rule, days, pending }) => ({
      rule,
      days,
      effective_at: pending?.at.toISOString() ?? null,
      days_until_then: pending?.days ?? null,
    })),
    timezone: organization.timezone,
  };
}

export function createRetentionHandlers(deps: ConsoleDeps): Pick<ConsoleHandlers, keyof typeof RETENTION_OPERATIONS> {
  const { db, clock } = deps;
  return {
    readRetention: ({ tenant }) => present(deps, tenant),
    async changeRetention({ tenant }, { body }) {
      await db.kysely.transaction().execute((tx) => changeRetention(tx, tenant, { ...body, now: clock() }));
      return present(deps, tenant);
    },
    async previewRetention({ tenant }, { body }) {
      const { count, hasMore, effectiveAt } = await previewRetention(db.kysely, tenant, { ...body, now: clock() });
      return { count, has_more: hasMore, effective_at: iso(effectiveAt) };
    },
  };
}
