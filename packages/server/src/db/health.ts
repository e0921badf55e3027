import type pg from 'pg';
import { monotonicMs } from '../platform/clock.ts';
import type { Logger } from '../platform/log.ts';
import {
  type ClientWatch,
  type Connection,
  createClientClass,
  DatabaseUnavailable,
  type WatchedClient,
} from './client.ts';

const BEAT_INTERVAL_MS = 1_000;
/** Generous for a busy machine: without it, every request would be refused until the next attempt. */
const BEAT_LIMIT_MS = 2_000;
const RETRY_MS = 250;
/** After a fault, older connections prove within this time that they still work. */
const PROOF_LIMIT_MS = 1_000;
/** From here on /healthz reports the failure. A failover takes up to half a minute. */
const UNHEALTHY_AFTER_MS = 30_000;
/** After a failure of this length without a break the process exits, so that its supervisor starts a fresh one. */
const FAILURE_LIMIT_MS = 60_000;

const BEAT = 'select 1';
/** Writes a few bytes to the log of the database and waits for the disk, as accepting an event does. */
const WRITE = `select pg_logical_emit_message(true, 'foreword', '')`;

interface HealthOptions {
  readonly connection: Connection;
  readonly log: Logger;
  /** Only tests set it. */
  readonly failureLimitMs?: number | undefined;
}

const Client = createClientClass({ silenceLimitMs: BEAT_LIMIT_MS });

/** An error that the database reports for a statement is a response, for example that it is read-only or its disk is full. */
const isResponse = (error: unknown): boolean => (error as { severity?: string }).severity === 'ERROR';

const isSilence = (error: unknown): boolean => error instanceof DatabaseUnavailable;

/**
 * Knows whether the database responds, and closes the connections that a fault has left useless. Beats on a connection of its own
 * once a second. After a fault, it tries new connections until one works.
 */
export class DatabaseHealth implements ClientWatch {
  /** Resolves with the reason when the failure has reached its limit. */
  readonly lost: Promise<string>;
  readonly #lose: (reason: string) => void;
  readonly #options: HealthOptions & { failureLimitMs: number };
  readonly #clients = new Set<WatchedClient>();
  #client: WatchedClient | undefined;
  #failingSinceMs: number | null = null;
  #recoveredMs = Number.NEGATIVE_INFINITY;
  /** Another connection was silent, so the answer on an older one proves nothing. */
  #isSuspected = false;
  #isClosed = false;
  #endPause: () => void = () => undefined;

  constructor(options: HealthOptions) {
    this.#options = { ...options, failureLimitMs: options.failureLimitMs ?? FAILURE_LIMIT_MS };
    ({ promise: this.lost, resolve: this.#lose } = Promise.withResolvers<string>());
    void this.#run();
  }

  /** False from the first statement without a response until a new connection can write again. */
  get isResponding(): boolean {
    return this.#failingSinceMs === null;
  }

  /** How long the database has not responded; 0 while it does. */
  failingMs(): number {
    return this.#failingSinceMs === null ? 0 : monotonicMs() - this.#failingSinceMs;
  }

  /** False once a failure is so long that waiting may not end it. */
  isHealthy(): boolean {
    return this.failingMs() < UNHEALTHY_AFTER_MS;
  }

  add(client: WatchedClient): void {
    this.#clients.add(client);
  }

  delete(client: WatchedClient): void {
    this.#clients.delete(client);
  }

  noteSilence(client: WatchedClient): void {
    // Connections from before the last fault are expected to fail.
    if (client.openedMs < this.#recoveredMs) return;
    this.#isSuspected = true;
    this.#fail(new DatabaseUnavailable('a statement got no response'));
    this.#endPause();
  }

  /** Closes all connections. Statements that are still running fail, and their transactions are rolled back. */
  discardClients(): void {
    for (const client of this.#clients) client.discard(new DatabaseUnavailable('the process stops'));
  }

  close(): void {
    this.#isClosed = true;
    this.#drop();
    this.#endPause();
  }

  async #run(): Promise<void> {
    while (!this.#isClosed) {
      const fault = await this.#check();
      if (this.#isClosed) return;
      if (fault === null) this.#recover();
      else this.#fail(fault);
      await this.#pause(fault === null ? BEAT_INTERVAL_MS : RETRY_MS);
    }
  }

  /** Null when the database responds. */
  async #check(): Promise<unknown> {
    if (this.#client !== undefined && !this.#isSuspected) {
      const fault = await this.#query(this.#client, BEAT);
      if (fault === null && !this.#isSuspected) return null;
      // A connection that was closed is replaced at once; one that is silent is a fault.
      if (isSilence(fault)) {
        this.#drop();
        return fault;
      }
    }
    this.#drop();
    return this.#connect();
  }

  async #connect(): Promise<unknown> {
    this.#isSuspected = false;
    const client = new Client({
      ...this.#options.connection,
      application_name: 'foreword health',
      connectionTimeoutMillis: BEAT_LIMIT_MS,
    });
    this.#client = client;
    try {
      await client.connect();
    } catch (error) {
      this.#drop();
      return error;
    }
    const fault = await this.#query(client, this.isResponding ? BEAT : WRITE);
    if (fault !== null) this.#drop();
    return fault;
  }

  async #query(client: pg.Client, text: string): Promise<unknown> {
    try {
      await client.query(text);
      return null;
    } catch (error) {
      return isResponse(error) ? null : error;
    }
  }

  #drop(): void {
    this.#client?.discard(new Error('replaced'));
    this.#client = undefined;
  }

  #fail(fault: unknown): void {
    const { log, failureLimitMs } = this.#options;
    if (this.#failingSinceMs === null) {
      this.#failingSinceMs = monotonicMs();
      log.warn({ err: fault }, 'the database does not respond; requests that need it are refused until it does');
    }
    if (this.failingMs() < failureLimitMs) return;
    this.#lose(`the database has not responded for ${Math.round(failureLimitMs / 1_000)} s`);
  }

  #recover(): void {
    if (this.#failingSinceMs === null) return;
    const seconds = Math.round(this.failingMs() / 100) / 10;
    this.#failingSinceMs = null;
    this.#recoveredMs = monotonicMs();
    this.#options.log.warn({ seconds, connections: this.#clients.size }, 'the database responds again');
    // None of the older connections can be trusted: an idle one may be silent, and only its next statement would find out.
    for (const client of this.#clients) {
      if (client.isWaiting) client.proveWithin(PROOF_LIMIT_MS);
      else client.discard(new DatabaseUnavailable('the connection was replaced after a fault'));
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#isClosed || this.#isSuspected) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
