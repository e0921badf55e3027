import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import { createPooledClient } from './pooled-client.ts';

type Address =
  | { readonly connectionString: string }
  | { readonly host: string; readonly user: string; readonly database: string };

/** `pooled`: a pooler may assign a server connection for one transaction only, so there are no sessions. */
export type Connection = Address & { readonly pooled?: boolean };

/** The pool for fixed statements, and Kysely on the same connections for statements that are built from parts. */
export interface Database<Tables> {
  readonly pool: pg.Pool;
  readonly kysely: Kysely<Tables>;
  close(): Promise<void>;
}

export type Queryable<Tables> = Kysely<Tables> | Transaction<Tables>;

const CONNECT_TIMEOUT_MS = 5_000;
// Far longer than any of our statements takes; a stuck one must not keep its connection forever.
const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * The statements under load look up a few rows by key. A plan made for empty tables or from stale statistics would scan whole
 * tables; these settings rule that out, and each statement is planned once.
 */
const KEYED_PLANS = [
  'plan_cache_mode = force_generic_plan',
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
];

/** For data that may be lost when the machine crashes: commits neither wait for the disk nor delay those that do. */
const LAZY_COMMITS = 'synchronous_commit = off';

/** Settings are applied after connecting, because poolers reject them as startup parameters. */
function createPool({ pooled, ...address }: Connection, settings: readonly string[], options: pg.PoolConfig): pg.Pool {
  const text = settings.map((setting) => `set ${setting}`).join('; ');
  const client = pooled
    ? { Client: createPooledClient(settings) }
    : { onConnect: (fresh: pg.ClientBase) => query(fresh, { text, query_timeout: CONNECT_TIMEOUT_MS }) };
  return new pg.Pool({ ...address, ...options, ...client });
}

/** `query_timeout` of a single statement is missing from the types of pg. */
const query = (client: pg.ClientBase, statement: pg.QueryConfig & { query_timeout: number }) => client.query(statement);

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
    `statement_timeout = ${STATEMENT_TIMEOUT_MS}`,
    ...(options.keyedPlans === true ? KEYED_PLANS : []),
    ...(options.lazyCommits === true ? [LAZY_COMMITS] : []),
  ];
  const pool = createPool(connection, settings, {
    max: options.max,
    application_name: options.name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    idleTimeoutMillis: 30_000,
  });
  pool.on('error', options.onError);
  // A connection that breaks while in use fails its next query. Without a listener, the event would end the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const close = async () => {
    await kysely.destroy();
    // Kysely ends the pool only if it has run a statement itself.
    if (!pool.ending) await pool.end();
  };
  return { pool, kysely, close };
}

/** Kysely on a connection that is already in a transaction; the caller ends both. */
export function queryableOf<Tables>(client: pg.ClientBase): Kysely<Tables> {
  const lent = { query: client.query.bind(client), release: () => undefined } as unknown as pg.PoolClient;
  return new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: { options: {}, connect: async () => lent, end: async () => undefined } }),
  });
}

/** Runs `work` in a transaction. A connection that cannot roll back is discarded. */
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
// Connection, transaction rollback (deadlock, serialization), insufficient resources, operator intervention, system error.
const TRANSIENT_CLASSES = new Set(['08', '40', '53', '57', '58']);
const READ_ONLY_SERVER = '25006';
const CONNECTION_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Query read timeout/;

/** True when the database or the network is at fault, not the data: the same statement may succeed in a moment. */
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

type Client = Pick<pg.Pool, 'query'>;

export const isReachable = async (client: Client): Promise<boolean> => (await client.query('select 1')).rowCount === 1;

/** The version of PostgreSQL: as a number such as 180001, and as text. */
export async function readServerVersion(client: Client): Promise<{ number: number; name: string }> {
  const { rows } = await client.query<{ number: number; name: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as name`,
  );
  return rows[0] ?? { number: 0, name: 'unknown' };
}

/** Connections of this and other processes to the server, except the one that asks. */
export async function countOtherConnections(client: Client): Promise<number> {
  const { rows } = await client.query<{ others: number }>(
    `select count(*)::int as others from pg_stat_activity
     where backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  return rows[0]?.others ?? 0;
}
