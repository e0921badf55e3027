import pg from 'pg';
import { ConfigError } from '../platform/process.ts';

const notValid = (name: string) =>
  new ConfigError(`${name} is not a valid URL such as postgres://user:password@host:5432/database`);
const notEncoded = (name: string) =>
  new ConfigError(
    `${name} is not a valid URL: percent-encode special characters in the user name and the password (# is %23, / is %2F, ? is %3F, @ is %40, % is %25)`,
  );

/** Until pg 9 these mean `verify-full`, and pg prints a warning of several lines about it. */
const SAME_AS_VERIFY_FULL = new Set(['prefer', 'require', 'verify-ca']);

/** Where a raw `#`, `/` or `?` in the password ends up: the URL is invalid, or the rest of it is in the wrong part. */
const isCutShort = (url: URL | null): boolean =>
  url === null ||
  url.hash !== '' ||
  url.pathname.includes('@') ||
  [...url.searchParams.keys()].some((name) => name.includes('@'));

/** Checks the URL of a database, which may contain a password, and makes TLS verify the server. */
export function readDatabaseUrl(name: string, text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text)) {
    throw new ConfigError(`${name} must be a URL that starts with postgres:// or postgresql://`);
  }
  const url = URL.parse(text);
  if (url === null || isCutShort(url)) {
    const credentials = text.slice(text.indexOf('://') + 3, Math.max(0, text.lastIndexOf('@')));
    throw /[#/?]/.test(credentials) ? notEncoded(name) : notValid(name);
  }
  const completed = requireVerification(text, url);
  refuseUnreadable(name, completed);
  return completed;
}

function requireVerification(text: string, url: URL): string {
  const mode = url.searchParams.get('sslmode');
  if (url.searchParams.get('uselibpqcompat') === 'true' || mode === null || !SAME_AS_VERIFY_FULL.has(mode)) return text;
  url.searchParams.set('sslmode', 'verify-full');
  return url.href;
}

/** pg decodes the user name and the password, and reads the certificates, when a client is created. */
function refuseUnreadable(name: string, text: string): void {
  try {
    new pg.Client({ connectionString: text });
  } catch (error) {
    if (error instanceof URIError) throw notEncoded(name);
    const { path, code } = error as NodeJS.ErrnoException;
    throw path === undefined ? notValid(name) : new ConfigError(`${name}: cannot read ${path}: ${code}`);
  }
}
