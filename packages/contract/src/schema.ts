import type { TObject, TProperties, TSchema, Type as TypeBox } from 'typebox';

export type { Static, TObject, TProperties, TSchema, TStringOptions } from 'typebox';

type Options = Readonly<Record<string, unknown>>;
type Properties = Readonly<Record<string, TSchema>>;

const optional = new WeakSet<TSchema>();

function makeOptional(schema: TSchema): TSchema {
  const copy = { ...schema };
  optional.add(copy);
  return copy;
}

function makeObject(properties: Properties, options?: Options) {
  const required = Object.keys(properties).filter((name) => !optional.has(properties[name] ?? {}));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

const build = {
  Array: (items: TSchema, options?: Options) => ({ type: 'array', items, ...options }),
  Boolean: (options?: Options) => ({ type: 'boolean', ...options }),
  Enum: (values: readonly unknown[], options?: Options) => ({ enum: values, ...options }),
  Integer: (options?: Options) => ({ type: 'integer', ...options }),
  Literal: (value: unknown, options?: Options) => ({ type: typeof value, const: value, ...options }),
  Null: (options?: Options) => ({ type: 'null', ...options }),
  Number: (options?: Options) => ({ type: 'number', ...options }),
  Object: makeObject,
  Optional: makeOptional,
  Partial: ({ properties }: TObject) =>
    makeObject(Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, makeOptional(schema)]))),
  Record: ({ pattern = '^.*$' }: { pattern?: string }, value: TSchema, options?: Options) => ({
    type: 'object',
    patternProperties: { [pattern]: value },
    ...options,
  }),
  String: (options?: Options) => ({ type: 'string', ...options }),
  Tuple: (items: readonly TSchema[]) => ({ type: 'array', additionalItems: false, items, minItems: items.length }),
  Union: (anyOf: readonly TSchema[], options?: Options) => ({ anyOf, ...options }),
  Unknown: () => ({}),
  Unsafe: (schema: TSchema) => schema,
};

/** TypeBox with its types, but not its library: loading the 370 modules of it took a tenth of each start. */
export const Type = build as unknown as Pick<typeof TypeBox, keyof typeof build>;

/** Requests reject fields that they do not know. */
const closed = { additionalProperties: false } as const;

export const ClosedObject = <Properties extends TProperties>(properties: Properties) => Type.Object(properties, closed);

/** An object that has a name in the OpenAPI document. */
export const Component = <Properties extends TProperties>(name: string, description: string, properties: Properties) =>
  Type.Object(properties, { 'x-component': name, description });

export const RequestComponent = <Properties extends TProperties>(
  name: string,
  description: string,
  properties: Properties,
  options: Options = {},
) => Type.Object(properties, { ...closed, 'x-component': name, description, ...options });

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

/** Keywords that are not published. */
export const INTERNAL = new Set(['x-problem', 'x-phone', 'x-component', 'x-choices', 'x-open']);
/** Validators know these. Our own would stop strict ones, so patterns are published in their place. */
export const FORMATS = new Set(['date-time', 'uri']);
