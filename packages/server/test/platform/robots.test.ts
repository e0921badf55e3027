import { expect, test } from 'vitest';
import { isRobot } from '../../src/platform/client-address.ts';

const SAFARI = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 Version/9.0.1 Safari/601.2.4';

test.each([
  'WhatsApp/2.23.20.0 A',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/141.0.0.0 Safari/537.36',
  `${SAFARI} facebookexternalhit/1.1 Facebot Twitterbot/1.0`,
  'TelegramBot (like TwitterBot)',
  'curl/8.5.0',
])('%s is a robot', (agent) => expect(isRobot({ 'user-agent': agent })).toBe(true));

test.each([
  SAFARI,
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/119.0.6045.41 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 12; CUBOT NOTE 20) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36',
])('%s is a person', (agent) => expect(isRobot({ 'user-agent': agent })).toBe(false));

test.each([{ 'sec-purpose': 'prefetch;prerender' }, { purpose: 'preview' }, { 'x-moz': 'prefetch' }])(
  'a browser that prefetches with %o is a robot',
  (headers) => expect(isRobot({ 'user-agent': SAFARI, ...headers })).toBe(true),
);
