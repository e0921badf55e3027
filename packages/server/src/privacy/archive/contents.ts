import { keyOf, originalPrefixOf, RECORDING_FILES, type RecordingFile } from '../../recordings/index.ts';
import type { Row, RowCounts } from './format.ts';

const FILES = Object.keys(RECORDING_FILES) as RecordingFile[];

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Keys. Takes that are still uploaded, or were replaced by another one, are left out. */
function objectsOfTake(row: Row): string[] {
  if (row.deleted_at !== null) return [];
  const take = { organization_id: text(row.organization_id), id: text(row.id) };
  const hasOriginal = row.original_deleted_at === null && row.status !== 'uploading' && row.status !== 'discarded';
  const parts = hasOriginal && Array.isArray(row.parts) ? row.parts : [];
  const originals = parts.map((part) => originalPrefixOf(take) + text(part));
  if (row.status !== 'ready') return originals;
  const has: Partial<Record<RecordingFile, unknown>> = {
    'captions.vtt': row.has_captions,
    'preview.webp': row.has_preview,
  };
  const files = FILES.filter((file) => has[file] !== false).map((file) => keyOf(take, file));
  return [...files, ...originals];
}

function objectsOf(table: string, row: Row): string[] {
  if (table === 'recordings') return objectsOfTake(row);
  const picture = table === 'organizations' ? row.logo : table === 'members' ? row.photo : null;
  return typeof picture === 'string' ? [picture] : [];
}

/** How many rows an archive has, and which objects they refer to. */
export class Contents {
  readonly rows: RowCounts = {};
  /** Keys of objects. */
  readonly objects = new Set<string>();

  /** Tables without rows are listed, too. */
  addTable(table: string): void {
    this.rows[table] ??= 0;
  }

  /** Whether the archive lists the rows that were added. Takes over the order of the list. */
  matches(listed: RowCounts): boolean {
    const counted = { ...this.rows };
    for (const table of Object.keys(counted)) delete this.rows[table];
    for (const table of Object.keys(listed)) this.rows[table] = counted[table] ?? 0;
    return Object.entries({ ...counted, ...this.rows }).every(([table, count]) => listed[table] === count);
  }

  /** Returns the keys of the objects that the row refers to. */
  addRow(table: string, row: Row): readonly string[] {
    this.rows[table] = (this.rows[table] ?? 0) + 1;
    const keys = objectsOf(table, row);
    for (const key of keys) this.objects.add(key);
    return keys;
  }
}
