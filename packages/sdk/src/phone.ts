/** Reads phone numbers as people type them. The service uses it too. */

import { ForewordPhoneError, type PhoneErrorReason } from './errors.ts';
import { PHONE_PLANS, type PhonePlan } from './generated/phone-plans.ts';

export { ForewordPhoneError };

/** `x4`, `ext. 4`, `#4`, `;ext=4` or `,,4` at the end: texts go to the number without it. */
const EXTENSION = /(?:[;,\s]*(?:extension|ext|extn|x|#)\s*[.:=]?\s*\d{1,9}|[,;]+\s*\d{1,6})\s*$/iu;
const INVISIBLE = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\uFEFF]/g;
const SEPARATORS = /[\s().\-/[\]~\u2010-\u2015\u2212]/g;
const SEVERAL = /[;,&|]|\s\/\s|\s\+|\d\s*\+/;
/** Area code and exchange of North America begin with 2 to 9; the metadata checks only the first. */
const NORTH_AMERICA = /^[2-9]\d\d[2-9]\d{6}$/;
const MIN_DIGITS = 8;
const MAX_DIGITS = 15;
const MAX_CALLING_CODE_DIGITS = 3;

const fail = (reason: PhoneErrorReason, message: string): never => {
  throw new ForewordPhoneError(reason, message);
};

/** The main country of a calling code comes first. */
let plansByCode: Map<string, PhonePlan[]> | undefined;

function plansOf(callingCode: string): readonly PhonePlan[] {
  if (plansByCode === undefined) {
    plansByCode = new Map();
    for (const plan of Object.values(PHONE_PLANS))
      plansByCode.set(plan[0], [...(plansByCode.get(plan[0]) ?? []), plan]);
  }
  return plansByCode.get(callingCode) ?? [];
}

const expressions = new Map<string, RegExp>();

function expression(source: string): RegExp {
  const known = expressions.get(source) ?? new RegExp(source);
  expressions.set(source, known);
  return known;
}

const fits = (number: string, [callingCode, , pattern, lengths]: PhonePlan): boolean =>
  lengths.includes(number.length) &&
  expression(`^(?:${pattern})$`).test(number) &&
  (callingCode !== '1' || NORTH_AMERICA.test(number));

/** Without the prefix for calls inside the country, unless the number is a number only with it. */
function withoutNationalPrefix(number: string, plan: PhonePlan): string {
  const [, , , , prefix, replacement] = plan;
  const found = prefix === '' ? null : expression(`^(?:${prefix})`).exec(number);
  if (found === null || found[0] === '') return number;
  const isReplaced = replacement !== '' && found.at(-1) !== undefined && found.length > 1;
  const stripped = isReplaced
    ? number.replace(expression(`^(?:${prefix})`), replacement)
    : number.slice(found[0].length);
  return fits(number, plan) && !fits(stripped, plan) ? number : stripped;
}

/** The national number behind a calling code, if one of its countries has it. The main country has the usual prefix. */
function readNational(number: string, mainPlan: PhonePlan): string | undefined {
  const plans = plansOf(mainPlan[0]);
  return [withoutNationalPrefix(number, mainPlan), number].find((candidate) =>
    plans.some((plan) => fits(candidate, plan)),
  );
}

/** No calling code begins with another one. */
function mainPlanOf(digits: string): PhonePlan | undefined {
  for (let length = 1; length <= MAX_CALLING_CODE_DIGITS; length++) {
    const [mainPlan] = plansOf(digits.slice(0, length));
    if (mainPlan !== undefined) return mainPlan;
  }
  return;
}

/** A calling code and a number that its countries have. */
function findInternational(digits: string): string | undefined {
  const plan = mainPlanOf(digits);
  const national = plan && readNational(digits.slice(plan[0].length), plan);
  return national && plan[0] + national;
}

function readInternational(digits: string, original: string): string {
  const plan = mainPlanOf(digits);
  if (plan === undefined) return fail('unknown_calling_code', `${original} begins with no calling code that is in use`);
  return findInternational(digits) ?? refuse(digits.slice(plan[0].length), plan, original);
}

function refuse(number: string, plan: PhonePlan, original: string): never {
  const [callingCode, , , lengths] = plan;
  const stripped = withoutNationalPrefix(number, plan);
  if (stripped.length < Math.min(...lengths))
    return fail('too_short', `${original} is too short for +${callingCode}: is the area code missing?`);
  if (stripped.length > Math.max(...lengths)) return fail('too_long', `${original} is too long for +${callingCode}`);
  return fail('not_a_number_of_the_country', `${original} is no number of +${callingCode}`);
}

/** Digits and a plus sign at the start, or a reason why it is no number. */
function normalize(text: string): string {
  // The digits of other scripts, and the wide ones of Asian keyboards.
  const ascii = text
    .normalize('NFKC')
    .replaceAll(INVISIBLE, '')
    .replaceAll(/[\u0660-\u0669\u06F0-\u06F9]/g, (digit) => String(digit.charCodeAt(0) & 0xf));
  const number = ascii.trim().replace(/^tel:/i, '').replace(EXTENSION, '').trim();
  if (number === '') return fail('empty', 'The phone number is empty');
  if (/\p{L}/u.test(number)) return fail('letters', `${text} contains letters: only digits identify one number`);
  if (SEVERAL.test(number)) return fail('several_numbers', `${text} contains several numbers: choose one`);
  const digits = number.replaceAll(SEPARATORS, '');
  if (!/^\+?\d+$/.test(digits))
    return fail('invalid_characters', `${text} contains characters that belong to no phone number`);
  return digits;
}

function planOf(country: unknown, original: string): PhonePlan {
  const code = typeof country === 'string' ? country.toUpperCase() : '';
  const plan = /^[A-Z]{2}$/.test(code) ? PHONE_PLANS[code] : undefined;
  if (plan !== undefined) return plan;
  const problem =
    country === undefined || country === null || country === '' ? 'no country is given' : `${country} is no country`;
  return fail('unknown_country', `${original}: ${problem}. Pass a code of two letters, such as US`);
}

/** The digits behind the prefix for calls to other countries, which each country chooses. */
function behindInternationalPrefix(digits: string, [, internationalPrefix]: PhonePlan): string | undefined {
  const found = internationalPrefix === '' ? null : expression(`^(?:${internationalPrefix})`).exec(digits);
  const rest = found === null ? undefined : digits.slice(found[0].length);
  // No calling code begins with 0.
  return rest === undefined || rest.startsWith('0') ? undefined : rest;
}

/** Every number that the digits can be. A national number never begins with 00, whatever the loose patterns say. */
function readAll(digits: string, plan: PhonePlan): Set<string> {
  const [callingCode] = plan;
  const found: (string | undefined)[] = [];
  const rest = behindInternationalPrefix(digits, plan);
  if (rest !== undefined) found.push(findInternational(rest));
  // Written for other countries, so it is right everywhere.
  if (digits.startsWith('00')) {
    found.push(findInternational(digits.slice(2)));
  } else {
    // Where calls to other countries begin with these digits, no national number does.
    const asNational = rest === undefined ? withoutNationalPrefix(digits, plan) : '';
    if (fits(asNational, plan) || isOfNeighbor(asNational, plan)) found.push(callingCode + asNational);
    if (digits.startsWith(callingCode)) found.push(findInternational(digits));
  }
  return new Set(found.filter((number) => number !== undefined));
}

function readLocal(digits: string, plan: PhonePlan, original: string): string {
  const [first, second] = readAll(digits, plan);
  if (second !== undefined)
    return fail('ambiguous', `${original} can be +${first} and +${second}: store it with a plus sign`);
  if (first !== undefined) return first;
  if (digits.startsWith('00')) return readInternational(digits.slice(2), original);
  return refuse(digits, plan, original);
}

/**
 * Countries with one calling code call each other like at home: the United States and Canada, for example. A number whose
 * length the country itself does not have is refused, because its leading zero may belong to it.
 */
const isOfNeighbor = (number: string, [callingCode, , , lengths]: PhonePlan): boolean =>
  lengths.includes(number.length) && plansOf(callingCode).some((plan) => fits(number, plan));

/** The E.164 form of a number as a CRM stores it, in the country of the customer. */
export function toE164(number: string | number, country: string): string {
  const original = typeof number === 'string' || typeof number === 'number' ? String(number) : '';
  const digits = normalize(original);
  const hasPlus = digits.startsWith('+');
  const hasCountry = country !== undefined && country !== null && (country as string) !== '';
  const plan = hasPlus && !hasCountry ? undefined : planOf(country, original);
  const result =
    plan === undefined || hasPlus ? readInternational(digits.slice(1), original) : readLocal(digits, plan, original);
  if (result.length < MIN_DIGITS) return fail('too_short', `${original} has fewer than ${MIN_DIGITS} digits`);
  if (result.length > MAX_DIGITS) return fail('too_long', `${original} has more than ${MAX_DIGITS} digits`);
  return `+${result}`;
}
