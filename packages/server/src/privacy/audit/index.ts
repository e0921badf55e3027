/** The audit log: writes an entry in the transaction of each change. */

export { presentEntry, writeEntries } from './present.ts';
export { changedFields, keptDays, retainedFrom, visibleActions } from './rules.ts';
export * from './service.ts';
export { countEntriesBefore, type EntryFilter, findEntry, listEntries } from './store.ts';
