/** The audit log: writes an entry in the transaction of each change. */

export { writeEntries } from './csv.ts';
export { AUDITED_OPERATIONS, type AuditDeclaration } from './operations.ts';
export { presentEntry } from './present.ts';
export { removeOldestDay } from './retention.ts';
export { changedFields, keptDays, retainedFrom, visibleActions } from './rules.ts';
export { type AuditedChange, recordChange, recordChanges } from './service.ts';
export { countEntriesBefore, type EntryFilter, findEntry, listEntries } from './store.ts';
