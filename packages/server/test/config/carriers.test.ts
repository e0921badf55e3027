import { expect, test } from 'vitest';
import { readConfig } from '../../src/app/config/index.ts';

const TWILIO = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'x', TWILIO_FROM: '+15005550100' };
const PUBLIC_URL = 'https://intros.acme.example';
const PUBLIC_KEY = Buffer.alloc(32, 7).toString('base64');
const TELNYX = { TELNYX_API_KEY: 'KEY1', TELNYX_PUBLIC_KEY: PUBLIC_KEY, TELNYX_FROM: '+15005550101' };

test('the second carrier has settings of its own', () => {
  const environment = { SMS_CARRIER: 'twilio', SMS_CARRIER_FALLBACK: 'telnyx', ...TWILIO, ...TELNYX, PUBLIC_URL };
  const { text, fallback } = readConfig(environment).carriers;
  expect(text).toMatchObject({ carrier: 'twilio', account: { sender: { from: '+15005550100' } } });
  expect(fallback).toEqual({
    carrier: 'telnyx',
    account: {
      apiKey: 'KEY1',
      publicKey: PUBLIC_KEY,
      sender: { from: '+15005550101' },
      apiUrl: 'https://api.telnyx.com',
    },
  });
});

test('a messaging profile replaces the number', () => {
  const profile = { SMS_CARRIER: 'telnyx', ...TELNYX, TELNYX_MESSAGING_PROFILE_ID: 'a profile', PUBLIC_URL };
  expect(readConfig(profile).carriers.text).toMatchObject({ account: { sender: { messagingProfileId: 'a profile' } } });
});

test('the price of a segment is a setting', () => {
  expect(readConfig({ SMS_SEGMENT_PRICE: '0.0083 USD' }).carriers.segmentPrice).toEqual({
    amount: 0.0083,
    currency: 'USD',
  });
});

test.each([
  [{ SMS_SEGMENT_PRICE: '0.0083' }, 'SMS_SEGMENT_PRICE must be'],
  [{ SMS_SEGMENT_PRICE: '1 XYZ' }, 'SMS_SEGMENT_PRICE must be'],
  [{ SMS_CARRIER: 'pigeon' }, 'SMS_CARRIER must be log, twilio, telnyx or http, not "pigeon"'],
  [{ SMS_CARRIER: 'twilio' }, 'TWILIO_ACCOUNT_SID is missing'],
  [{ SMS_CARRIER: 'twilio', ...TWILIO, TWILIO_FROM: undefined }, 'TWILIO_FROM'],
  [{ SMS_CARRIER: 'http', SMS_HTTP_URL: 'http://127.0.0.1:1', SMS_HTTP_SECRET: 'short' }, 'SMS_HTTP_SECRET must be'],
  [{ SMTP_URL: 'smtp://127.0.0.1' }, 'MAIL_FROM is missing'],
  [{ SMTP_URL: 'http://127.0.0.1', MAIL_FROM: 'a@b.example' }, 'SMTP_URL must be'],
  [{ SMS_CARRIER: 'telnyx' }, 'TELNYX_API_KEY is missing'],
  [{ SMS_CARRIER: 'telnyx', ...TELNYX, TELNYX_FROM: undefined }, 'TELNYX_FROM is missing'],
  [{ SMS_CARRIER: 'telnyx', ...TELNYX, TELNYX_PUBLIC_KEY: 'short' }, 'TELNYX_PUBLIC_KEY must be'],
  [{ SMS_CARRIER_FALLBACK: 'twilio', ...TWILIO }, 'SMS_CARRIER_FALLBACK needs SMS_CARRIER'],
  [{ SMS_CARRIER: 'twilio', SMS_CARRIER_FALLBACK: 'twilio', ...TWILIO }, 'must be another carrier'],
  [{ SMS_CARRIER: 'twilio', SMS_CARRIER_FALLBACK: 'log', ...TWILIO }, 'SMS_CARRIER_FALLBACK must be twilio, telnyx'],
  [{ SMS_CARRIER: 'twilio', SMS_CARRIER_FALLBACK: 'telnyx', ...TWILIO }, 'TELNYX_API_KEY is missing'],
])('rejects %j', (environment, message) => {
  expect(() => readConfig(environment)).toThrow(message);
});
