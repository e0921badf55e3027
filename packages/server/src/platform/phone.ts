/** Reads phone numbers as people type them, with the reader of the SDK. */

import { ForewordPhoneError, toE164 } from '@foreword/sdk/phone';

const E164 = /^\+[1-9]\d{7,14}$/;
const SEPARATORS = /[\s().\-/\u2010-\u2015\u202A-\u202E]/g;

/** The one spelling of a number: `+8109076510000` is `+819076510000`. A number that no country has stays as it is. */
export function normalizePhone(phone: string): string {
  if (!E164.test(phone)) return phone;
  try {
    return toE164(phone, '');
  } catch (error) {
    if (error instanceof ForewordPhoneError) return phone;
    throw error;
  }
}

/**
 * The E.164 form of a number as a person types it, in the format of this country or with a country code. Null if it is
 * not exactly one number. Numbers in E.164 are only checked for their form, as in the API.
 */
export function readPhone(typed: string, country: string | null): string | null {
  const digits = typed.replaceAll(SEPARATORS, '');
  if (E164.test(digits)) return normalizePhone(digits);
  if (country === null) return null;
  try {
    return toE164(typed, country);
  } catch (error) {
    if (error instanceof ForewordPhoneError) return null;
    throw error;
  }
}
