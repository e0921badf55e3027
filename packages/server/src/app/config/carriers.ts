import fs from 'node:fs';
import path from 'node:path';
import type { CarrierSettings, TextAccount } from '../../delivery/index.ts';
import { checkDkimKey, type DkimKey } from '../../platform/dkim.ts';
import { ConfigError } from '../../platform/process.ts';
import { checkSecret, type Read, readRequired, readUrl } from './variables.ts';

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
  checkDkimKey(privateKey);
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

function readMailServer(read: Read): CarrierSettings['mail'] {
  const text = read('SMTP_URL');
  if (text === undefined) return undefined;
  const from = readRequired(read, 'MAIL_FROM', 'SMTP_URL');
  checkAddress('MAIL_FROM', from);
  return { ...readSmtpUrl(text), from, dkim: readDkim(read, from) };
}

function readTwilio(read: Read, requiredBy: string) {
  const accountSid = readRequired(read, 'TWILIO_ACCOUNT_SID', requiredBy);
  const authToken = readRequired(read, 'TWILIO_AUTH_TOKEN', requiredBy);
  const messagingServiceSid = read('TWILIO_MESSAGING_SERVICE_SID');
  if (messagingServiceSid !== undefined) return { accountSid, authToken, sender: { messagingServiceSid } };
  const from = readRequired(read, 'TWILIO_FROM', `${requiredBy} without TWILIO_MESSAGING_SERVICE_SID`);
  return { accountSid, authToken, sender: { from } };
}

/** 32 bytes in base64. */
const ED25519_KEY = /^[A-Za-z0-9+/]{43}=$/;

function readTelnyx(read: Read, requiredBy: string) {
  const apiKey = readRequired(read, 'TELNYX_API_KEY', requiredBy);
  const publicKey = readRequired(read, 'TELNYX_PUBLIC_KEY', requiredBy);
  if (!ED25519_KEY.test(publicKey)) {
    throw new ConfigError('TELNYX_PUBLIC_KEY must be the public key of the Telnyx account: 32 bytes in base64');
  }
  const apiUrl = readUrl('TELNYX_API_URL', read('TELNYX_API_URL') ?? 'https://api.telnyx.com', ['http:', 'https:']);
  const base = { apiKey, publicKey, apiUrl: apiUrl.replace(/\/+$/, '') };
  const messagingProfileId = read('TELNYX_MESSAGING_PROFILE_ID');
  if (messagingProfileId !== undefined) return { ...base, sender: { messagingProfileId } };
  const from = readRequired(read, 'TELNYX_FROM', `${requiredBy} without TELNYX_MESSAGING_PROFILE_ID`);
  return { ...base, sender: { from } };
}

function readTextAccount(read: Read, name: 'SMS_CARRIER' | 'SMS_CARRIER_FALLBACK', carrier: string): TextAccount {
  const requiredBy = `${name}=${carrier}`;
  switch (carrier) {
    case 'twilio':
      return { carrier, account: readTwilio(read, requiredBy) };
    case 'telnyx':
      return { carrier, account: readTelnyx(read, requiredBy) };
    case 'http': {
      const url = readUrl('SMS_HTTP_URL', readRequired(read, 'SMS_HTTP_URL', requiredBy), ['http:', 'https:']);
      const secret = readRequired(read, 'SMS_HTTP_SECRET', requiredBy);
      // Does not show the value: it is a secret.
      if (!/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret))
        throw new ConfigError('SMS_HTTP_SECRET must be whsec_ followed by at least 24 bytes in base64');
      return { carrier, address: { url, secret } };
    }
    default:
      throw new ConfigError(
        `${name} must be ${name === 'SMS_CARRIER' ? 'log, ' : ''}twilio, telnyx or http, not "${carrier}"`,
      );
  }
}

function readTextCarriers(read: Read): Pick<CarrierSettings, 'text' | 'fallback'> {
  const first = read('SMS_CARRIER') ?? 'log';
  const second = read('SMS_CARRIER_FALLBACK');
  const text = first === 'log' ? ({ carrier: 'log' } as const) : readTextAccount(read, 'SMS_CARRIER', first);
  if (second === undefined) return { text };
  if (first === 'log') throw new ConfigError('SMS_CARRIER_FALLBACK needs SMS_CARRIER');
  if (second === first) throw new ConfigError('SMS_CARRIER_FALLBACK must be another carrier than SMS_CARRIER');
  return { text, fallback: readTextAccount(read, 'SMS_CARRIER_FALLBACK', second) };
}

function readSegmentPrice(read: Read): CarrierSettings['segmentPrice'] {
  const text = read('SMS_SEGMENT_PRICE');
  if (text === undefined) return undefined;
  const [, amount = '', currency = ''] = /^(\d{1,4}(?:\.\d{1,6})?) ([A-Z]{3})$/.exec(text) ?? [];
  if (!Intl.supportedValuesOf('currency').includes(currency)) {
    throw new ConfigError(`SMS_SEGMENT_PRICE must be an amount and a currency, such as "0.0083 USD", not "${text}"`);
  }
  return { amount: Number(amount), currency };
}

export function readCarriers(read: Read): CarrierSettings {
  const twilioApiUrl = readUrl('TWILIO_API_URL', read('TWILIO_API_URL') ?? 'https://api.twilio.com', [
    'http:',
    'https:',
  ]);
  return {
    ...readTextCarriers(read),
    segmentPrice: readSegmentPrice(read),
    twilioApiUrl: twilioApiUrl.replace(/\/+$/, ''),
    mail: readMailServer(read),
  };
}
