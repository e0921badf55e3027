import { expect, test } from 'vitest';
import { nameBrowser } from '../recorder/browsers.ts';

const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
const ANDROID = 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko)';

test.each([
  ['ios_safari', `${IPHONE} Version/18.1 Mobile/15E148 Safari/604.1`, 5],
  ['ios_other', `${IPHONE} CriOS/131.0 Mobile/15E148 Safari/604.1`, 5],
  ['ios_safari', `${MAC} Version/18.1 Safari/605.1.15`, 5],
  ['mac_safari', `${MAC} Version/18.1 Safari/605.1.15`, 0],
  ['android', `${ANDROID} Chrome/131.0.0.0 Mobile Safari/537.36`, 5],
  ['android', 'Mozilla/5.0 (Android 14; Mobile; rv:133.0) Gecko/133.0 Firefox/133.0', 5],
  ['in_app', `${ANDROID} Version/4.0 Chrome/131.0.0.0 Mobile Safari/537.36 Instagram 350.0`, 5],
  ['in_app', 'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 Chrome/131.0.0.0 Mobile', 5],
  ['desktop', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36', 0],
  ['desktop', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0', 0],
  ['desktop', 'something of 2040', 0],
])('%s is recognized by its user agent', (kind, userAgent, touchPoints) => {
  expect(nameBrowser(userAgent, touchPoints)).toBe(kind);
});
