import { ConfigError } from './values.ts';

const DATABASE_OPTION = 'as an option of DATABASE_URL and its variants:';
const OIDC_CLIENT = 'put the client into OIDC_ISSUER: https://CLIENT_ID:CLIENT_SECRET@host';
const S3_KEY = 'put the key into OBJECTS_URL: s3://KEY:SECRET@host/bucket';
/**
 * A start that ignored one of them could stop signing emails, or encrypting connections. Platforms set the variables of OpenTelemetry for
 * all programs, so those that Foreword does not read are ignored.
 */
const REPLACED: Readonly<Record<string, string>> = {
  PGSSLMODE: `give it ${DATABASE_OPTION} ?sslmode=verify-full`,
  PGSSLROOTCERT: `give it ${DATABASE_OPTION} ?sslmode=verify-full&sslrootcert=/path/ca.pem`,
  SERVER_KEY_PREVIOUS: 'add the previous key to SERVER_KEY, after a comma',
  S3_ACCESS_KEY_ID: S3_KEY,
  S3_SECRET_ACCESS_KEY: S3_KEY,
  MEDIA_REDIRECT: 'add ?redirect=on to OBJECTS_URL',
  WORK_DIR: 'mount or link the folder at work in DATA_DIR',
  MAIL_BOUNCES_TO: 'add ?bounces_to=ADDRESS to SMTP_URL',
  MAIL_BOUNCE_SECRET: 'add ?bounce_secret=SECRET to SMTP_URL',
  DKIM_DOMAIN: 'set DKIM_SELECTOR to the name of the record: SELECTOR._domainkey.DOMAIN',
  DKIM_PRIVATE_KEY_FILE: 'set DKIM_PRIVATE_KEY to the path of the file',
  OIDC_CLIENT_ID: OIDC_CLIENT,
  OIDC_CLIENT_SECRET: OIDC_CLIENT,
  API_KEYS_MAX: 'an organization has at most 50 active keys; remove the variable',
};

export function refuseReplaced(environment: Readonly<Record<string, string | undefined>>): void {
  const name = Object.keys(REPLACED).find((replaced) => environment[replaced]);
  if (name !== undefined) throw new ConfigError(`${name} is no longer a variable of Foreword: ${REPLACED[name]}`);
}
