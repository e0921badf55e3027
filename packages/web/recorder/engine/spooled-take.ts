import type { ChunkRow, TakeRow } from './database.ts';
import { Signal } from './signal.ts';
import type { SpooledSize, Take, Trim } from './types.ts';

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
  /** A write of the trim is pending. */
  savesTrim: boolean;
}

export const newSpooledTake = (row: TakeRow, startedMs: number, unlock: (() => void) | null): SpooledTake => ({
  row,
  pieces: [],
  bytes: 0,
  startedMs,
  url: null,
  growth: new Signal(),
  unlock,
  forgotten: false,
  savesTrim: false,
});

export function addPiece(entry: SpooledTake, blob: Blob): void {
  entry.pieces.push({ start: entry.bytes, blob });
  entry.bytes += blob.size;
}

/** The chunks before the first gap; those after it are unusable. */
export function beforeGap(chunks: ChunkRow[]): ChunkRow[] {
  const gap = chunks.findIndex(({ index }, position) => index !== position);
  return gap === -1 ? chunks : chunks.slice(0, gap);
}

/** Everything recorded so far, to play. The caller revokes the URL. */
export function createPlaybackUrl({ row, pieces }: SpooledTake): string {
  const parts = pieces.map(({ blob }) => blob);
  return URL.createObjectURL(new Blob(parts, { type: row.type }));
}

export const presentTake = ({ row, pieces, bytes }: SpooledTake, url: string, complete: boolean): Take => ({
  id: row.id,
  blobParts: pieces.length,
  bytes,
  type: row.type,
  durationMs: row.durationMs ?? 0,
  url,
  findings: row.findings,
  levels: row.levels,
  trim: row.trim,
  complete,
});

export const isSameTrim = (one: Trim | null, other: Trim | null): boolean =>
  one?.startMs === other?.startMs && one?.endMs === other?.endMs;

/**
 * Whether an upload on the server can be continued. It cannot if it belongs to another take, to one whose last chunks were lost in
 * a crash, or if its length was declared with another trim: the server accepts both only once.
 */
export function fitsUpload(take: SpooledSize, upload: { offset: number; length: number | null }): boolean {
  const { offset, length } = upload;
  if (length === null) return offset <= take.bytes;
  return length === take.bytes && (offset === length || isSameTrim(take.trim, take.sentTrim));
}
