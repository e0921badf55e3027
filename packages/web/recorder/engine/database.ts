import type { Finding, Trim } from './types.ts';

export interface TakeRow {
  id: string;
  api: string;
  type: string;
  /** A partial recording is playable; a partially copied file is not. */
  wholeOnly: boolean;
  createdAtMs: number;
  /** Null until the take is complete. */
  durationMs: number | null;
  findings: readonly Finding[];
  uploadUrl: string | null;
  levels: readonly number[];
  trim: Trim | null;
  /** The server has this one, or may have it. */
  sentTrim: Trim | null;
}

export interface ChunkRow {
  takeId: string;
  index: number;
  /** Position in the take: gives the length of a take whose end was never written. */
  atMs: number;
  /** Not a Blob: Safari has lost blobs stored in IndexedDB. */
  bytes: ArrayBuffer;
}

const NAME = 'foreword-recorder';
const VERSION = 1;
/** Safari's IndexedDB sometimes never answers the first request; the member does not wait for it. */
const OPEN_PATIENCE_MS = 2_000;

const everyChunkOf = (takeId: string) => IDBKeyRange.bound([takeId], [takeId, []]);

/** IndexedDB with promises. Every call may reject; the spool handles it. */
export class TakeDatabase {
  #connection: IDBDatabase | null = null;

  async #connect(): Promise<IDBDatabase> {
    if (this.#connection) return this.#connection;
    const connection = await openConnection();
    connection.onversionchange = () => this.close();
    // iOS closes the connection of a background page; the next call opens a new one.
    connection.onclose = () => {
      this.#connection = null;
    };
    this.#connection = connection;
    return connection;
  }

  async #run<T>(mode: IDBTransactionMode, work: (transaction: IDBTransaction) => IDBRequest<T>): Promise<T> {
    const used = this.#connection !== null;
    try {
      return await settle(await this.#connect(), mode, work);
    } catch (fault) {
      // A connection the browser dropped is noticed only now. Retrying does not help with a full disk.
      const full = fault instanceof DOMException && fault.name === 'QuotaExceededError';
      if (full || !used) throw fault;
      this.close();
      return await settle(await this.#connect(), mode, work);
    }
  }

  async takes(): Promise<TakeRow[]> {
    return this.#run('readonly', (transaction) => transaction.objectStore('takes').getAll());
  }

  async chunks(takeId: string): Promise<ChunkRow[]> {
    return this.#run('readonly', (transaction) => transaction.objectStore('chunks').getAll(everyChunkOf(takeId)));
  }

  async chunk(takeId: string, index: number): Promise<ChunkRow | undefined> {
    return this.#run('readonly', (transaction) => transaction.objectStore('chunks').get([takeId, index]));
  }

  async putTake(row: TakeRow): Promise<void> {
    await this.#run('readwrite', (transaction) => transaction.objectStore('takes').put(row));
  }

  async putChunk(row: ChunkRow): Promise<void> {
    await this.#run('readwrite', (transaction) => transaction.objectStore('chunks').put(row));
  }

  async remove(takeId: string): Promise<void> {
    await this.#run('readwrite', (transaction) => {
      transaction.objectStore('takes').delete(takeId);
      return transaction.objectStore('chunks').delete(everyChunkOf(takeId));
    });
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }
}

function openConnection(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(NAME, VERSION);
    const timer = setTimeout(() => reject(new Error('The database does not respond')), OPEN_PATIENCE_MS);
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore('takes', { keyPath: 'id' });
      opening.result.createObjectStore('chunks', { keyPath: ['takeId', 'index'] });
    };
    opening.onsuccess = () => {
      clearTimeout(timer);
      resolve(opening.result);
    };
    opening.onerror = () => {
      clearTimeout(timer);
      reject(opening.error ?? new Error('The database cannot be opened'));
    };
  });
}

/** Resolves when the transaction is committed, not when the request succeeds. */
function settle<T>(
  connection: IDBDatabase,
  mode: IDBTransactionMode,
  work: (transaction: IDBTransaction) => IDBRequest<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const transaction = connection.transaction(['takes', 'chunks'], mode);
    const request = work(transaction);
    transaction.oncomplete = () => resolve(request.result);
    transaction.onerror = () => reject(transaction.error ?? new Error('The database failed'));
    transaction.onabort = () => reject(transaction.error ?? new Error('The database aborted the transaction'));
  });
}
