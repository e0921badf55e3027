import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { Edits, Finding } from './types.ts';

/** Takes that a phone kept since before an update lack the optional fields. */
export interface TakeRow extends Partial<Edits> {
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
  trim: Edits['trim'];
  /** The server has these edits, or may have them. Null: none were sent. */
  declared?: Edits | null;
  /** The tab was closed during the recording, or the camera was lost. */
  interrupted?: boolean;
  /** The member tapped Send. */
  isSent?: boolean;
}

export interface ChunkRow {
  takeId: string;
  index: number;
  /** Position in the take: gives the length of a take whose end was never written. */
  atMs: number;
  /** Not a Blob: Safari has lost blobs stored in IndexedDB. */
  bytes: ArrayBuffer;
}

interface Schema extends DBSchema {
  takes: { key: string; value: TakeRow };
  chunks: { key: [takeId: string, index: number]; value: ChunkRow };
}

type Connection = IDBPDatabase<Schema>;

const NAME = 'foreword-recorder';
const VERSION = 1;
/** Safari's IndexedDB sometimes never answers the first request; the member does not wait for it. */
const OPEN_PATIENCE_MS = 2_000;

const everyChunkOf = (takeId: string) => IDBKeyRange.bound([takeId], [takeId, []]);

/** Every call may reject; the spool handles it. A write resolves when its transaction is committed. */
export class TakeDatabase {
  #connection: Connection | null = null;

  async #connect(): Promise<Connection> {
    this.#connection ??= await within(
      OPEN_PATIENCE_MS,
      openDB<Schema>(NAME, VERSION, {
        upgrade(database) {
          database.createObjectStore('takes', { keyPath: 'id' });
          database.createObjectStore('chunks', { keyPath: ['takeId', 'index'] });
        },
        blocking: () => this.close(),
        // iOS closes the connection of a background page; the next call opens a new one.
        terminated: () => {
          this.#connection = null;
        },
      }),
    );
    return this.#connection;
  }

  async #run<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const used = this.#connection !== null;
    try {
      return await work(await this.#connect());
    } catch (fault) {
      // A connection the browser dropped is noticed only now. Retrying does not help with a full disk.
      const full = fault instanceof DOMException && fault.name === 'QuotaExceededError';
      if (full || !used) throw fault;
      this.close();
      return await work(await this.#connect());
    }
  }

  takes(): Promise<TakeRow[]> {
    return this.#run((connection) => connection.getAll('takes'));
  }

  chunks(takeId: string): Promise<ChunkRow[]> {
    return this.#run((connection) => connection.getAll('chunks', everyChunkOf(takeId)));
  }

  chunk(takeId: string, index: number): Promise<ChunkRow | undefined> {
    return this.#run((connection) => connection.get('chunks', [takeId, index]));
  }

  async putTake(row: TakeRow): Promise<void> {
    await this.#run((connection) => connection.put('takes', row));
  }

  async putChunk(row: ChunkRow): Promise<void> {
    await this.#run((connection) => connection.put('chunks', row));
  }

  async remove(takeId: string): Promise<void> {
    await this.#run(async (connection) => {
      const transaction = connection.transaction(['takes', 'chunks'], 'readwrite');
      await Promise.all([
        transaction.objectStore('takes').delete(takeId),
        transaction.objectStore('chunks').delete(everyChunkOf(takeId)),
        transaction.done,
      ]);
    });
  }

  close(): void {
    this.#connection?.close();
    this.#connection = null;
  }
}

function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout>;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The database does not respond')), ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
