import type { ConsoleIntroRequest } from '@foreword/contract';
import { findEventListRow } from '../../events/index.ts';
import type { Database } from '../../platform/db.ts';
import type { Tables, Tenant } from '../../tables.ts';
import { findCreatingRequest } from '../developers/request-log/store.ts';

const EVENTS_PATH = '/v1/touchpoint-events';
const INTROS_PATH = '/v1/intros';

/** Logged bodies are masked. A truncated body is no longer valid JSON and is returned as text. */
function readBody(text: string | null): unknown {
  if (text === null) return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The request that created an intro: its event's request, or else the request log's while it is retained. */
export async function findOrigin(
  { kysely: db }: Database<Tables>,
  tenant: Tenant,
  intro: { readonly id: string; readonly event_id: string | null },
): Promise<ConsoleIntroRequest | null> {
  const isEvent = intro.event_id !== null;
  const row = await findCreatingRequest(db, tenant, intro.event_id ?? intro.id, isEvent ? EVENTS_PATH : INTROS_PATH);
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
  return row === null
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
