import pg from 'pg';

/** The message names the variable and never shows the value, which may contain a password. */
export class DatabaseUrlError extends Error {}

const EXAMPLE = 'postgres://user:password@host:5432/database';
const ENCODED = '# is %23, / is %2F, ? is %3F, @ is %40, % is %25';
/** Until pg 9 these mean `verify-full`, and pg prints a warning of several lines about it. */
const SAME_AS_VERIFY_FULL = new Set(['prefer', 'require', 'verify-ca']);
const WITHOUT_CERTIFICATE = new Set(['disable', 'no-verify']);

export interface TlsDefaults {
  /** PGSSLMODE, which pg reads as well. */
  readonly mode: string | undefined;
  /** PGSSLROOTCERT, which pg does not read. */
  readonly rootCertificate: string | undefined;
}

/** Where a raw `#`, `/` or `?` in the password ends up: the URL is invalid, or the rest of it is in the wrong part. */
const isCutShort = (url: URL | null): boolean =>
  url === null ||
  url.hash !== '' ||
  url.pathname.includes('@') ||
  [...url.searchParams.keys()].some((name) => name.includes('@'));

/** Checks the URL of a database, and completes its TLS settings. */
export function readDatabaseUrl(name: string, text: string, defaults: TlsDefaults): string {
  if (!/^postgres(ql)?:\/\//.test(text)) {
    throw new DatabaseUrlError(`${name} must be a URL that starts with postgres:// or postgresql://`);
  }
  const url = URL.parse(text);
  if (url === null || isCutShort(url)) {
    const credentials = text.slice(text.indexOf('://') + 3, Math.max(0, text.lastIndexOf('@')));
    throw new DatabaseUrlError(
      /[#/?]/.test(credentials)
        ? `${name} is not a valid URL: percent-encode special characters in the user name and the password (${ENCODED})`
        : `${name} is not a valid URL such as ${EXAMPLE}`,
    );
  }
  const completed = completeTls(text, url, defaults);
  refuseUnreadable(name, completed);
  return completed;
}

function completeTls(text: string, url: URL, defaults: TlsDefaults): string {
  const given = url.searchParams;
  if (given.get('uselibpqcompat') === 'true') return text;
  const mode = given.get('sslmode');
  let isChanged = false;
  if (mode !== null && SAME_AS_VERIFY_FULL.has(mode)) {
    given.set('sslmode', 'verify-full');
    isChanged = true;
  }
  const effective = mode ?? (given.has('ssl') ? 'verify-full' : defaults.mode);
  if (
    defaults.rootCertificate !== undefined &&
    !given.has('sslrootcert') &&
    effective !== undefined &&
    !WITHOUT_CERTIFICATE.has(effective)
  ) {
    given.set('sslrootcert', defaults.rootCertificate);
    isChanged = true;
  }
  return isChanged ? url.href : text;
}

/** pg decodes the user name and the password, and reads the certificates, when a client is created. */
function refuseUnreadable(name: string, text: string): void {
  try {
    new pg.Client({ connectionString: text });
  } catch (error) {
    if (error instanceof URIError) {
      throw new DatabaseUrlError(
        `${name} is not a valid URL: percent-encode special characters in the user name and the password (${ENCODED})`,
      );
    }
    const { path } = error as NodeJS.ErrnoException;
    if (path === undefined) throw new DatabaseUrlError(`${name} is not a valid URL such as ${EXAMPLE}`);
    throw new DatabaseUrlError(`${name}: cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`);
  }
}
