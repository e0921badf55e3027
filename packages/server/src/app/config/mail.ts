import fs from 'node:fs';
import path from 'node:path';
import type { CarrierSettings } from '../../delivery/index.ts';
import { checkDkimKey, type DkimKey, DkimKeyError } from '../../platform/dkim.ts';
import { ConfigError, checkSecret, type Read, readRequired, readUrl } from './values.ts';

/** A domain name, in lower case and without the dot at its end. */
const DOMAIN = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})+$/;
export const isDomain = (text: string): boolean => DOMAIN.test(text);

const SELECTOR = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/i;
export const isSelector = (text: string): boolean => SELECTOR.test(text);

/** The key in PEM, from a file if the variable is a path. */
function readPem(text: string): string {
  // Files of variables have no line breaks, so keys in them have \n instead.
  if (!path.isAbsolute(text)) return text.replaceAll('\\n', '\n');
  try {
    return fs.readFileSync(text, 'utf8');
  } catch (error) {
    const { code = 'unreadable' } = error as NodeJS.ErrnoException;
    throw new ConfigError(`DKIM_PRIVATE_KEY must be a readable file (${code})`);
  }
}

/** A selector alone is one of the sender's domain. */
function readDkimName(text: string, from: string): Pick<DkimKey, 'domain' | 'selector'> {
  const [selector = '', domain = from.slice(from.lastIndexOf('@') + 1)] = text.split('._domainkey.');
  if (!isSelector(selector) || !isDomain(domain.toLowerCase()))
    throw new ConfigError(
      `DKIM_SELECTOR must be a selector, or the name of its record such as foreword._domainkey.acme.example, not "${text}"`,
    );
  return { domain: domain.toLowerCase(), selector };
}

/** Undefined: emails are not signed here. */
function readDkim(read: Read, from: string): DkimKey | undefined {
  const key = read('DKIM_PRIVATE_KEY');
  if (key === undefined) {
    if (read('DKIM_SELECTOR') === undefined) return undefined;
    throw new ConfigError('DKIM_PRIVATE_KEY is missing: DKIM_SELECTOR requires it');
  }
  const name = readDkimName(readRequired(read, 'DKIM_SELECTOR', 'DKIM_PRIVATE_KEY'), from);
  const privateKey = readPem(key);
  try {
    checkDkimKey(privateKey);
  } catch (error) {
    if (error instanceof DkimKeyError) throw new ConfigError(`DKIM_PRIVATE_KEY ${error.message}`);
    throw error;
  }
  return { ...name, privateKey };
}

function checkAddress(name: string, text: string): void {
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(text)) throw new ConfigError(`${name} must be an email address without a name`);
}

/** Our own parameters of SMTP_URL, and the URL without them. */
function readSmtpUrl(text: string) {
  const url = new URL(readUrl('SMTP_URL', text, ['smtp:', 'smtps:']));
  const take = (name: string): string | undefined => {
    const value = url.searchParams.get(name) || undefined;
    url.searchParams.delete(name);
    return value;
  };
  const [bouncesTo, bounceSecret] = [take('bounces_to'), take('bounce_secret')];
  if (bouncesTo !== undefined) checkAddress('bounces_to in SMTP_URL', bouncesTo);
  if (bounceSecret !== undefined) checkSecret('bounce_secret in SMTP_URL', bounceSecret);
  return { url: url.href, bouncesTo, bounceSecret };
}

export function readMailServer(read: Read): CarrierSettings['mail'] {
  const text = read('SMTP_URL');
  if (text === undefined) return undefined;
  const from = readRequired(read, 'MAIL_FROM', 'SMTP_URL');
  checkAddress('MAIL_FROM', from);
  return { ...readSmtpUrl(text), from, dkim: readDkim(read, from) };
}
