import { DAY_MS } from '@foreword/contract/plain/times';
import { elapsedMs, wallClockMs } from './clock.ts';
import { TakeDatabase, type TakeRow } from './database.ts';
import { Signal } from './signal.ts';
import { addPiece, beforeGap, lockTake, presentTake, type SpooledTake } from './spooled-take.ts';
import type { Edits, SpooledSize, Take } from './types.ts';

/** Longer than any intro waits for its take; phones are not an archive. */
const KEEP_DAYS = 14;
/** Do not offer to send a partial recording shorter than this. */
const SHORTEST_OFFER_MS = 1_000;
const ID_BYTES = 12;

function newTakeId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(ID_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** A take that is recorded, or copied, to its end. */
type Completed = Pick<TakeRow, 'findings' | 'levels' | 'interrupted'> & { durationMs: number };

/**
 * Stores takes in the browser while they are recorded, until the server has them, so that a closed tab loses nothing. Every chunk
 * is in memory and in the database: the page that recorded a take never depends on the database, and a page that is opened
 * later finds what was written.
 */
export class Spool {
  readonly #api: string;
  readonly #database = new TakeDatabase();
  readonly #takes = new Map<string, SpooledTake>();
  readonly #onNotDurable: () => void;
  #durable = true;
  #writing: Promise<void> = Promise.resolve();

  /** `onNotDurable`: this browser cannot store takes (private mode, full disk), so they live as long as the page. */
  constructor(api: string, onNotDurable: () => void) {
    this.#api = api;
    this.#onNotDurable = onNotDurable;
    // Not awaited: a slow database must not delay the camera.
    void this.#discardOld();
  }

  async #discardOld(): Promise<void> {
    await this.#write(async () => {
      const oldest = wallClockMs() - KEEP_DAYS * DAY_MS;
      for (const row of await this.#database.takes()) {
        if (row.createdAtMs < oldest) await this.#database.remove(row.id);
      }
    });
  }

  /** The take from an earlier visit to this link, if any, unless another tab is using it. */
  async latest(): Promise<Take | null> {
    const rows = await this.#database.takes().catch(() => []);
    const unopened = rows.filter((row) => row.api === this.#api && !this.#takes.has(row.id));
    // A complete take is preferred to a newer, partial one.
    unopened.sort(
      (a, b) => Number(b.durationMs !== null) - Number(a.durationMs !== null) || b.createdAtMs - a.createdAtMs,
    );
    for (const row of unopened) {
      const unlock = await lockTake(row.id);
      if (!unlock) continue;
      const take = await this.#restore(row, unlock).catch(() => null);
      if (take) return take;
      unlock();
    }
    return null;
  }

  async #restore(row: TakeRow, unlock: () => void): Promise<Take | null> {
    const chunks = beforeGap(await this.#database.chunks(row.id));
    const durationMs = row.durationMs ?? chunks.at(-1)?.atMs ?? 0;
    const cutOff = row.durationMs === null;
    if (chunks.length === 0 || (cutOff && (row.wholeOnly || durationMs < SHORTEST_OFFER_MS))) {
      await this.#database.remove(row.id);
      return null;
    }
    const entry = this.#add(row, unlock);
    for (const { bytes } of chunks) addPiece(entry, new Blob([bytes]));
    row.durationMs = durationMs;
    row.interrupted ||= cutOff;
    return presentTake(entry);
  }

  /** Returns the id of the new take. */
  begin({ type, wholeOnly = false }: { type: string; wholeOnly?: boolean }): string {
    const id = newTakeId();
    const row: TakeRow = {
      id,
      api: this.#api,
      type,
      wholeOnly,
      createdAtMs: wallClockMs(),
      durationMs: null,
      findings: [],
      uploadUrl: null,
      levels: [],
      trim: null,
    };
    const entry = this.#add(row, null);
    void lockTake(id).then((unlock) => {
      if (entry.forgotten) unlock?.();
      else entry.unlock = unlock;
    });
    void this.#save(entry);
    return id;
  }

  append(takeId: string, blob: Blob): void {
    const entry = this.#takes.get(takeId);
    if (!entry || blob.size === 0) return;
    const index = entry.pieces.length;
    const atMs = elapsedMs() - entry.startedMs;
    addPiece(entry, blob);
    void this.#write(async () => {
      if (entry.forgotten) return;
      await this.#database.putChunk({ takeId, index, atMs, bytes: await blob.arrayBuffer() });
    });
    entry.growth.emit();
  }

  complete(takeId: string, details: Completed): Take {
    const entry = this.#takes.get(takeId);
    if (!entry) throw new Error('This take is not in the spool');
    Object.assign(entry.row, details);
    void this.#save(entry);
    void this.#write(() => this.#discardEarlier(entry.row));
    const take = presentTake(entry);
    entry.growth.emit();
    return take;
  }

  /** Null: forgotten, or never started. */
  size(takeId: string): SpooledSize | null {
    const entry = this.#takes.get(takeId);
    if (!entry) return null;
    const { type, durationMs, trim, captions = null, declared = null } = entry.row;
    return { bytes: entry.bytes, complete: durationMs !== null, type, trim, captions, declared };
  }

  /** Up to `maxBytes` from `offset`. Rejects if they can no longer be read (a picked file that was moved). */
  async read(takeId: string, offset: number, maxBytes: number): Promise<ArrayBuffer> {
    const entry = this.#takes.get(takeId);
    if (!entry) throw new Error('This take is not in the spool');
    const end = Math.min(offset + maxBytes, entry.bytes);
    const parts: BlobPart[] = [];
    for (const [index, { start, blob }] of entry.pieces.entries()) {
      if (start + blob.size <= offset || start >= end) continue;
      const from = Math.max(0, offset - start);
      const to = Math.min(blob.size, end - start);
      parts.push((await this.#bytesOf(takeId, index, blob)).slice(from, to));
    }
    return new Blob(parts).arrayBuffer();
  }

  /** A picked file can become unreadable (Android revokes access); then the database copy is used. */
  async #bytesOf(takeId: string, index: number, blob: Blob): Promise<ArrayBuffer> {
    try {
      return await blob.arrayBuffer();
    } catch (fault) {
      const copy = await this.#database.chunk(takeId, index).catch(() => undefined);
      if (!copy) throw fault;
      return copy.bytes;
    }
  }

  onGrowth(takeId: string, listener: () => void): () => void {
    return this.#takes.get(takeId)?.growth.add(listener) ?? (() => undefined);
  }

  uploadUrl(takeId: string): string | null {
    return this.#takes.get(takeId)?.row.uploadUrl ?? null;
  }

  rememberUpload(takeId: string, url: string | null): void {
    const entry = this.#takes.get(takeId);
    if (!entry) return;
    entry.row.uploadUrl = url;
    void this.#save(entry);
  }

  /** The part of the take to send. It survives a closed tab, as the take does. */
  edit(takeId: string, edits: Partial<Edits>): void {
    const entry = this.#takes.get(takeId);
    if (!entry) return;
    Object.assign(entry.row, edits);
    if (entry.savesEdits) return;
    // A handle that moves changes the trim many times a second: the row is copied when it is written.
    entry.savesEdits = true;
    void this.#write(async () => {
      entry.savesEdits = false;
      if (!entry.forgotten) await this.#database.putTake({ ...entry.row });
    });
  }

  /** The member tapped Send, or it failed for good. */
  markSent(takeId: string, isSent: boolean): void {
    const entry = this.#takes.get(takeId);
    if (!entry) return;
    entry.row.isSent = isSent;
    void this.#save(entry);
  }

  /** Call it before the edits are sent. Resolves when it is written, or cannot be. */
  async rememberDeclared(takeId: string): Promise<void> {
    const entry = this.#takes.get(takeId);
    if (!entry) return;
    const { trim, captions = null } = entry.row;
    entry.row.declared = { trim, captions };
    await this.#save(entry);
  }

  /** Call it when the server has the take, or when the member discards it. */
  async forget(takeId: string): Promise<void> {
    const entry = this.#takes.get(takeId);
    if (entry) {
      entry.forgotten = true;
      this.#takes.delete(takeId);
      if (entry.url) URL.revokeObjectURL(entry.url);
      entry.growth.emit();
    }
    // Even if an earlier write failed: what was written before must not be offered again.
    this.#writing = this.#writing.then(() => this.#database.remove(takeId)).catch(() => undefined);
    await this.#writing;
    entry?.unlock?.();
  }

  /** Resolves when everything appended is written, or cannot be. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  #add(row: TakeRow, unlock: (() => void) | null): SpooledTake {
    const growth = new Signal<[]>();
    const entry = {
      ...{ row, pieces: [], bytes: 0, startedMs: elapsedMs(), url: null, growth, unlock },
      ...{ forgotten: false, savesEdits: false },
    };
    this.#takes.set(row.id, entry);
    return entry;
  }

  #save(entry: SpooledTake): Promise<void> {
    const row = { ...entry.row };
    return this.#write(async () => {
      if (!entry.forgotten) await this.#database.putTake(row);
    });
  }

  /** Runs only when the new take is complete: until then the earlier one is the fallback. */
  async #discardEarlier({ id, createdAtMs }: TakeRow): Promise<void> {
    for (const row of await this.#database.takes()) {
      const earlier = row.api === this.#api && row.id !== id && row.createdAtMs <= createdAtMs;
      if (earlier && !this.#takes.has(row.id)) await this.#database.remove(row.id);
    }
  }

  /** Writes one after another, and nothing after the first failure: a take with a gap must not look complete. */
  #write(work: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      if (!this.#durable) return;
      await work().catch(() => {
        this.#durable = false;
        this.#onNotDurable();
      });
    });
    return this.#writing;
  }
}
