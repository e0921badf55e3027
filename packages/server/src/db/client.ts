import type { Socket } from 'node:net';
import pg from 'pg';
import { monotonicMs } from '../platform/clock.ts';
import type { Hints } from './hints.ts';
import { nameOf } from './statements.ts';

type Address =
  | { readonly connectionString: string }
  | { readonly host: string; readonly user: string; readonly database: string };

/** `pooled`: a pooler may assign a server connection for one transaction only, so there are no sessions. */
export type Connection = Address & { readonly pooled?: boolean };

/** After this much idle time the kernel starts to probe the other machine; without ten answers it closes the connection. */
const KEEP_ALIVE_DELAY_MS = 5_000;

/** The database does not respond, or has too much to do. The same request may succeed in a moment. */
export class DatabaseUnavailable extends Error {
  readonly code = 'ETIMEDOUT';
}

/** Keeps track of the connections of all pools, for the process to recover from a fault of the network. */
export interface ClientWatch {
  add(client: WatchedClient): void;
  delete(client: WatchedClient): void;
  /** Called just before a connection is closed because its server was silent. */
  noteSilence(client: WatchedClient): void;
}

export interface WatchedClient extends pg.Client {
  /** When it started to connect. */
  readonly openedMs: number;
  /** It is connecting, or a statement was sent and its response is not complete. */
  readonly isWaiting: boolean;
  /** Closes the socket without waiting for the server. A pending statement fails with the error. */
  discard(error: Error): void;
  /** Another limit for the next response; later ones have the usual limit again. 0: no limit. */
  expectWithin(limitMs: number): void;
  /** Closes the connection unless something arrives within this time. The usual limit still applies if it ends earlier. */
  proveWithin(limitMs: number): void;
}

export type ClientClass = new (config: pg.ClientConfig) => WatchedClient;

interface ClientOptions {
  readonly silenceLimitMs: number;
  readonly watch?: ClientWatch | undefined;
  readonly hints?: Hints;
}

/**
 * A client that closes its connection when nothing arrives for `silenceLimitMs` although a response is pending. pg's own
 * `query_timeout` rejects only the statement: the connection would return to the pool, and the next statement would wait on it.
 * The socket's own timer is used, because a timer for each statement would cost more.
 */
export function createClientClass({ silenceLimitMs, watch, hints }: ClientOptions): ClientClass {
  return class extends pg.Client implements WatchedClient {
    readonly openedMs = monotonicMs();

    constructor(config: pg.ClientConfig) {
      super({ ...config, keepAlive: true, keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS });
      // A broken connection also fails its statement. Without a listener, the event would end the process.
      this.on('error', () => undefined);
      this.once('connect', () => this.#begin());
      // From now on: a fault may also leave it waiting for the server while it connects.
      watch?.add(this);
      this.once('end', () => watch?.delete(this));
      hints?.watch(this);
    }

    /** The raw socket until TLS has replaced it, so it is read when needed. */
    get #socket(): Socket {
      return this.connection.stream as Socket;
    }

    #begin(): void {
      const socket = this.#socket;
      socket.setTimeout(silenceLimitMs);
      socket.on('timeout', () => this.#closeIfSilentSince(this.#socket.bytesRead));
    }

    #closeIfSilentSince(bytesRead: number): void {
      const isSilent = () => this.isWaiting && this.#socket.bytesRead === bytesRead;
      if (!isSilent()) return;
      // The response may have arrived while this process was busy or suspended: timers run before sockets are read.
      setImmediate(() => {
        if (!isSilent()) return;
        watch?.noteSilence(this);
        this.discard(new DatabaseUnavailable('the database did not respond in time'));
      });
    }

    /** Kysely passes a text and its values. */
    // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg.
    override query(statement: any, values?: any, callback?: any): any {
      const name = nameOf(statement);
      return super.query(name === undefined ? statement : ({ name, text: statement } as never), values, callback);
    }

    get isWaiting(): boolean {
      // Set by pg and missing from its types: true once it is connected, and false from sending a statement to the end of its response.
      return (this as { readyForQuery?: boolean }).readyForQuery !== true;
    }

    discard(error: Error): void {
      this.#socket.destroy(error);
    }

    expectWithin(limitMs: number): void {
      this.#socket.setTimeout(limitMs);
      this.connection.once('readyForQuery', () => this.#socket.setTimeout(silenceLimitMs));
    }

    proveWithin(limitMs: number): void {
      const { bytesRead } = this.#socket;
      // The socket's own timer would start again, and extend the usual limit.
      setTimeout(() => this.#closeIfSilentSince(bytesRead), limitMs).unref();
    }
  };
}

const ENDS_TRANSACTION = /^(commit|rollback)$/;

type Callback = (error: unknown, result?: pg.QueryResult) => void;

/**
 * A client for a pooler that assigns a server connection for one transaction only (PgBouncer's `pool_mode = transaction`).
 * Settings apply to a transaction, and no statement is named: the next transaction may run on another server connection.
 * A statement outside of a transaction gets its own, sent in one piece, so it costs one round trip as on a direct connection.
 */
export function createPooledClient(Client: ClientClass, settings: readonly string[]): ClientClass {
  const begin = ['begin', ...settings.map((setting) => `set local ${setting}`)].join('; ');

  return class PooledClient extends Client {
    constructor(config: pg.ClientConfig) {
      super({ ...config, pipeline: true });
      const send = super.query.bind(this) as (statement: pg.QueryConfig) => Promise<pg.QueryResult>;

      const run = async ({ name: _unused, ...statement }: pg.QueryConfig): Promise<pg.QueryResult> => {
        if (statement.text === 'begin') return send({ text: begin });
        // Null until the first response.
        const isInTransaction = ['T', 'E'].includes(this.getTransactionStatus() ?? 'I');
        if (isInTransaction || ENDS_TRANSACTION.test(statement.text)) return send(statement);
        // All three have a response before the client is used again: the last one ends the transaction, even after an error.
        const sent = [send({ text: begin }), send(statement), send({ text: 'commit' })] as const;
        const [begun, done, ended] = await Promise.allSettled(sent);
        for (const outcome of [begun, done, ended]) if (outcome.status === 'rejected') throw outcome.reason;
        return (done as PromiseFulfilledResult<pg.QueryResult>).value;
      };

      // The signatures that pg's pool, Kysely and our own statements use.
      const query = (statement: string | pg.QueryConfig, values?: unknown[] | Callback, callback?: Callback) => {
        const given = Array.isArray(values) ? { values } : {};
        const result = run(typeof statement === 'string' ? { text: statement, ...given } : { ...given, ...statement });
        const respond = typeof values === 'function' ? values : callback;
        if (respond === undefined) return result;
        result.then((value) => respond(null, value), respond);
        return undefined;
      };
      this.query = query as typeof this.query;
    }
  };
}
