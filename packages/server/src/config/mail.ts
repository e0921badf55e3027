import fs from 'node:fs';
import type { CarrierSettings } from '../delivery/index.ts';
import { checkDkimKey, type DkimKey, DkimKeyError } from '../platform/dkim.ts';
import { ConfigError, type Read, readRequired, readSecret, readUrl } from './values.ts';

/** A domain name, in lower case and without the dot at its end. */
const DOMAIN = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+$/;
export const isDomain = (text: string): boolean => DOMAIN.test(text);

const SELECTOR = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/i;
export const isSelector = (text: string): boolean => SELECTOR.test(text);

function readKeyFile(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(
      `DKIM_PRIVATE_KEY_FILE must be a readable file (${(error as NodeJS.ErrnoException).code ?? 'unreadable'})`,
    );
  }
}

/** The private key and the variable that it comes from; undefined if emails are not signed here. */
function readPrivateKey(read: Read): { name: 'DKIM_PRIVATE_KEY' | 'DKIM_PRIVATE_KEY_FILE'; pem: string } | undefined {
  const [inline, file] = [read('DKIM_PRIVATE_KEY'), read('DKIM_PRIVATE_KEY_FILE')];
  if (inline !== undefined && file !== undefined)
    throw new ConfigError('DKIM_PRIVATE_KEY and DKIM_PRIVATE_KEY_FILE are both set: set one of them');
  if (file !== undefined) return { name: 'DKIM_PRIVATE_KEY_FILE', pem: readKeyFile(file) };
  // Files of variables have no line breaks, so keys in them have \n instead.
  return inline === undefined ? undefined : { name: 'DKIM_PRIVATE_KEY', pem: inline.replaceAll('\\n', '\n') };
}

function readDkim(read: Read, from: string): DkimKey | undefined {
  const key = readPrivateKey(read);
  if (key === undefined) {
    const lone = (['DKIM_DOMAIN', 'DKIM_SELECTOR'] as const).find((name) => read(name) !== undefined);
    if (lone === undefined) return undefined;
    throw new ConfigError(`DKIM_PRIVATE_KEY or DKIM_PRIVATE_KEY_FILE is missing: ${lone} requires it`);
  }
  const domain = (read('DKIM_DOMAIN') ?? from.slice(from.lastIndexOf('@') + 1)).toLowerCase();
  if (!isDomain(domain)) throw new ConfigError(`DKIM_DOMAIN must be a domain such as acme.example, not "${domain}"`);
  const selector = readRequired(read, 'DKIM_SELECTOR', key.name);
  if (!isSelector(selector))
    throw new ConfigError(`DKIM_SELECTOR must be letters, digits, hyphens and dots, not "${selector}"`);
  try {
    checkDkimKey(key.pem);
  } catch (error) {
    if (error instanceof DkimKeyError) throw new ConfigError(`${key.name} ${error.message}`);
    throw error;
  }
  return { domain, selector, privateKey: key.pem };
}

function checkAddress(name: string, text: string): void {
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(text)) throw new ConfigError(`${name} must be an email address without a name`);
}

export function readMailServer(read: Read): CarrierSettings['mail'] {
  const url = read('SMTP_URL');
  if (url === undefined) return undefined;
  const from = readRequired(read, 'MAIL_FROM', 'SMTP_URL');
  checkAddress('MAIL_FROM', from);
  const bouncesTo = read('MAIL_BOUNCES_TO');
  if (bouncesTo !== undefined) checkAddress('MAIL_BOUNCES_TO', bouncesTo);
  return {
    url: readUrl('SMTP_URL', url, ['smtp:', 'smtps:']),
    from,
    bouncesTo,
    bounceSecret: readSecret(read, 'MAIL_BOUNCE_SECRET'),
    dkim: readDkim(read, from),
  };
}
