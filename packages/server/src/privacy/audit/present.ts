import type { ActivityEntry, Role } from '@foreword/contract';
import type { EntryRow } from './store.ts';

/** Only owners see where changes came from: managers have no need to know their colleagues' addresses. */
export function presentEntry(row: EntryRow, role: Role): ActivityEntry {
  const isOwner = role === 'owner';
  return {
    id: row.id,
    at: row.at.toISOString(),
    action: row.action,
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
    object: row.object_id === null ? null : { id: row.object_id, name: row.object_name || null, slug: row.object_slug },
    related: row.related_id === null ? null : { id: row.related_id, name: row.related_name },
    fields: row.fields,
    reason: row.reason,
    ip: isOwner ? row.ip : null,
    user_agent: isOwner ? row.user_agent : null,
    request_id: row.request_id,
  };
}
