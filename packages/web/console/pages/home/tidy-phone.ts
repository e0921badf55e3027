import { formatPhone } from '../../format.ts';

/** What people write between the digits. */
const BETWEEN = /[\s().\-–/\u00A0\u2011\u202A-\u202E]/g;

/** As the server takes it, when it is all there; no country is guessed, for the wrong one is somebody else's number. */
export const tidyPhone = (text: string): string => text.replace(BETWEEN, '').replace(/^00/, '+');

export const isWholePhone = (phone: string): boolean => /^\+[1-9]\d{7,14}$/.test(phone);

/** Ten digits may be a number of the US or Canada: to be confirmed by a person, never taken. */
export const suggestPhone = (phone: string): string | null => {
  const [, digits] = /^1?([2-9]\d{9})$/.exec(phone) ?? [];
  return digits === undefined ? null : `+1${digits}`;
};

/** To be read and changed again: with its country, which `tidyPhone` wants. */
export const writePhone = (phone: string): string => (phone.startsWith('+1') ? `+1 ${formatPhone(phone)}` : phone);
