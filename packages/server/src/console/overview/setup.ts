import type { SetupChecklist } from '@foreword/contract';
import type { Tenant } from '../../db/tenancy.ts';
import { hasDeliveredTexts, readAccount } from '../../delivery/index.ts';
import { hasEvents } from '../../intros/events/index.ts';
import { hasIntros } from '../../intros/index.ts';
import { countActive } from '../../members/index.ts';
import { findOrganization } from '../../organizations/index.ts';
import type { ConsoleDeps } from '../deps.ts';

/** The owner and one more member. */
const FIRST_TEAM = 2;

/** Each item comes from the organization's data, so that it is done no matter where it was done. */
export async function readSetup(
  { db, carrierWatch }: Pick<ConsoleDeps, 'db' | 'carrierWatch'>,
  tenant: Tenant,
): Promise<SetupChecklist> {
  const [organization, members, account, has_event, has_intro, has_text] = await Promise.all([
    findOrganization(db.kysely, tenant.organizationId),
    countActive(db, tenant, FIRST_TEAM),
    readAccount(db.kysely, tenant),
    hasEvents(db, tenant),
    hasIntros(db, tenant),
    hasDeliveredTexts(db, tenant),
  ]);
  return {
    has_brand: organization !== null && (organization.logo !== null || organization.accent !== null),
    has_members: members >= FIRST_TEAM,
    has_carrier: account !== null || carrierWatch.states().text === 'ok',
    has_event,
    has_text,
    has_intro,
    dismissed: organization !== null && organization.setup_dismissed_at !== null,
  };
}
