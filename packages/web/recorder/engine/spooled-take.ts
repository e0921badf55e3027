import { expireAfter } from './clock.ts';
import type { ChunkRow, TakeRow } from './database.ts';
import type { Signal } from './signal.ts';
import type { SpooledSize, Take } from './types.ts';

/** A reloading page releases its locks a moment after the new page starts. */
const LOCK_PATIENCE_MS = 1_000;

/**
 * Only one tab works on a take; the browser releases the lock when the tab closes.
 * Null: another tab has it. Browsers without locks always grant it.
 */
export async function lockTake(takeId: string): Promise<(() => void) | null> {
  if (!navigator.locks) return () => undefined;
  return new Promise((resolve) => {
    const held = (): Promise<void> => new Promise((release) => resolve(release));
    navigator.locks
      .request(`foreword-take-${takeId}`, { signal: expireAfter(LOCK_PATIENCE_MS) }, held)
      .catch(() => resolve(null));
  });
}

/** A take in the spool's memory. */
export interface SpooledTake {
  row: TakeRow;
  pieces: { start: number; blob: Blob }[];
  bytes: number;
  startedMs: number;
  url: string | null;
  growth: Signal<[]>;
  unlock: (() => void) | null;
  forgotten: boolean;
  /** A write of the edits is pending. */
  savesEdits: boolean;
}

export function addPiece(entry: SpooledTake, blob: Blob): void {
  entry.pieces.push({ start: entry.bytes, blob });
  entry.bytes += blob.size;
}

/** The chunks before the first gap; those after it are unusable. */
export function beforeGap(chunks: ChunkRow[]): ChunkRow[] {
  const gap = chunks.findIndex(({ index }, position) => index !== position);
  return gap === -1 ? chunks : chunks.slice(0, gap);
}

/** Everything recorded so far, with a URL to play it, which is revoked with the entry. */
export function presentTake(entry: SpooledTake): Take {
  const { row, pieces, bytes } = entry;
  const { id, type, durationMs, findings, levels, trim, captions = null, interrupted, isSent = false } = row;
  const parts = pieces.map(({ blob }) => blob);
  const url = URL.createObjectURL(new Blob(parts, { type }));
  entry.url = url;
  return {
    ...{ id, type, bytes, url, findings, levels, trim, captions, isSent },
    durationMs: durationMs ?? 0,
    complete: !interrupted,
  };
}

/** Whether the server has, or may have, exactly these edits. */
export const areDeclared = ({ trim, captions, declared }: Omit<SpooledSize, 'bytes'>): boolean =>
  declared?.trim?.startMs === trim?.startMs && declared?.trim?.endMs === trim?.endMs && declared?.captions === captions;

/**
 * Whether an upload on the server can be continued. It cannot if it belongs to another take, to one whose last chunks were lost in
 * a crash, or if its length was declared with other edits: the server accepts both only once.
 */
export function fitsUpload(take: SpooledSize, upload: { offset: number; length: number | null }): boolean {
  const { offset, length } = upload;
  if (length === null) return offset <= take.bytes;
  return length === take.bytes && (offset === length || areDeclared(take));
}
