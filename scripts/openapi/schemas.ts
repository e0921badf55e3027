import { FORMATS, INTERNAL, type Json, type JsonObject, type TSchema } from '@foreword/contract';

/** The pattern of the keys of a record that may be any text. */
const ANY_NAME = '^.*$';
/** Keywords whose values are data rather than schemas. */
const DATA = new Set(['examples', 'default', 'enum', 'const']);

// Schemas are constants, so these are the same for every document of a process. In the order of first use.
const components = new Map<string, JsonObject>();

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapValues = (object: object, map: (value: unknown, key: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, map(value, key)]));

/**
 * Many validators compile patterns without Unicode classes, or do not know them. Control characters are a range. Unpaired
 * surrogates cannot be named so that every engine accepts emoji; requests with them are still rejected.
 */
const portable = (pattern: string): string =>
  pattern.replaceAll('\\p{Cc}', '\\u0000-\\u001F\\u007F-\\u009F').replaceAll('\\p{Cs}', '');

function publishKeywords(schema: object): JsonObject {
  const out: JsonObject = {};
  const isOptional = optionalFieldsOf(schema);
  for (const [key, value] of Object.entries(schema)) {
    if (INTERNAL.has(key) || (key === 'format' && !FORMATS.has(String(value)))) continue;
    if (DATA.has(key)) out[key] = value as Json;
    else if (key === 'pattern') out[key] = portable(String(value));
    else if (key === 'patternProperties') out[key] = mapValues(value as object, publish);
    else if (key === 'properties')
      out[key] = mapValues(value as object, (field, name) =>
        isOptional(name) ? orEmpty(publish(field)) : publish(field),
      );
    else out[key] = publish(value);
  }
  return out;
}

/** `type: [..., "null"]` where the schema has a type of its own, and otherwise a choice between the schema and null. */
function nullable(schema: JsonObject): JsonObject {
  const { description, ...rest } = schema;
  if (typeof rest.type !== 'string' || rest.type === 'object') {
    return { ...(description !== undefined && { description }), anyOf: [rest, { type: 'null' }] };
  }
  const allowed = Array.isArray(rest.enum) ? { enum: [...rest.enum, null] } : {};
  return { ...schema, type: [rest.type, 'null'], ...allowed };
}

/** The fields that a request may send without a value. Only requests have closed objects; a choice has its own rule. */
function optionalFieldsOf(schema: object): (name: string) => boolean {
  const { additionalProperties, required = [] } = schema as { additionalProperties?: unknown; required?: string[] };
  return (name) => additionalProperties === false && !('x-choices' in schema) && !required.includes(name);
}

/** Without a value: null and, where text is expected, empty text. */
const EMPTY_TEXT: JsonObject = { type: ['string', 'null'], enum: ['', null] };

/** The same, with a length, which Redocly needs to see that the choices exclude each other. */
const NO_VALUE: JsonObject = { ...EMPTY_TEXT, maxLength: 0 };

const isText = (schema: JsonObject): boolean => [schema.type].flat().includes('string');

/** The schema of an optional field in a request. Null and empty text mean that it was not sent. */
function orEmpty(published: Json): Json {
  if (!isObject(published)) return published;
  const target = components.get(String(published.$ref).replace('#/components/schemas/', ''));
  if (target !== undefined && isText(target)) return { anyOf: [published, EMPTY_TEXT] };
  if (target !== undefined) return nullable(published);
  if (isText(published)) return orEmptyText(published);
  return published.type === undefined || [published.type].flat().includes('null') ? published : nullable(published);
}

function orEmptyText({ minLength: _least, ...schema }: JsonObject): JsonObject {
  const { pattern, enum: values } = schema;
  return {
    ...schema,
    type: ['string', 'null'],
    ...(Array.isArray(values) && { enum: [...new Set([...values, '', null])] }),
    ...(typeof pattern === 'string' && !new RegExp(pattern, 'u').test('') && { pattern: `^$|${pattern}` }),
  };
}

function publishNullable(published: JsonObject): JsonObject {
  const { anyOf, ...rest } = published;
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return published;
  const [value, second] = anyOf;
  if (!isObject(value) || !isObject(second) || second.type !== 'null') return published;
  return nullable({ ...value, ...rest });
}

/** Callers must accept other values, so that values can be added. */
function publishOpen({ type, enum: values, ...rest }: JsonObject): JsonObject {
  return { ...rest, anyOf: [{ type: type ?? 'string', enum: values ?? [] }, { type: 'string' }] };
}

/** The same meaning in keywords that code generators know. */
function publishRecord(published: JsonObject): JsonObject {
  const { patternProperties, additionalProperties, ...rest } = published;
  const [pattern] = isObject(patternProperties) ? Object.entries(patternProperties) : [];
  if (pattern === undefined || additionalProperties === true) return published;
  const [names, values] = pattern;
  const isAny = names === ANY_NAME;
  if (!isAny && additionalProperties !== false) return published;
  return { ...rest, ...(!isAny && { propertyNames: { pattern: names } }), additionalProperties: values };
}

/**
 * "Exactly one of the named properties" as a choice between closed objects, so that types can express it. Properties without a
 * name are optional in the choice before them.
 */
function publishChoices(published: JsonObject, names: Record<string, string>): JsonObject {
  const {
    properties,
    minProperties: _min,
    maxProperties: _max,
    type: _type,
    additionalProperties,
    ...rest
  } = published;
  const fields = Object.entries(properties as JsonObject);
  const starts = fields.flatMap(([name], at) => (name in names ? [at] : []));
  const choices = starts.map((at, index) => {
    const own = fields.slice(at, starts[index + 1]);
    const others = fields.filter((field) => !own.includes(field)).map(([name]) => [name, NO_VALUE]);
    const [property = ''] = own.map(([name]) => name);
    return reference(names[property] ?? '', {
      type: 'object',
      required: [property],
      // The others without a value: some tools send every field. Types need them to reject two values at once.
      properties: Object.fromEntries([...own, ...others]),
      additionalProperties: additionalProperties ?? true,
    });
  });
  return { ...rest, oneOf: choices };
}

function reference(name: string, published: JsonObject): JsonObject {
  const known = components.get(name);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(published)) {
    throw new Error(`two different schemas are named ${name}`);
  }
  components.set(name, published);
  return { $ref: `#/components/schemas/${name}` };
}

/** The schema as published. Those with an `x-component` become components of that name. */
export function publish(schema: unknown): Json {
  if (Array.isArray(schema)) return schema.map(publish);
  if (typeof schema !== 'object' || schema === null) return schema as Json;
  const {
    'x-component': name,
    'x-choices': choices,
    'x-open': isOpen,
  } = schema as {
    'x-component'?: string;
    'x-open'?: boolean;
    'x-choices'?: Record<string, string>;
  };
  // Registers the name first, so that components appear before the parts they contain.
  if (name !== undefined && !components.has(name)) components.set(name, {});
  const keywords = publishNullable(publishRecord(publishKeywords(schema)));
  const open = isOpen === true ? publishOpen(keywords) : keywords;
  const published = choices === undefined ? open : publishChoices(open, choices);
  if (name === undefined) return published;
  if (Object.keys(components.get(name) ?? {}).length === 0) components.set(name, published);
  return reference(name, published);
}

export const publishSchema = (schema: TSchema): JsonObject => publish(schema) as JsonObject;

/** Every component that a published schema refers to. */
export const publishedComponents = (): JsonObject => Object.fromEntries(components);
