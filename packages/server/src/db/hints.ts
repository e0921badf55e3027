import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Logger } from '../platform/log.ts';
import { planned } from './statements.ts';

/** The SQLSTATE of messages from SQL's `hint(channel, payload)`. */
const HINT = 'WH001';
/** Hints wait for this long after the last ones were sent. */
const PAUSE_MS = 500;
/** For a database that does not respond at the end of a process. */
const CLOSE_LIMIT_MS = 1_000;

const NOTIFY = planned(
  `select pg_notify(split_part(hint, ' ', 1), substr(hint, strpos(hint, ' ') + 1)) from unnest($1::text[]) as hint`,
);

/** `connection` and the transaction status are missing from the types of pg. */
type Watchable = pg.ClientBase & {
  readonly connection: { on(event: 'readyForQuery', listener: (message: { status?: string }) => void): void };
};

/**
 * Tells this process and other nodes of changes. Statements report hints to their own client, which passes them on when their transaction
 * has ended, whatever its outcome: a hint only says where to look. Other nodes get them with NOTIFY, at once and then at most twice a
 * second, because PostgreSQL commits transactions that NOTIFY one after another.
 */
export class Hints {
  readonly #waiting = new Set<string>();
  readonly #listeners: { readonly channel: string; readonly onHint: () => void }[] = [];
  #pool: pg.Pool | undefined;
  #pause: NodeJS.Timeout | undefined;
  #sending: Promise<void> | undefined;
  #isClosed = false;
  #isFailing = false;
  readonly #log: Pick<Logger, 'warn'> | undefined;

  constructor(log?: Pick<Logger, 'warn'>) {
    this.#log = log;
  }

  /** Collects the hints of a connection. */
  watch(client: pg.ClientBase): void {
    const ofTransaction = new Set<string>();
    const end = () => {
      this.#add(ofTransaction);
      ofTransaction.clear();
    };
    client.on('notice', ({ code, message }) => {
      if (code === HINT && message !== undefined) ofTransaction.add(message);
    });
    (client as Watchable).connection.on('readyForQuery', ({ status }) => {
      if (ofTransaction.size > 0 && status === 'I') end();
    });
    // The transaction may have been committed, or not.
    client.once('end', end);
  }

  /** Sends them through this pool. */
  sendWith(pool: pg.Pool): void {
    this.#pool = pool;
    this.#send();
  }

  /** Calls `onHint` for each hint of the channel that this process sends. Those of other nodes arrive as notifications. */
  on(channel: string, onHint: () => void): void {
    this.#listeners.push({ channel, onHint });
  }

  #add(hints: ReadonlySet<string>): void {
    for (const hint of hints) {
      this.#waiting.add(hint);
      for (const { channel, onHint } of this.#listeners) if (hint.startsWith(`${channel} `)) onHint();
    }
    if (this.#pause === undefined) this.#send();
  }

  #send(): void {
    const pool = this.#pool;
    if (pool === undefined || this.#waiting.size === 0 || this.#sending !== undefined) return;
    const hints = [...this.#waiting];
    this.#waiting.clear();
    this.#sending = pool
      .query(NOTIFY, [hints])
      .then(
        () => {
          this.#isFailing = false;
        },
        (err: unknown) => {
          for (const hint of hints) this.#waiting.add(hint);
          if (!this.#isFailing) this.#log?.warn({ err }, 'could not send hints to other nodes; trying again');
          this.#isFailing = true;
        },
      )
      .finally(() => {
        this.#sending = undefined;
        if (!this.#isClosed) this.#pause = setTimeout(() => this.#resume(), PAUSE_MS).unref();
      });
  }

  #resume(): void {
    this.#pause = undefined;
    this.#send();
  }

  /** Sends what waits, once. Call it before the pool ends. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#pause);
    const sent = async () => {
      await this.#sending;
      this.#send();
      await this.#sending;
    };
    await Promise.race([sent(), sleep(CLOSE_LIMIT_MS, undefined, { ref: false })]);
    this.#pool = undefined;
  }
}
