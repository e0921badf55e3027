import type { Db, Tenant } from '../../db/tenancy.ts';
import { type CsvColumns, writeCsv } from '../../platform/csv.ts';
import { type EntryFilter, type EntryRow, readEntryPages } from './store.ts';

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
