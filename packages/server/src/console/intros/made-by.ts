import type { ConsoleIntroRequest } from '@foreword/contract';
import { findEventListRow } from '../../events/index.ts';
import type { Database } from '../../platform/db.ts';
import type { Tables, Tenant } from '../../tables.ts';

const EVENTS_PATH = '/v1/touchpoint-events';
const INTROS_PATH = '/v1/intros';

/** Masked before it was kept; what was cut is no JSON any more, and shown as it is. */
function readBody(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The request that made an intro: that of its event, which is kept, or of the request log, as long as that goes back. */
export async function findCreatingRequest(
  { kysely: db }: Database<Tables>,
  tenant: Tenant,
  intro: { readonly id: string; readonly event_id: string | null },
): Promise<ConsoleIntroRequest | null> {
  const row = await db
    .selectFrom('request_log')
    .select(['id', 'method', 'path', 'body', 'created_at'])
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('object_id', '=', intro.event_id ?? intro.id)
    .where('method', '=', 'POST')
    .where('path', '=', intro.event_id === null ? INTROS_PATH : EVENTS_PATH)
    .where('status', '<', 300)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  const event = intro.event_id === null ? null : await findEventListRow(db, tenant, intro.event_id);
  if (event !== null) {
    return {
      event_id: event.id,
      request_id: row?.id ?? null,
      method: 'POST',
      path: EVENTS_PATH,
      at: event.created_at.toISOString(),
      body: event.request,
    };
  }
  return row === undefined
    ? null
    : {
        event_id: null,
        request_id: row.id,
        method: row.method,
        path: row.path,
        at: row.created_at.toISOString(),
        body: readBody(row.body),
      };
}
