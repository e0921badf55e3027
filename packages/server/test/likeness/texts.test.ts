import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { CONSENT_VERSION, consentText, readShownConsent, wholeText } from '../../src/privacy/likeness/texts.ts';

/** Members have agreed to exactly these texts. If this fails, leave the text and add a version. */
const FINGERPRINTS = { '1 en': '5212ed6d8a8a6170', '1 es': 'f198c2d1c2bc2150' } as const;

test('the text of a version never changes', () => {
  for (const [shown, fingerprint] of Object.entries(FINGERPRINTS)) {
    const { version = '', language = 'en' } = readShownConsent(shown) ?? {};
    const text = consentText(version, language, 'Acme Roofing');
    expect(text && createHash('sha256').update(wholeText(text)).digest('hex').slice(0, 16)).toBe(fingerprint);
  }
  expect(Object.keys(FINGERPRINTS)).toContain(`${CONSENT_VERSION} en`);
});

test('only known versions and languages count as shown', () => {
  expect(readShownConsent('1 en')).toEqual({ version: '1', language: 'en' });
  for (const text of [undefined, null, '', '1', '1 fr', '2 en', '1  en', '__proto__ en']) {
    expect(readShownConsent(text)).toBeNull();
  }
});
