import { elapsedMs, wallClockMs } from './clock.ts';
import { type ChunkRow, TakeDatabase, type TakeRow } from './database.ts';
import { Signal } from './signal.ts';
import { lockTake } from './tab-lock.ts';
import type { Finding, Spool, Take } from './types.ts';

/** No intro waits longer for its take, and nobody's phone is our archive. */
const KEEP_DAYS = 14;
const DAY_MS = 86_400_000;
/** A shorter beginning of a recording is not worth an offer to send it. */
const SHORTEST_OFFER_MS = 1_000;

interface Piece {
  start: number;
  blob: Blob;
}

interface KeptTake {
  row: TakeRow;
  pieces: Piece[];
  bytes: number;
  beganMs: number;
  url: string | null;
  growth: Signal<[]>;
  unlock: (() => void) | null;
  forgotten: boolean;
}

/** Never rejects: without a database in the browser it keeps takes in memory and says so (`durable`). */
export async function openSpool(api: string): Promise<Spool> {
  const spool = new TakeSpool(api);
  // Not waited for: a database that is slow to answer must not keep the camera from opening.
  void spool.discardOld();
  return spool;
}

/**
 * Every chunk is in memory as well as in the database: the page that recorded a take never depends on what the
 * database can do, and a page that is opened later finds whatever was written.
 */
class TakeSpool implements Spool {
  readonly #api: string;
  readonly #database = new TakeDatabase();
  readonly #takes = new Map<string, KeptTake>();
  readonly #notDurable = new Signal<[]>();
  #durable = true;
  #writing: Promise<void> = Promise.resolve();

  constructor(api: string) {
    this.#api = api;
  }

  get durable(): boolean {
    return this.#durable;
  }

  onNotDurable(listener: () => void): () => void {
    if (!this.#durable) queueMicrotask(listener);
    return this.#notDurable.add(listener);
  }

  async discardOld(): Promise<void> {
    await this.#write(async () => {
      const oldest = wallClockMs() - KEEP_DAYS * DAY_MS;
      for (const row of await this.#database.takes()) {
        if (row.createdAtMs < oldest) await this.#database.remove(row.id);
      }
    });
  }

  async latest(): Promise<Take | null> {
    const rows = await this.#database.takes().catch(() => []);
    const ours = rows.filter((row) => row.api === this.#api && !this.#takes.has(row.id));
    // A whole take goes before a newer one that was cut off.
    ours.sort((a, b) => Number(b.durationMs !== null) - Number(a.durationMs !== null) || b.createdAtMs - a.createdAtMs);
    for (const row of ours) {
      const unlock = await lockTake(row.id);
      if (!unlock) continue;
      const take = await this.#restore(row, unlock).catch(() => null);
      if (take) return take;
      unlock();
    }
    return null;
  }

  async #restore(row: TakeRow, unlock: () => void): Promise<Take | null> {
    const chunks = unbroken(await this.#database.chunks(row.id));
    const durationMs = row.durationMs ?? chunks.at(-1)?.atMs ?? 0;
    const cutOff = row.durationMs === null;
    if (chunks.length === 0 || (cutOff && (row.wholeOnly || durationMs < SHORTEST_OFFER_MS))) {
      await this.#database.remove(row.id);
      return null;
    }
    const kept = this.#keep(row, unlock);
    for (const { bytes } of chunks) addPiece(kept, new Blob([bytes]));
    row.durationMs = durationMs;
    return this.#present(kept, !cutOff);
  }

  begin({ id, type, wholeOnly = false }: { id: string; type: string; wholeOnly?: boolean }): void {
    const row: TakeRow = {
      id,
      api: this.#api,
      type,
      wholeOnly,
      createdAtMs: wallClockMs(),
      durationMs: null,
      findings: [],
      uploadUrl: null,
    };
    const kept = this.#keep(row, null);
    void lockTake(id).then((unlock) => {
      if (kept.forgotten) unlock?.();
      else kept.unlock = unlock;
    });
    this.#save(kept);
  }

  append(takeId: string, blob: Blob): void {
    const kept = this.#takes.get(takeId);
    if (!kept || blob.size === 0) return;
    const index = kept.pieces.length;
    const atMs = elapsedMs() - kept.beganMs;
    addPiece(kept, blob);
    void this.#write(async () => {
      if (kept.forgotten) return;
      await this.#database.putChunk({ takeId, index, atMs, bytes: await blob.arrayBuffer() });
    });
    kept.growth.tell();
  }

  complete(takeId: string, facts: { durationMs: number; findings: readonly Finding[] }): Take {
    const kept = this.#takes.get(takeId);
    if (!kept) throw new Error('This take is not kept here');
    kept.row.durationMs = facts.durationMs;
    kept.row.findings = facts.findings;
    this.#save(kept);
    void this.#write(() => this.#discardEarlier(kept.row));
    const take = this.#present(kept, true);
    kept.growth.tell();
    return take;
  }

  size(takeId: string): { bytes: number; complete: boolean; type: string } | null {
    const kept = this.#takes.get(takeId);
    return kept ? { bytes: kept.bytes, complete: kept.row.durationMs !== null, type: kept.row.type } : null;
  }

  async read(takeId: string, offset: number, maxBytes: number): Promise<ArrayBuffer> {
    const kept = this.#takes.get(takeId);
    if (!kept) throw new Error('This take is not kept here');
    const end = Math.min(offset + maxBytes, kept.bytes);
    const parts: BlobPart[] = [];
    for (const [index, { start, blob }] of kept.pieces.entries()) {
      if (start + blob.size <= offset || start >= end) continue;
      const from = Math.max(0, offset - start);
      const to = Math.min(blob.size, end - start);
      parts.push((await this.#bytesOf(takeId, index, blob)).slice(from, to));
    }
    return new Blob(parts).arrayBuffer();
  }

  /** A picked file can go away under the page (Android takes back the right to read it): then the copy serves. */
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
    const kept = this.#takes.get(takeId);
    if (!kept) return;
    kept.row.uploadUrl = url;
    this.#save(kept);
  }

  async forget(takeId: string): Promise<void> {
    const kept = this.#takes.get(takeId);
    if (kept) {
      kept.forgotten = true;
      this.#takes.delete(takeId);
      if (kept.url) URL.revokeObjectURL(kept.url);
      kept.growth.tell();
    }
    // Also when writing has failed before: what was written until then must not be offered again.
    this.#writing = this.#writing.then(() => this.#database.remove(takeId)).catch(() => undefined);
    await this.#writing;
    kept?.unlock?.();
  }

  async settled(): Promise<void> {
    await this.#writing;
  }

  close(): void {
    for (const { unlock, url } of this.#takes.values()) {
      if (url) URL.revokeObjectURL(url);
      unlock?.();
    }
    this.#takes.clear();
    this.#notDurable.clear();
    void this.#writing.then(() => this.#database.close());
  }

  #keep(row: TakeRow, unlock: (() => void) | null): KeptTake {
    const kept: KeptTake = {
      row,
      pieces: [],
      bytes: 0,
      beganMs: elapsedMs(),
      url: null,
      growth: new Signal(),
      unlock,
      forgotten: false,
    };
    this.#takes.set(row.id, kept);
    return kept;
  }

  #present({ row, pieces, bytes }: KeptTake, complete: boolean): Take {
    const url = URL.createObjectURL(
      new Blob(
        pieces.map(({ blob }) => blob),
        { type: row.type },
      ),
    );
    const kept = this.#takes.get(row.id);
    if (kept) kept.url = url;
    return {
      id: row.id,
      blobParts: pieces.length,
      bytes,
      type: row.type,
      durationMs: row.durationMs ?? 0,
      url,
      findings: row.findings,
      complete,
    };
  }

  #save(kept: KeptTake): void {
    const row = { ...kept.row };
    void this.#write(async () => {
      if (!kept.forgotten) await this.#database.putTake(row);
    });
  }

  /** Only now: the earlier take was the one to fall back on until this one was whole. */
  async #discardEarlier({ id, createdAtMs }: TakeRow): Promise<void> {
    for (const row of await this.#database.takes()) {
      const earlier = row.api === this.#api && row.id !== id && row.createdAtMs <= createdAtMs;
      if (earlier && !this.#takes.has(row.id)) await this.#database.remove(row.id);
    }
  }

  /** One after another. After the first that fails nothing more is written: a take with a hole must not look whole. */
  #write(work: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      if (!this.#durable) return;
      await work().catch(() => {
        this.#durable = false;
        this.#notDurable.tell();
      });
    });
    return this.#writing;
  }
}

function addPiece(kept: KeptTake, blob: Blob): void {
  kept.pieces.push({ start: kept.bytes, blob });
  kept.bytes += blob.size;
}

/** In order and from the first on; what lies behind a gap is of no use. */
function unbroken(chunks: ChunkRow[]): ChunkRow[] {
  const gap = chunks.findIndex(({ index }, position) => index !== position);
  return gap === -1 ? chunks : chunks.slice(0, gap);
}
