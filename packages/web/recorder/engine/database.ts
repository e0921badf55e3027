import type { Finding } from './types.ts';

export interface TakeRow {
  id: string;
  api: string;
  type: string;
  /** A cut-off recording can be played; a file that was copied in part cannot. */
  wholeOnly: boolean;
  createdAtMs: number;
  /** Null until the take is complete. */
  durationMs: number | null;
  findings: readonly Finding[];
  uploadUrl: string | null;
}

export interface ChunkRow {
  takeId: string;
  index: number;
  /** Into the take, when it came: how long a take is whose end was never written. */
  atMs: number;
  /** Not a Blob: Safari has lost blobs that its database held. */
  bytes: ArrayBuffer;
}

const NAME = 'foreword-recorder';
const VERSION = 1;
/** Safari's database has been seen never to answer the first time: the member does not wait for it. */
const OPEN_PATIENCE_MS = 2_000;

const everyChunkOf = (takeId: string) => IDBKeyRange.bound([takeId], [takeId, []]);

/** The browser's database, as promises. Every call may reject: the spool decides what then. */
export class TakeDatabase {
  #connection: IDBDatabase | null = null;

  async #connect(): Promise<IDBDatabase> {
    if (this.#connection) return this.#connection;
    const connection = await openConnection();
    connection.onversionchange = () => this.close();
    // iOS cuts the connection of a page in the background; the next call makes a new one.
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
      // A connection that the browser dropped shows only now. A full disk stays full.
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
    const timer = setTimeout(() => reject(new Error('The database does not answer')), OPEN_PATIENCE_MS);
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

/** Resolves when the transaction is written, not when the request is answered. */
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
    transaction.onabort = () => reject(transaction.error ?? new Error('The database gave up'));
  });
}
