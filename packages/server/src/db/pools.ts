import { Kysely, PostgresDialect, type Transaction } from 'kysely';
import pg from 'pg';
import type { Logger } from '../platform/log.ts';
import { every } from '../platform/schedule.ts';
import {
  type ClientClass,
  type Connection,
  createClientClass,
  createPooledClient,
  DatabaseUnavailable,
} from './client.ts';
import type { DatabaseHealth } from './health.ts';
import { Hints } from './hints.ts';

export type { Connection };

/** The pool for fixed statements, and Kysely on the same connections for statements that are built from parts. */
export interface Database<Tables> {
  readonly pool: pg.Pool;
  readonly kysely: Kysely<Tables>;
  close(): Promise<void>;
}

export type Queryable<Tables> = Kysely<Tables> | Transaction<Tables>;

interface Limits {
  /** The server ends a statement after this time, so that a slow server answers before the connection counts as silent. */
  readonly statementMs: number;
  /** A connection without any response for this long is closed. */
  readonly silenceMs: number;
  /** The server ends a transaction whose client says nothing, so that a lost connection holds no locks. */
  readonly idleMs: number;
  /** For a free connection, and for a new one. */
  readonly connectMs: number;
  /** Further callers are refused instead of waiting for a connection. */
  readonly maxWaiting: number;
}

/**
 * A request is answered within 3 seconds, unless it needs a report. All limits are far longer than such statements take. A
 * command stores files during its transaction.
 */
const LIMITS = {
  request: { statementMs: 2_000, silenceMs: 2_400, idleMs: 5_000, connectMs: 2_000, maxWaiting: 2_000 },
  report: { statementMs: 10_000, silenceMs: 11_000, idleMs: 5_000, connectMs: 2_000, maxWaiting: 50 },
  background: { statementMs: 30_000, silenceMs: 35_000, idleMs: 5_000, connectMs: 5_000, maxWaiting: 10_000 },
  command: { statementMs: 30_000, silenceMs: 35_000, idleMs: 60_000, connectMs: 5_000, maxWaiting: 100 },
} satisfies Record<string, Limits>;

/** Settings of every connection. */
const baseSettings = ({ statementMs, idleMs }: Limits): string[] => [
  `statement_timeout = ${statementMs}`,
  `idle_in_transaction_session_timeout = ${idleMs}`,
];

/**
 * The statements under load look up a few rows by key. A plan made for empty tables or from stale statistics would scan whole
 * tables; these settings rule that out, and each statement is planned once.
 */
const KEYED_PLANS = [
  'plan_cache_mode = force_generic_plan',
  'enable_seqscan = off',
  'enable_hashjoin = off',
  'enable_mergejoin = off',
  // The planner expects many rows of an index on metadata. Workers or compiled code would then take 60 ms to start, for two rows.
  'max_parallel_workers_per_gather = 0',
  'jit = off',
];

/** For data that may be lost when the machine crashes: commits neither wait for the disk nor delay those that do. */
const LAZY_COMMITS = 'synchronous_commit = off';

/** `query_timeout` of a single statement is missing from the types of pg. */
const query = (client: pg.ClientBase, statement: pg.QueryConfig & { query_timeout: number }) => client.query(statement);

/** Settings are applied after connecting, because poolers reject them as startup parameters. */
const applySettings =
  (settings: readonly string[], { connectMs }: Limits) =>
  async (fresh: pg.ClientBase): Promise<void> => {
    const text = settings.map((setting) => `set ${setting}`).join('; ');
    await query(fresh, { text, query_timeout: connectMs });
  };

/** The types of pg omit that a pool passes its options to the client. */
const asPoolClient = (client: ClientClass) => client as unknown as new () => pg.ClientBase;

type Connected = Parameters<pg.Pool['connect']>[0];

/** Another pool for callers that this one cannot serve. */
interface Fallback {
  readonly pool: pg.Pool;
  /** This pool works, but its answers are not good enough. */
  isBetter(): boolean;
}

/** Refuses callers at once while the database does not respond, or when too many wait. They would only time out. */
class GuardedPool extends pg.Pool {
  readonly #maxWaiting: number;
  readonly #health: DatabaseHealth | undefined;
  readonly #fallback: Fallback | undefined;

  constructor(
    options: pg.PoolConfig,
    { maxWaiting }: Limits,
    { health, fallback }: Pick<DatabaseOptions, 'health' | 'fallback'>,
  ) {
    super(options);
    this.#maxWaiting = maxWaiting;
    this.#health = health;
    this.#fallback = fallback;
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.PoolClient> | undefined {
    const fallback = this.#fallback;
    if (fallback !== undefined) return this.#connectOr(fallback, callback);
    const refusal = this.#refusal();
    if (callback === undefined) return refusal === null ? super.connect() : Promise.reject(refusal);
    if (refusal === null) super.connect(callback);
    else callback(refusal, undefined, () => undefined);
    return undefined;
  }

  #connectOr({ pool, isBetter }: Fallback, callback: Connected | undefined): Promise<pg.PoolClient> | undefined {
    if (callback === undefined) return isBetter() ? pool.connect() : super.connect().catch(() => pool.connect());
    if (isBetter()) pool.connect(callback);
    else super.connect((error, client, done) => (error ? pool.connect(callback) : callback(error, client, done)));
    return undefined;
  }

  #refusal(): Error | null {
    if (this.#health?.isResponding === false) return new DatabaseUnavailable('the database does not respond');
    if (this.waitingCount >= this.#maxWaiting)
      return new DatabaseUnavailable('too many requests wait for the database');
    return null;
  }
}

export interface DatabaseOptions {
  readonly max: number;
  readonly name: string;
  /** Default: `command`. */
  readonly use?: keyof typeof LIMITS;
  readonly keyedPlans?: boolean;
  readonly lazyCommits?: boolean;
  /** Undefined for a process that runs one command. */
  readonly health?: DatabaseHealth;
  /** Collects the hints of all pools of a node. Default: hints of this pool, sent through it. */
  readonly hints?: Hints;
  readonly fallback?: Fallback;
  readonly onError: (error: Error) => void;
}

export function openDatabase<Tables>(connection: Connection, options: DatabaseOptions): Database<Tables> {
  const { health, use = 'command', keyedPlans = false, lazyCommits = false } = options;
  const limits = LIMITS[use];
  const settings = [
    ...baseSettings(limits),
    ...(keyedPlans ? KEYED_PLANS : []),
    ...(lazyCommits ? [LAZY_COMMITS] : []),
  ];
  const { pooled, ...address } = connection;
  const { hints = new Hints() } = options;
  const ownHints = options.hints === undefined ? hints : null;
  const Client = createClientClass({ silenceLimitMs: limits.silenceMs, watch: health, hints });
  const client = pooled
    ? { Client: asPoolClient(createPooledClient(Client, settings)) }
    : { Client: asPoolClient(Client), onConnect: applySettings(settings, limits) };
  const pool = new GuardedPool(
    {
      ...address,
      ...client,
      max: options.max,
      application_name: options.name,
      connectionTimeoutMillis: limits.connectMs,
      idleTimeoutMillis: 30_000,
    },
    limits,
    {
      // Background work waits for the database instead: failing at once would only fill the log.
      ...(use !== 'background' && health !== undefined && { health }),
      ...(options.fallback !== undefined && { fallback: options.fallback }),
    },
  );
  // While the pool closes, the embedded database may end its connections first.
  pool.on('error', (error) => {
    if (!pool.ending) options.onError(error);
  });
  ownHints?.sendWith(pool);
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const close = async () => {
    await ownHints?.close();
    await kysely.destroy();
    // Kysely ends the pool only if it has run a statement itself.
    if (!pool.ending) await pool.end();
  };
  return { pool, kysely, close };
}

/** The server shows the name of the connection. */
export async function withOneConnection<Tables, T>(
  connection: Connection,
  name: string,
  work: (db: Database<Tables>) => Promise<T>,
): Promise<T> {
  const db = openDatabase<Tables>(connection, { max: 1, name, onError: () => undefined });
  // The work may be committed, so an error while closing must not hide the result.
  return work(db).finally(() => db.close().catch(() => undefined));
}

/** Kysely in a transaction of the connection pool or of Kysely, which the caller ends. */
export function queryableOf<Tables>(within: pg.ClientBase | Queryable<Tables>): Queryable<Tables> {
  if ('executeQuery' in within) return within;
  const lent = { query: within.query.bind(within), release: () => undefined } as unknown as pg.PoolClient;
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
/** A server that is read-only, and one that was suspended and then ended a transaction because it had been idle meanwhile. */
const TRANSIENT_CODES = new Set(['25006', '25P03']);
const CONNECTION_MESSAGES =
  /timeout exceeded when trying to connect|Connection terminated|Client has encountered a connection error|Query read timeout/;

/** Two transactions waited for each other, and PostgreSQL ended this one. */
export const isUniqueViolation = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '23505';

export const isDeadlock = (error: unknown): boolean => (error as { code?: unknown } | null)?.code === '40P01';

/** True when the database or the network is at fault, not the data: the same statement may succeed in a moment. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as Error & { code?: string };
  if (code === undefined) return CONNECTION_MESSAGES.test(error.message);
  return (
    CONNECTION_CODES.has(code) ||
    TRANSIENT_CODES.has(code) ||
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

const CHECK_INTERVAL_MS = 2_000;
/** Reports may be this old. Replicas usually follow within milliseconds. */
export const MAX_LAG_S = 10;

/**
 * Zero when nothing is left to apply: while the primary is idle, the last transaction only looks old. That holds only while the
 * primary is connected.
 */
const LAG = `select case
    when not pg_is_in_recovery() then 0
    when pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() and exists (select from pg_stat_wal_receiver) then 0
    else coalesce(extract(epoch from clock_timestamp() - pg_last_xact_replay_timestamp()), 'infinity')
  end::float8 as seconds`;

/** How far a replica is behind. */
export const readLagS = async (client: Client): Promise<number> =>
  (await client.query<{ seconds: number }>(LAG)).rows[0]?.seconds ?? Number.POSITIVE_INFINITY;

/** A copy of the database for reports. Leads to the primary while the copy does not respond or lags. Closes both. */
export function openReadReplica<Tables>(
  connection: Connection,
  options: { readonly primary: Database<Tables>; readonly max: number; readonly log: Logger },
): { db: Database<Tables>; isReplicaFailing(): boolean } {
  const { primary, max, log } = options;
  /** Undefined until the first check. */
  let isUsable: boolean | undefined;
  const db = openDatabase<Tables>(connection, {
    use: 'report',
    max,
    name: 'foreword reports',
    keyedPlans: true,
    fallback: { pool: primary.pool, isBetter: () => isUsable !== true },
    onError: (err) => log.warn({ err }, 'connection to the replica lost'),
  });
  // A pool of its own, because the other one avoids the replica while it lags.
  const probe = openDatabase<Tables>(connection, {
    use: 'request',
    max: 1,
    name: 'foreword replica',
    onError: () => undefined,
  });
  const check = async () => {
    const before = isUsable;
    const { seconds, err } = await readLagS(probe.pool).then(
      (lag) => ({ seconds: lag, err: undefined }),
      (error: unknown) => ({ seconds: undefined, err: error }),
    );
    isUsable = seconds !== undefined && seconds <= MAX_LAG_S;
    if (isUsable && before !== true) log.info('reports use the replica');
    if (!isUsable && before !== false)
      log.warn({ err, seconds }, 'reports use the primary: DATABASE_READ_URL lags or does not respond');
  };
  const checking = every(CHECK_INTERVAL_MS, 'check the replica', log, check);
  const close = async () => {
    await checking.stop();
    await Promise.all([db.close(), probe.close(), primary.close()]);
  };
  return { db: { ...db, close }, isReplicaFailing: () => isUsable === false };
}
