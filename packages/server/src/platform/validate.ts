import type { Static, TObject, TSchema } from '@foreword/contract';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { DataValidationCxt } from 'ajv/dist/types/index.js';
import { ApiError, invalid } from './errors.ts';
import { isLocalTime, isTimezone, isWrittenTime, parseInstant } from './instants.ts';
import { parseJson } from './json.ts';
import { nearest } from './nearest.ts';
import { normalizePhone } from './phone.ts';

/** The fields that an object schema names. Those of a union are the fields of all its branches. */
interface Shape {
  /** In the documented order. */
  readonly names: readonly string[];
  property(name: string): TSchema | undefined;
  /** False for a field that only some branches of a union require. */
  requires(name: string): boolean;
}

interface Keywords {
  readonly properties?: Record<string, TSchema>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly TSchema[];
  readonly oneOf?: readonly TSchema[];
}

const shapes = new WeakMap<TSchema, Shape>();

function read(schema: TSchema): Shape {
  const { properties, required = [], anyOf, oneOf } = schema as Keywords;
  const branches = (anyOf ?? oneOf ?? []).map(shapeOf).filter(({ names }) => names.length > 0);
  const names = [...new Set([...Object.keys(properties ?? {}), ...branches.flatMap((branch) => branch.names)])];
  return {
    names,
    property: (name) =>
      properties !== undefined && Object.hasOwn(properties, name)
        ? properties[name]
        : branches.find((branch) => branch.names.includes(name))?.property(name),
    requires: (name) =>
      required.includes(name) || (branches.length > 0 && branches.every((branch) => branch.requires(name))),
  };
}

function shapeOf(schema: TSchema): Shape {
  const known = shapes.get(schema);
  if (known !== undefined) return known;
  const shape = read(schema);
  shapes.set(schema, shape);
  return shape;
}

// Names in errors come from the caller: long enough to recognize, too short to fill a log.
const SHOWN_NAME_LENGTH = 80;
/** Problems in a message after the first. The list of problems has more. */
const MAX_OTHER_PROBLEMS = 5;
/** Longer lists of query parameters are left to the reference. */
const MAX_KNOWN_NAMES = 8;

const shorten = (name: string) => {
  const points = [...name];
  return points.length <= SHOWN_NAME_LENGTH ? name : `${points.slice(0, SHOWN_NAME_LENGTH).join('')}…`;
};

function pathOf(error: ErrorObject): string[] {
  const path = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  const { missingProperty, additionalProperty } = error.params as {
    missingProperty?: string;
    additionalProperty?: string;
  };
  const last = missingProperty ?? additionalProperty;
  return last === undefined ? path : [...path, last];
}

/** The schema at a path, as far as named properties lead. */
function schemaAt(root: TSchema, path: readonly string[]): TSchema | undefined {
  let at: TSchema | undefined = root;
  for (const step of path) at = at && shapeOf(at).property(step);
  return at;
}

/** They concern the whole object. `not` excludes fields together. */
const COUNTS: ReadonlySet<string> = new Set(['minProperties', 'maxProperties', 'not']);

/** The position of each step of a path in the documented order; unknown fields come last. */
function rankOf(error: ErrorObject, root: TSchema): number[] {
  const rank: number[] = [];
  let at: TSchema | undefined = root;
  for (const step of pathOf(error)) {
    const position: number = at === undefined ? -1 : shapeOf(at).names.indexOf(step);
    rank.push(position < 0 ? Number.MAX_SAFE_INTEGER - 1 : position);
    at = at && shapeOf(at).property(step);
  }
  // After problems of its fields.
  if (COUNTS.has(error.keyword)) rank.push(Number.MAX_SAFE_INTEGER);
  return rank;
}

function compareRanks(a: number[], b: number[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? -1) - (b[i] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

const TYPE_NAMES: Record<string, string> = {
  string: 'text',
  object: 'an object',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
};
const INVALID = 'is not valid';

function countProblem(error: ErrorObject): string {
  const {
    minProperties,
    maxProperties,
    properties = {},
    'x-choices': choices = properties,
  } = error.parentSchema as {
    minProperties?: number;
    maxProperties?: number;
    properties?: object;
    'x-choices'?: object;
  };
  if (minProperties === 1) return `must contain exactly one of ${Object.keys(choices).join(', ')}`;
  return `must contain at most ${maxProperties} pairs`;
}

const INSTANT_FORMATS: readonly unknown[] = ['instant', 'date-time'];

/** The problem of one value, given only the part of the schema that it violates. */
function ownProblem(error: ErrorObject): string {
  const { limit, type } = error.params as { limit?: number; type?: string };
  const parent = error.parentSchema as { 'x-problem'?: string; format?: string } | undefined;
  if (typeof error.data === 'string' && INSTANT_FORMATS.includes(parent?.format) && isLocalTime(error.data)) {
    return 'needs an offset from UTC, because a local time is ambiguous: add Z or an offset such as -05:00';
  }
  if (error.keyword === 'format' && parent?.format === 'visible')
    return 'must contain more than spaces and invisible characters';
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'type':
      // A query parameter that takes several values is an array, too. For an integer, the problem names the limits.
      if ((type === 'array' || type === 'integer') && parent?.['x-problem'] !== undefined) return parent['x-problem'];
      return `must be ${TYPE_NAMES[type ?? ''] ?? type}`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minProperties':
    case 'maxProperties':
    case 'not':
      return countProblem(error);
    default:
      return parent?.['x-problem'] ?? INVALID;
  }
}

const jsonType = (value: unknown): string => (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);

/** Prefers the problem of the one branch that has the value's type; otherwise the schema around the branches explains them. */
function unionProblem(error: ErrorObject, errors: readonly ErrorObject[]): string {
  const parent = error.parentSchema as { anyOf?: { type?: string }[]; oneOf?: { type?: string }[] };
  const { 'x-problem': own } = parent as { 'x-problem'?: string };
  const branches = parent.anyOf ?? parent.oneOf ?? [];
  const only = branches.length === 2 && branches[1]?.type === 'null' ? 0 : -1;
  const sameType = branches.findIndex(({ type }) => type === jsonType(error.data));
  const index = sameType < 0 ? only : sameType;
  // Not one of its fields, such as a missing one.
  const isOfValue = (one: ErrorObject) => pathOf(one).join('/') === pathOf(error).join('/');
  const branch = errors.find((one) => one.schemaPath.startsWith(`${error.schemaPath}/${index}/`) && isOfValue(one));
  const problem = branch === undefined ? INVALID : ownProblem(branch);
  return problem === INVALID ? (own ?? INVALID) : problem;
}

/** An unknown field or query parameter, or a key that a map does not allow. */
function unknownProblem(error: ErrorObject, rootName: string): string {
  const parent = error.parentSchema as TSchema & { 'x-problem'?: string };
  if (parent['x-problem'] !== undefined) return parent['x-problem'];
  const { additionalProperty = '' } = error.params as { additionalProperty?: string };
  const { names } = shapeOf(parent);
  const isParameter = rootName === 'query';
  const unknown = `is not a known ${isParameter ? 'query parameter' : 'field'}`;
  const similar = nearest(additionalProperty, names);
  if (similar !== undefined) return `${unknown} (did you mean ${similar}?)`;
  if (!isParameter || names.length > MAX_KNOWN_NAMES) return unknown;
  return names.length === 0 ? `${unknown}; this operation has none` : `${unknown} (known: ${names.join(', ')})`;
}

function problemOf(error: ErrorObject, errors: readonly ErrorObject[], root: TSchema, rootName: string): string {
  if (rootName === 'query' && error.data === '') return 'must not be empty: send a value, or leave the parameter out';
  if (rootName === 'query' && Array.isArray(error.data)) return 'must be sent only once';
  if (error.keyword === 'additionalProperties') return unknownProblem(error, rootName);
  if (error.keyword === 'required') return 'is required';
  const path = pathOf(error);
  const last = path.at(-1);
  if (last !== undefined && (error.data === null || error.data === '')) {
    const parent = schemaAt(root, path.slice(0, -1));
    const missing = error.data === null ? 'must not be null' : 'must not be empty';
    if (parent !== undefined && shapeOf(parent).requires(last)) return `is required and ${missing}`;
    if (error.data === null) return `${missing}: leave it out instead`;
  }
  const isUnion = error.keyword === 'anyOf' || error.keyword === 'oneOf';
  const problem = isUnion ? unionProblem(error, errors) : ownProblem(error);
  // A plus sign that is not encoded arrives as a space.
  return rootName === 'query' && / \d/.test(String(error.data)) ? `${problem} (write a plus sign as %2B)` : problem;
}

/** A part of a query parameter is named as it is sent, with brackets. */
function nameField(path: readonly string[], rootName: string): string {
  const [first, ...rest] = path;
  if (first === undefined) return rootName;
  return rootName === 'query' ? [first, ...rest.map((part) => `[${part}]`)].join('') : path.join('.');
}

/**
 * One error for all problems of a value. It names the first in the documented order as its field, then the others. `leftOut`
 * counts further problems that were not examined; null names only the first problem, for a form that shows it at its field.
 */
function toApiError(errors: readonly ErrorObject[], root: TSchema, rootName: string, leftOut: number | null): ApiError {
  const problems = errors
    // The union around them explains the errors of its branches.
    .filter((error) => !/\/(anyOf|oneOf)\//.test(error.schemaPath))
    .map((error) => ({ error, rank: rankOf(error, root) }))
    .sort((a, b) => compareRanks(a.rank, b.rank))
    .map(({ error }) => {
      const path = pathOf(error);
      const field = nameField(path.map(shorten), rootName);
      return { field, problem: problemOf(error, errors, root, rootName) };
    });
  // Only the first of each field.
  const byField = new Map(problems.toReversed().map((one) => [one.field, one.problem]));
  const fields = [...new Set(problems.map(({ field }) => field))];
  const texts = fields.map((field) => `${field} ${byField.get(field)}`);
  const [field, [text, ...others]] = [fields[0], texts];
  if (field === undefined) throw new Error('a schema rejected a value without an error');
  const shown = leftOut === null ? [] : others.slice(0, MAX_OTHER_PROBLEMS);
  const more = leftOut === null ? 0 : others.length - shown.length + leftOut;
  const also = [...shown, ...(more === 0 ? [] : [`and ${more} more`])].join('; ');
  return new ApiError('validation_failed', `${text}.${also === '' ? '' : ` Also: ${also}.`}`, {
    field,
    problems: fields.map((name, i) => ({ field: name, message: `${texts[i]}.` })),
  });
}

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
  const value = parseJson(text.toString());
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
