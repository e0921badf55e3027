import { redactLinks } from '../../../intros/links/index.ts';

/** Country codes of one and two digits. All others have three. */
const ONE = new Set(['1', '7']);
const TWO = new Set([
  ...['20', '27', '30', '31', '32', '33', '34', '36', '39', '40', '41', '43', '44', '45', '46', '47', '48', '49'],
  ...['51', '52', '53', '54', '55', '56', '57', '58', '60', '61', '62', '63', '64', '65', '66', '81', '82', '84'],
  ...['86', '90', '91', '92', '93', '94', '95', '98'],
]);
const SHOWN_AT_END = 2;
const MASK = '•';
const REMOVED = '[removed]';

/** International numbers with any spacing, and North American numbers as people write them. */
const PHONE = /\+\d[\d\s().-]{6,20}\d|\(\d{3}\)\s?\d{3}[-.\s]?\d{4}|(?<!\d)\d{3}[-.\s]\d{3}[-.\s]\d{4}(?!\d)/g;
/** API keys, webhook secrets, authorization headers, and credentials in URLs. */
const SECRET =
  /whsec_[\w+/=-]+|fw_[a-z]+_(?:[a-z0-9]{1,8}_)?[0-9A-Za-z]{6,}|\b(?:Bearer|Basic)\s+[\w.~+/=-]+|(?<=:\/\/)[^/\s@"']+(?=@)/gi;
/** Probably a phone number when it is a whole value, unless the field is an id. */
const BARE_PHONE = /^\s*\d(?:[\s().-]*\d){9,14}\s*$/;
const NAME_OF_ID = /(?:^|_)id$/i;
const NAME_OF_PHONE = /phone|mobile|cell|number|(?:^|_)(?:tel|fax|sms)(?:$|_)|whatsapp/i;
const NAME_OF_SECRET = /secret|passw|token|authorization|api_?key|credential/i;

const codeLength = (digits: string): number => {
  if (ONE.has(digits.slice(0, 1))) return 1;
  return TWO.has(digits.slice(0, 2)) ? 2 : 3;
};

/** Keeps the country code and the last two digits, so that users can tell their numbers apart. */
export function maskPhone(text: string): string {
  const digits = text.replaceAll(/\D/g, '');
  const shownFirst = text.trimStart().startsWith('+') ? codeLength(digits) : 0;
  const hiddenUntil = digits.length - SHOWN_AT_END;
  let at = -1;
  return text.replaceAll(/\d/g, (digit) => {
    at += 1;
    return at < shownFirst || at >= hiddenUntil ? digit : MASK;
  });
}

export const maskText = (text: string): string =>
  redactLinks(text).replaceAll(SECRET, REMOVED).replaceAll(PHONE, maskPhone);

function maskValue(name: string, value: string): string {
  if (NAME_OF_SECRET.test(name)) return REMOVED;
  const isPhone = NAME_OF_PHONE.test(name) || (!NAME_OF_ID.test(name) && BARE_PHONE.test(value));
  return isPhone ? maskPhone(value) : maskText(value);
}

/** Masks a JSON string literal, after unescaping it. */
function maskLiteral(name: string, inner: string): string {
  if (!inner.includes('\\')) return maskValue(name, inner);
  try {
    return JSON.stringify(maskValue(name, JSON.parse(`"${inner}"`) as string)).slice(1, -1);
  } catch {
    return maskValue(name, inner);
  }
}

// A string (complete or truncated) with the colon if it is a key, or a number. Matches in linear time.
const TOKEN = /"((?:[^"\\]|\\[\s\S]?)*)("?)(\s*:)?|(?<![\w.])\d{7,}(?![\w.])/g;

/** Masks a body and leaves the rest unchanged. Text that is not JSON has no field names, so more of it is masked. */
export function maskBody(text: string): string {
  if (!/^\s*[[{]/.test(text)) return maskText(text).replaceAll(/\d[\d\s().-]{5,20}\d/g, maskPhone);
  let name = '';
  return maskText(
    text.replaceAll(TOKEN, (token: string, inner: string | undefined, end: string, colon?: string) => {
      if (inner === undefined) return NAME_OF_PHONE.test(name) ? maskPhone(token) : token;
      if (colon === undefined) return `"${maskLiteral(name, inner)}${end}`;
      name = inner;
      return token;
    }),
  );
}

/** Decodes and masks a query string. */
export function maskQuery(query: string): string {
  return [...new URLSearchParams(query)].map(([name, value]) => `${name}=${maskValue(name, value)}`).join('&');
}
