import { Ajv, type ValidateFunction } from 'ajv';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import type { Static, TObject, TSchema } from 'typebox';
import { invalid } from './errors.ts';
import { isTimezone, isWrittenTime, parseInstant } from './instants.ts';
import { normalizePhone } from './phone/index.ts';
import { shapeOf, toApiError } from './problems.ts';

/** Unknown fields of an object, and items of a list, that are explained. */
const MAX_EXPLAINED = 50;

/** Anything but spaces and characters that Unicode calls ignorable. The Braille blank is a letter, but shows nothing. */
const VISIBLE = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/u;

const RULES = { strictNumbers: true, ownProperties: true };
/** Stops at the first problem, which is fast for the common case. */
const validator = new Ajv(RULES);
/** Finds every problem, so that the message can name them all. */
const explainer = new Ajv({ ...RULES, allErrors: true, verbose: true });
for (const ajv of [validator, explainer]) {
  ajv.addVocabulary(['x-problem', 'x-component', 'x-choices', 'x-open']);
  ajv.addKeyword({
    keyword: 'x-phone',
    type: 'string',
    modifying: true,
    errors: false,
    validate(_: unknown, phone: string, __: unknown, at?: DataValidationCxt) {
      if (at !== undefined) at.parentData[at.parentDataProperty] = normalizePhone(phone);
      return true;
    },
  });
  for (const format of ['date-time', 'instant'])
    ajv.addFormat(format, { type: 'string', validate: (text: string) => parseInstant(text) !== null });
  ajv.addFormat('appointment-time', { type: 'string', validate: isWrittenTime });
  ajv.addFormat('visible', { type: 'string', validate: (text: string) => VISIBLE.test(text) });
  ajv.addFormat('url', { type: 'string', validate: (text: string) => URL.canParse(text) });
  ajv.addFormat('iana-timezone', { type: 'string', validate: isTimezone });
}

/** A file that Foreword itself wrote; undefined if it was changed. Compiled once for each object `schema`. */
export function parseFile<S extends TSchema>(schema: S, text: Buffer): Static<S> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text.toString());
  } catch {
    return undefined;
  }
  return validator.validate<Static<S>>(schema, value) ? value : undefined;
}

/** Also for the name `__proto__`. */
const define = (object: Record<string, unknown>, name: string, value: unknown) =>
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Removes all but a few unknown fields and list items: explaining thousands of them would cost memory and time. Returns the
 * number of removed fields too, as each would have been a problem. `isHopeless`: the value is invalid because of its excess.
 */
function withoutExcess(value: unknown, schema: TSchema): { value: unknown; removed: number; isHopeless: boolean } {
  const { maxProperties, maxItems = MAX_EXPLAINED } = schema as { maxProperties?: number; maxItems?: number };
  const isMap = 'patternProperties' in schema;
  if (Array.isArray(value)) return { value: value.slice(0, maxItems + 1), removed: 0, isHopeless: false };
  if (!isObject(value)) return { value, removed: 0, isHopeless: false };
  const { property } = shapeOf(schema);
  let spare = isMap && maxProperties !== undefined ? maxProperties + 1 : MAX_EXPLAINED;
  let removed = 0;
  let isHopeless = false;
  const kept: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const known = property(name);
    if (known !== undefined) {
      const reduced = withoutExcess(value[name], known);
      define(kept, name, reduced.value);
      removed += reduced.removed;
      isHopeless ||= reduced.isHopeless;
    } else if (spare-- > 0) {
      define(kept, name, value[name]);
    } else {
      isHopeless = true;
      // Too many pairs of a map are a single problem.
      if (!isMap) removed += 1;
    }
  }
  return { value: kept, removed, isHopeless };
}

/**
 * Removes optional fields with null or empty text, which no-code tools send for fields without a value. Keeps values that the
 * field's schema accepts, such as a null that clears the field.
 */
function withoutEmpty(value: unknown, schema: TSchema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema as { items?: TSchema };
    return items === undefined ? value : value.map((item) => withoutEmpty(item, items));
  }
  if (!isObject(value)) return value;
  const { property, requires } = shapeOf(schema);
  const entries: [string, unknown][] = [];
  for (const [name, inner] of Object.entries(value)) {
    const known = property(name);
    const isEmpty = inner === null || inner === '';
    if (known !== undefined && isEmpty && !requires(name) && !validator.validate(known, inner)) continue;
    entries.push([name, known === undefined ? inner : withoutEmpty(inner, known)]);
  }
  return Object.fromEntries(entries);
}

/**
 * Returns a check that throws `validation_failed`, and otherwise returns the value. `isApi`: the message names every problem, not
 * only the first. `acceptsEmpty`: null and empty text in optional fields are valid, and the check returns a copy without them. It
 * compiles on first use: compiling all schemas would take a fifth of the startup time.
 */
export function compileCheck<S extends TSchema>(
  schema: S,
  rootName: string,
  { isApi = false, acceptsEmpty = false } = {},
): <T>(value: T) => T & Static<S> {
  let accepts: ValidateFunction<Static<S>> | undefined;
  let explain: ValidateFunction | undefined;
  return <T>(value: T) => {
    accepts ??= validator.compile<Static<S>>(schema);
    if (accepts(value)) return value;
    const reduced = withoutExcess(value, schema);
    // Only after a failed check, so that a request without empty fields pays nothing for it.
    const filled = acceptsEmpty && !reduced.isHopeless ? (withoutEmpty(value, schema) as T) : value;
    if (acceptsEmpty && !reduced.isHopeless && accepts(filled)) return filled;
    explain ??= explainer.compile(schema);
    explain(acceptsEmpty ? withoutEmpty(reduced.value, schema) : reduced.value);
    throw toApiError(explain.errors ?? [], schema, rootName, isApi ? reduced.removed : null);
  };
}

/** The different values of a parameter that takes several; null if one is not allowed. */
function splitValues(sent: unknown, allowed: readonly string[]): string[] | null {
  const values = new Set(String(sent).split(','));
  return [...values].every((value) => allowed.includes(value)) ? [...values] : null;
}

/** The parameters `name[key]`, as an object. */
function readPairs(query: Record<string, unknown>, name: string): Record<string, unknown> | undefined {
  if (query[name] !== undefined) throw invalid(name, `must name a key: ${name}[key]=value`);
  const prefix = `${name}[`;
  const pairs = Object.keys(query)
    .filter((parameter) => parameter.startsWith(prefix) && parameter.endsWith(']'))
    .map((parameter) => [parameter.slice(prefix.length, -1), query[parameter]]);
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

/** Converts query values from text to the declared type; a value of any other form stays text, which the check rejects. */
export function readQuery(schema: TObject, query: Record<string, unknown>): Record<string, unknown> {
  const read: Record<string, unknown> = { ...query };
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = query[name];
    const { type, items } = property as { type?: string; items?: { enum?: readonly string[] } };
    if (type === 'integer' && typeof text === 'string' && /^\d{1,9}$/.test(text)) read[name] = Number(text);
    if (type === 'boolean' && (text === 'true' || text === 'false')) read[name] = text === 'true';
    if (type === 'object') {
      const pairs = readPairs(query, name);
      for (const key of Object.keys(pairs ?? {})) delete read[`${name}[${key}]`];
      if (pairs !== undefined) read[name] = pairs;
    }
    if (type === 'array' && text !== undefined) read[name] = splitValues(text, items?.enum ?? []) ?? String(text);
  }
  return read;
}
