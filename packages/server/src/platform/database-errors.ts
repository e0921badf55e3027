import { RequirementError } from './requirements.ts';

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
  '53300': 'it accepts no more connections; raise max_connections, or use a pooler (docs/operations.md)',
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
    return 'its certificate is from an unknown authority; give the certificate of that authority with sslrootcert=/path/ca.pem in the URL, PGSSLROOTCERT or NODE_EXTRA_CA_CERTS';
  }
  if (WITHOUT_TLS.test(message)) return 'turn TLS on there, or use sslmode=disable on a trusted network';
  if (REQUIRES_TLS.test(message)) return 'add sslmode=verify-full to the URL if it requires TLS';
  if (TIMEOUT.test(message)) return 'no response in time; check host, port and firewall';
  return ADVICE[code];
}

/** Connecting to a host name with several addresses throws an AggregateError without a message. */
const firstOf = (error: unknown): unknown => (error instanceof AggregateError ? error.errors[0] : error);

/** The error in one line that says what to do. Follows a text such as "cannot use the database at DATABASE_URL: ". */
export function explainDatabaseError(error: unknown): string {
  const first = firstOf(error);
  const message = (first instanceof Error ? first.message : String(first)).replace(/\s+/g, ' ').trim();
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
