import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TObject, TSchema } from 'typebox';
import { type ApiError, invalid } from './errors.ts';
import { isTimezone, isWrittenTime, parseInstant } from './instants.ts';

// Names in errors come from the caller: long enough to recognize, too short to fill a log.
const SHOWN_NAME_LENGTH = 80;

const RULES = { strictNumbers: true, ownProperties: true };
/** Stops at the first problem, which is fast for the common case. */
const validator = new Ajv(RULES);
/** Finds every problem, so that the first in the documented order can be reported. */
const explainer = new Ajv({ ...RULES, allErrors: true, verbose: true });
for (const ajv of [validator, explainer]) {
  ajv.addKeyword('x-problem');
  ajv.addFormat('date-time', { type: 'string', validate: (text: string) => parseInstant(text) !== null });
  ajv.addFormat('appointment-time', { type: 'string', validate: isWrittenTime });
  ajv.addFormat('url', { type: 'string', validate: (text: string) => URL.canParse(text) });
  ajv.addFormat('iana-timezone', { type: 'string', validate: isTimezone });
}

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

/** The position of each step of a path in the documented order; unknown fields come last. */
function rankOf(error: ErrorObject, root: TSchema): number[] {
  const rank: number[] = [];
  let at: unknown = root;
  for (const part of pathOf(error)) {
    const properties = (at as Partial<TObject> | undefined)?.properties;
    const position = properties === undefined ? -1 : Object.keys(properties).indexOf(part);
    rank.push(position < 0 ? Number.MAX_SAFE_INTEGER - 1 : position);
    at = properties?.[part];
  }
  // "Exactly one of" concerns the whole object, so it ranks after problems of its fields.
  if (error.keyword === 'minProperties' || error.keyword === 'maxProperties') rank.push(Number.MAX_SAFE_INTEGER);
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

function countProblem(error: ErrorObject): string {
  const { minProperties, maxProperties, properties } = error.parentSchema as {
    minProperties?: number;
    maxProperties?: number;
    properties?: object;
  };
  if (minProperties === 1 && maxProperties === 1) {
    return `must contain exactly one of ${Object.keys(properties ?? {}).join(', ')}`;
  }
  return `must contain at most ${maxProperties} pairs`;
}

function problemOf(error: ErrorObject): string {
  const { limit, type } = error.params as { limit?: number; type?: string };
  const parent = error.parentSchema as { 'x-problem'?: string } | undefined;
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'type':
      // Also a query parameter that takes several values, and was sent with others.
      if (type === 'array' && parent?.['x-problem'] !== undefined) return parent['x-problem'];
      return `must be ${TYPE_NAMES[type ?? ''] ?? type}`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minProperties':
    case 'maxProperties':
      return countProblem(error);
    case 'additionalProperties':
      return parent?.['x-problem'] ?? 'is not a known field';
    default:
      return parent?.['x-problem'] ?? 'is not valid';
  }
}

function toApiError(errors: ErrorObject[], root: TSchema, rootName: string): ApiError {
  // Skips the errors of a union's branches: the schema around them explains the union.
  const [first] = errors
    .filter((error) => !error.schemaPath.includes('/anyOf/'))
    .map((error) => ({ error, rank: rankOf(error, root) }))
    .sort((a, b) => compareRanks(a.rank, b.rank));
  if (first === undefined) throw new Error('a schema rejected a value without an error');
  const path = pathOf(first.error);
  const field = path.length === 0 ? rootName : path.map(shorten).join('.');
  const problem = first.error.keyword === 'anyOf' ? unionProblem(first.error, errors, root) : problemOf(first.error);
  return invalid(field, problem);
}

function unionProblem(error: ErrorObject, errors: readonly ErrorObject[], root: TSchema): string {
  const { anyOf, 'x-problem': own } = error.parentSchema as { anyOf: { type?: string }[]; 'x-problem'?: string };
  if (own !== undefined) return own;
  // A value that may be null has one other schema, whose problem is the useful one.
  const branch = errors.find(
    (one) => one.schemaPath.startsWith(`${error.schemaPath}/0/`) && one.instancePath === error.instancePath,
  );
  if (branch !== undefined && anyOf.length === 2 && anyOf[1]?.type === 'null') return problemOf(branch);
  let at: unknown = root;
  for (const part of pathOf(error).slice(0, -1)) at = (at as Partial<TObject> | undefined)?.properties?.[part];
  return (at as { 'x-problem'?: string } | undefined)?.['x-problem'] ?? 'is not valid';
}

/** Drops all but a few unknown fields: explaining thousands of them would cost memory and time. */
function withoutExcess(value: unknown, schema: TSchema): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { properties = {}, maxProperties = 0 } = schema as {
    properties?: Record<string, TSchema>;
    maxProperties?: number;
  };
  let spare = maxProperties + 1;
  const entries: [string, unknown][] = [];
  for (const name of Object.keys(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (known === undefined && spare-- <= 0) continue;
    const inner = (value as Record<string, unknown>)[name];
    entries.push([name, known === undefined ? inner : withoutExcess(inner, known)]);
  }
  return Object.fromEntries(entries);
}

/**
 * Returns a check that throws `validation_failed` for the first problem in the documented order, and never changes the value.
 * It compiles on first use: compiling all schemas would take a fifth of the startup time.
 */
export function compileCheck(schema: TSchema, rootName: string): (value: unknown) => void {
  let accepts: ValidateFunction | undefined;
  let explain: ValidateFunction | undefined;
  return (value) => {
    accepts ??= validator.compile(schema);
    if (accepts(value)) return;
    explain ??= explainer.compile(schema);
    explain(withoutExcess(value, schema));
    throw toApiError(explain.errors ?? [], schema, rootName);
  };
}

/** The different values of a parameter that takes several; null if one is not allowed, or if the parameter was repeated. */
function splitValues(text: unknown, allowed: readonly string[]): string[] | null {
  if (typeof text !== 'string') return null;
  const values = new Set(text.split(','));
  return [...values].every((value) => allowed.includes(value)) ? [...values] : null;
}

/** Converts query values from text to the declared type; a value of any other form stays text, which the check rejects. */
export function readQuery(schema: TObject, query: Record<string, unknown>): Record<string, unknown> {
  const read: Record<string, unknown> = { ...query };
  for (const [name, property] of Object.entries(schema.properties)) {
    const text = query[name];
    const { type, items } = property as { type?: string; items?: { enum?: readonly string[] } };
    if (type === 'integer' && typeof text === 'string' && /^\d{1,9}$/.test(text)) read[name] = Number(text);
    if (type === 'boolean' && (text === 'true' || text === 'false')) read[name] = text === 'true';
    if (type === 'array' && text !== undefined) read[name] = splitValues(text, items?.enum ?? []) ?? String(text);
  }
  return read;
}
