import type { Queryable } from '../platform/db.ts';
import { newId } from '../platform/ids.ts';
import type { OrganizationRow, Tables, Tenant, TouchpointRow } from '../tables.ts';
import { startingTouchpoints } from './starting-set.ts';
import { insertTouchpoints } from './store.ts';

/** What an organization of this industry begins with; from then on the touchpoints are its own. */
export async function giveStartingTouchpoints(
  db: Queryable<Tables>,
  tenant: Tenant,
  organization: OrganizationRow,
): Promise<void> {
  const now = organization.created_at;
  const rows = startingTouchpoints(organization.industry, organization.lanes).map(
    (touchpoint, position): TouchpointRow => ({
      organization_id: tenant.organizationId,
      environment: tenant.environment,
      id: newId('tp', now),
      slug: touchpoint.slug,
      name: touchpoint.name,
      context: touchpoint.context,
      lane: touchpoint.lane,
      position,
      active: true,
      delivery: touchpoint.delivery,
      days_to_record: touchpoint.daysToRecord,
      page_title: touchpoint.pageTitle,
      script: touchpoint.script,
      action_label: null,
      action_url: null,
      text_message: null,
      reminds: true,
      created_at: now,
      updated_at: now,
    }),
  );
  await insertTouchpoints(db, rows);
}
