import type { CarrierSettings } from '../delivery/index.ts';
import { ConfigError, type Read, readRequired, readUrl } from './values.ts';

function readTwilio(read: Read) {
  const requiredBy = 'SMS_CARRIER=twilio';
  const accountSid = readRequired(read, 'TWILIO_ACCOUNT_SID', requiredBy);
  const authToken = readRequired(read, 'TWILIO_AUTH_TOKEN', requiredBy);
  const messagingServiceSid = read('TWILIO_MESSAGING_SERVICE_SID');
  if (messagingServiceSid !== undefined) return { accountSid, authToken, sender: { messagingServiceSid } };
  const from = readRequired(read, 'TWILIO_FROM', `${requiredBy} without TWILIO_MESSAGING_SERVICE_SID`);
  return { accountSid, authToken, sender: { from } };
}

function readTextCarrier(read: Read): CarrierSettings['text'] {
  const carrier = read('SMS_CARRIER') ?? 'log';
  switch (carrier) {
    case 'log':
      return { carrier };
    case 'twilio':
      return { carrier, account: readTwilio(read) };
    case 'http': {
      const url = readUrl('SMS_HTTP_URL', readRequired(read, 'SMS_HTTP_URL', 'SMS_CARRIER=http'), ['http:', 'https:']);
      const secret = readRequired(read, 'SMS_HTTP_SECRET', 'SMS_CARRIER=http');
      // Does not show the value: it is a secret.
      if (!/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret))
        throw new ConfigError('SMS_HTTP_SECRET must be whsec_ followed by at least 24 bytes in base64');
      return { carrier, address: { url, secret } };
    }
    default:
      throw new ConfigError(`SMS_CARRIER must be log, twilio or http, not "${carrier}"`);
  }
}

function readMailServer(read: Read): CarrierSettings['mail'] {
  const url = read('SMTP_URL');
  if (url === undefined) return undefined;
  const from = readRequired(read, 'MAIL_FROM', 'SMTP_URL');
  if (!/^[^\s@<>]+@[^\s@<>]+$/.test(from)) throw new ConfigError('MAIL_FROM must be an email address without a name');
  return { url: readUrl('SMTP_URL', url, ['smtp:', 'smtps:']), from };
}

export function readCarriers(read: Read): CarrierSettings {
  const twilioApiUrl = readUrl('TWILIO_API_URL', read('TWILIO_API_URL') ?? 'https://api.twilio.com', [
    'http:',
    'https:',
  ]);
  return { text: readTextCarrier(read), twilioApiUrl: twilioApiUrl.replace(/\/+$/, ''), mail: readMailServer(read) };
}
