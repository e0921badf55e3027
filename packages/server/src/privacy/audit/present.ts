import type { ActivityEntry, Role } from '@foreword/contract';
import type { Db, Tenant } from '../../db/tenancy.ts';
import { type CsvColumns, writeCsv } from '../../platform/csv.ts';
import { pick } from '../../platform/json.ts';
import { type EntryFilter, type EntryRow, readEntryPages } from './store.ts';

/** Only owners see where changes came from: managers have no need to know their colleagues' addresses. */
export function presentEntry(row: EntryRow, role: Role): ActivityEntry {
  const isOwner = role === 'owner';
  return {
    ...pick(row, 'id', 'at', 'action'),
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

const COLUMNS: CsvColumns<EntryRow> = [
  ['id', ({ id }) => id],
  ['at', ({ at }) => at],
  ['action', ({ action }) => action],
  ['actor_type', (row) => row.actor_type],
  ['actor_id', (row) => row.actor_id],
  ['actor_name', (row) => row.actor_name],
  ['object_id', (row) => row.object_id],
  ['related_id', (row) => row.related_id],
  ['fields', ({ fields }) => fields.join(' ')],
  ['reason', ({ reason }) => reason],
  ['ip', ({ ip }) => ip],
  ['user_agent', (row) => row.user_agent],
  ['request_id', (row) => row.request_id],
];

/** The entries that match as CSV, oldest first. */
export const writeEntries = (db: Db, tenant: Tenant, filter: EntryFilter): AsyncGenerator<string> =>
  writeCsv(COLUMNS, readEntryPages(db, tenant, filter));
