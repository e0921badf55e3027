import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';

export type Connection = { connectionString: string } | { host: string; user: string; database: string };

/** The pool for plain statements, and Kysely over the same connections for those that are put together. */
export interface Database<Tables> {
  readonly pool: pg.Pool;
  readonly kysely: Kysely<Tables>;
  close(): Promise<void>;
}

export type Queryable<Tables> = Kysely<Tables> | Transaction<Tables>;

const CONNECT_TIMEOUT_MS = 5_000;
// Far above any statement of ours; a stuck one must not hold its connection for ever.
const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * The statements under load look up a few rows by key. A plan made while the tables were empty, or from stale figures,
 * would read whole tables; with these switches the planner has no such plan, and it makes the generic one only once.
 */
const KEYED_PLANS =
  '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

/** For what may be lost in a crash of the machine: nobody waits for its disk, and it takes no turn of those who do. */
const LAZY_COMMITS = '-c synchronous_commit=off';

export function openDatabase<Tables>(
  connection: Connection,
  options: {
    max: number;
    name: string;
    keyedPlans?: boolean;
    lazyCommits?: boolean;
    onError: (error: Error) => void;
  },
): Database<Tables> {
  const settings = [
    ...(options.keyedPlans === true ? [KEYED_PLANS] : []),
    ...(options.lazyCommits === true ? [LAZY_COMMITS] : []),
  ];
  const pool = new pg.Pool({
    ...connection,
    max: options.max,
    application_name: options.name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
    ...(settings.length > 0 && { options: settings.join(' ') }),
  });
  pool.on('error', options.onError);
  // One that breaks while somebody holds it: they learn it from what they ask. Without a listener it would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  return { pool, kysely, close: () => kysely.destroy() };
}

/** Kysely over a connection that is in a transaction already. It is the caller's to end both. */
export function queryableOf<Tables>(client: pg.ClientBase): Kysely<Tables> {
  const lent = { query: client.query.bind(client), release: () => undefined } as unknown as pg.PoolClient;
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { options: {}, connect: async () => lent, end: async () => undefined } }),
  });
}

/** One transaction on one connection of the pool. A connection that cannot roll back is thrown away. */
export async function inTransaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((fault: Error) => {
      broken = fault;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

const CONNECTION_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);
// connection, transaction rollback (deadlock, serialization), insufficient resources, operator intervention, system error
const TRANSIENT_CLASSES = new Set(['08', '40', '53', '57', '58']);
const READ_ONLY_SERVER = '25006';
const CONNECTION_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error/;

/** The same statement may succeed in a moment: the fault is the database's or the network's, not the data's. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as Error & { code?: string };
  if (code === undefined) return CONNECTION_MESSAGES.test(error.message);
  return (
    CONNECTION_CODES.has(code) ||
    code === READ_ONLY_SERVER ||
    (code.length === 5 && TRANSIENT_CLASSES.has(code.slice(0, 2)))
  );
}
