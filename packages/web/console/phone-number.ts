import { formatPhone } from './format.ts';

/** Characters people type between the digits. */
const SEPARATORS = /[\s().\-–/\u00A0\u2011\u202A-\u202E]/g;

/** Removes separators. Never adds a country code: a wrong guess would text a stranger. */
export const tidyPhone = (text: string): string => text.replace(SEPARATORS, '').replace(/^00/, '+');

export const isWholePhone = (phone: string): boolean => /^\+[1-9]\d{7,14}$/.test(phone);

/** Ten digits may be a US or Canadian number; the user must confirm it. */
export const suggestPhone = (phone: string): string | null => {
  const [, digits] = /^1?([2-9]\d{9})$/.exec(phone) ?? [];
  return digits === undefined ? null : `+1${digits}`;
};

/** Formats a stored number for editing, with its country code. */
export const formatEditablePhone = (phone: string): string =>
  phone.startsWith('+1') ? `+1 ${formatPhone(phone)}` : phone;
