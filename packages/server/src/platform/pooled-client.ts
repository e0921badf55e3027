import type pg from 'pg';
import type { ClientClass } from './database-client.ts';

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
