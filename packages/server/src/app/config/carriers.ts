import type { CarrierSettings, TextAccount } from '../../delivery/index.ts';
import { readMailServer } from './mail.ts';
import { ConfigError, type Read, readRequired, readUrl } from './values.ts';

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
