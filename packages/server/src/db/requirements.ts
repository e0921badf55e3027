import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { firstOf } from '../platform/errors.ts';
import { type Connection, createClientClass, type WatchedClient } from './client.ts';

const OLDEST_MAJOR = 15;
const PROBE_CHANNEL = 'foreword_probe';
/** A notification takes milliseconds. */
const PROBE_LIMIT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** For checks, which take milliseconds. */
export const CHECK_LIMIT_MS = 30_000;

/** The database cannot be used as it is set up. `isPermanent`: retrying is pointless until the setup changes. */
export class RequirementError extends Error {
  readonly isPermanent: boolean;

  constructor(message: string, { isPermanent }: { isPermanent: boolean }) {
    super(message);
    this.isPermanent = isPermanent;
  }
}

export const permanent = (message: string) => new RequirementError(message, { isPermanent: true });
export const temporary = (message: string) => new RequirementError(message, { isPermanent: false });

/**
 * A connection of its own, for what needs a session: migrations, backups, LISTEN, and checking that sessions work. Without a
 * limit, a statement may take as long as it needs; if the server's machine is gone, the kernel closes the connection.
 */
export async function connectAlone(
  connection: Connection,
  name: string,
  silenceLimitMs: number = 0,
): Promise<WatchedClient> {
  const Client = createClientClass({ silenceLimitMs });
  const client = new Client({
    ...connection,
    application_name: name,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
  });
  await client.connect();
  return client;
}

interface Server {
  readonly version: number;
  readonly name: string;
  readonly encoding: string;
  readonly is_standby: boolean;
  readonly is_read_only: boolean;
  readonly pid: number;
}

const DESCRIBE = `
select current_setting('server_version_num')::int as version, current_setting('server_version') as name,
  current_setting('server_encoding') as encoding, pg_is_in_recovery() as is_standby,
  current_setting('transaction_read_only')::bool as is_read_only, pg_backend_pid() as pid`;

type Client = pg.ClientBase & { readonly processID?: number };

/** A server announces its process id while connecting. A transaction pooler makes one up, because it has no server connection yet. */
const isDirect = (client: Client, { pid }: Server): boolean => client.processID === pid;

async function checkServer(client: Client): Promise<Server> {
  const { rows } = await client.query<Server>(DESCRIBE);
  const [server] = rows;
  if (server === undefined) throw temporary('it did not describe itself');
  if (server.version < OLDEST_MAJOR * 10_000) {
    throw permanent(`PostgreSQL ${server.name} is too old; use PostgreSQL ${OLDEST_MAJOR} or newer`);
  }
  if (server.encoding !== 'UTF8') {
    throw permanent(
      `its encoding is ${server.encoding}; create a database with "encoding 'UTF8' template template0" and use that`,
    );
  }
  if (server.is_standby) throw temporary('it is a standby, which is read-only; use the address of the primary server');
  if (server.is_read_only) {
    throw temporary('it is read-only (default_transaction_read_only); allow writing for this role and database');
  }
  return server;
}

/** Throws unless the service can use this database and gets its own session. */
export async function checkRequirements(client: pg.Client, connection: Connection): Promise<void> {
  const server = await checkServer(client);
  if (!isDirect(client, server) && !(await receivesNotifications(client, connection))) {
    throw permanent(
      'it leads through a pooler in transaction mode, which has no sessions. Set DATABASE_DIRECT_URL to the address of PostgreSQL itself (or of a pooler in session mode); DATABASE_URL may stay as it is',
    );
  }
}

/**
 * Throws unless this connection leads to a server that can be used. False if it leads through a pooler that is not expected:
 * then `checkRequirements` has to decide.
 */
export async function canTransact(client: Client, { pooled = false }: Connection): Promise<boolean> {
  const server = await checkServer(client);
  return pooled || isDirect(client, server);
}

/**
 * Whether there is a session, although there is some pooler: a transaction pooler assigns no server connection to a client that
 * sends nothing, so the client never receives the notification; in a session it always does.
 */
async function receivesNotifications(client: pg.Client, connection: Connection): Promise<boolean> {
  const { promise: notified, resolve } = Promise.withResolvers<true>();
  client.on('notification', () => resolve(true));
  await client.query(`listen ${PROBE_CHANNEL}`);
  try {
    const other = await connectAlone(connection, 'foreword probe', CHECK_LIMIT_MS);
    try {
      await other.query(`notify ${PROBE_CHANNEL}`);
      return await Promise.race([notified, pause(PROBE_LIMIT_MS, false)]);
    } finally {
      await other.end();
    }
  } finally {
    // Through a transaction pooler, this most likely reaches the server connection that LISTEN reached.
    await client.query(`unlisten ${PROBE_CHANNEL}`);
  }
}

const UNKNOWN_AUTHORITY = new Set([
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);

/** Advice for each error, by SQLSTATE or by the code of the TLS or network layer. */
const ADVICE: Readonly<Record<string, string>> = {
  '28P01': 'special characters in the password must be percent-encoded in the URL',
  '42501': 'the role must own the database, or have CREATE on it and on its schema (grant create on …)',
  '25006': 'it is read-only; use the address of a primary server that accepts writes',
  '53100': 'its disk is full; free or add space',
  '53300': 'it accepts no more connections; raise max_connections, or use a pooler (docs/self-hosting/database.md)',
  ENOTFOUND: 'check the host name',
  ETIMEDOUT: 'no response in time; check host, port and firewall',
  ECONNREFUSED: 'check host and port, and that the server is running',
  ERR_TLS_CERT_ALTNAME_INVALID: "use a host name that the server's certificate contains",
  CERT_HAS_EXPIRED: "renew the server's certificate",
};

const WITHOUT_TLS = /does not support SSL connections/;
const REQUIRES_TLS = /no encryption|SSL off|connection is insecure/;
const TIMEOUT = /connection timeout|timeout expired|timeout exceeded|Query read timeout/i;

function adviceFor(code: string, message: string): string | undefined {
  if (UNKNOWN_AUTHORITY.has(code)) {
    return 'its certificate is from an unknown authority; give the certificate of that authority with sslrootcert=/path/ca.pem in the URL or NODE_EXTRA_CA_CERTS';
  }
  if (WITHOUT_TLS.test(message)) return 'turn TLS on there, or use sslmode=disable on a trusted network';
  if (REQUIRES_TLS.test(message)) return 'add sslmode=verify-full to the URL if it requires TLS';
  if (TIMEOUT.test(message)) return 'no response in time; check host, port and firewall';
  return ADVICE[code];
}

export function reasonOf(error: unknown): string {
  const first = firstOf(error);
  return first instanceof Error ? first.message : String(first);
}

/** The error in one line that says what to do. Follows a text such as "cannot use the database at DATABASE_URL: ". */
export function explainDatabaseError(error: unknown): string {
  const first = firstOf(error);
  const message = reasonOf(error).replace(/\s+/g, ' ').trim();
  if (first instanceof RequirementError) return message;
  const advice = adviceFor(String((first as { code?: unknown }).code ?? ''), message);
  return advice === undefined ? message : `${message} (${advice})`;
}

/** True for errors of connecting and of PostgreSQL itself, false for those of our own code. */
export function isDatabaseError(error: unknown): boolean {
  const first = firstOf(error);
  if (first instanceof RequirementError) return true;
  if (!(first instanceof Error)) return false;
  const { code, severity, syscall } = first as Error & { code?: string; severity?: string; syscall?: string };
  if (severity !== undefined) return true;
  return (
    (code !== undefined && (UNKNOWN_AUTHORITY.has(code) || code in ADVICE)) ||
    ['connect', 'getaddrinfo', 'read', 'write'].includes(syscall ?? '') ||
    WITHOUT_TLS.test(first.message) ||
    TIMEOUT.test(first.message)
  );
}
