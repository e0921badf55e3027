/** The part of JSON Schema that the contract uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  patternProperties?: Record<string, Schema>;
  items?: Schema;
  pattern?: string;
  format?: string;
  default?: unknown;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
}

export type Schemas = Readonly<Record<string, Schema>>;

/** One kind of value that a schema allows, with a single type. */
export interface Alternative {
  readonly type: string;
  /** The allowed values as JSON, if the schema lists them. */
  readonly values?: ReadonlySet<string>;
  readonly schema: Schema;
  /** The named schema it comes from. */
  readonly component?: string;
}

const COMPONENTS = '#/components/schemas/';

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value;
}

function readTypes({ type, properties, patternProperties, items }: Schema, values: unknown[] | undefined): string[] {
  if (type !== undefined) return [type].flat();
  if (values !== undefined) return [...new Set(values.map(typeOf))];
  if (properties !== undefined || patternProperties !== undefined) return ['object'];
  return [items === undefined ? 'any' : 'array'];
}

const merge = (base: Schema, other: Schema): Schema => ({
  ...base,
  ...other,
  ...((base.properties ?? other.properties) && { properties: { ...base.properties, ...other.properties } }),
  ...((base.required ?? other.required) && { required: [...(base.required ?? []), ...(other.required ?? [])] }),
});

/** A closed object with exactly one of its fields is the same as one closed object for each field. */
function splitChoice(schema: Schema): Schema[] {
  const { minProperties, maxProperties, properties = {}, additionalProperties, ...rest } = schema;
  if (minProperties !== 1 || maxProperties !== 1 || additionalProperties !== false) return [schema];
  return Object.entries(properties).map(([name, field]) => ({
    ...rest,
    properties: { [name]: field },
    required: [name],
    additionalProperties,
  }));
}

function split(schema: Schema): Alternative[] {
  const values = schema.const === undefined ? schema.enum : [schema.const];
  return readTypes(schema, values).flatMap((type) => {
    if (type === 'object') return splitChoice(schema).map((choice) => ({ type, schema: choice }));
    if (values === undefined || (type === 'null' && values.includes(null))) return [{ type, schema }];
    const own = values.filter((value) => typeOf(value) === (type === 'integer' ? 'number' : type));
    return own.length === 0 ? [] : [{ type, schema, values: new Set(own.map((value) => JSON.stringify(value))) }];
  });
}

/** `anyOf` of single values is the same as an `enum`. */
function joinValues(alternatives: Alternative[]): Alternative[] {
  const joined = new Map<string, Alternative>();
  for (const [index, one] of alternatives.entries()) {
    const key = one.values === undefined ? `${index}` : one.type;
    const values = [...(joined.get(key)?.values ?? []), ...(one.values ?? [])];
    joined.set(key, one.values === undefined ? one : { ...one, values: new Set(values) });
  }
  return [...joined.values()];
}

/** Everything that a schema allows, so that different ways to write the same thing become equal. */
export function readAlternatives(schema: Schema, schemas: Schemas): Alternative[] {
  const { $ref, allOf, anyOf, oneOf, ...base } = schema;
  if ($ref !== undefined) {
    const component = $ref.slice(COMPONENTS.length);
    const target = schemas[component];
    if (!$ref.startsWith(COMPONENTS) || target === undefined) throw new Error(`${$ref} does not exist`);
    return readAlternatives(merge(target, base), schemas).map((one) => ({ component, ...one }));
  }
  if (allOf !== undefined) {
    const whole = allOf.map((part) => (part.$ref ? (schemas[part.$ref.slice(COMPONENTS.length)] ?? part) : part));
    return readAlternatives(
      whole.reduce(merge, { ...base, ...(anyOf && { anyOf }), ...(oneOf && { oneOf }) }),
      schemas,
    );
  }
  const choices = anyOf ?? oneOf;
  if (choices === undefined) return split(base);
  return joinValues(choices.flatMap((choice) => readAlternatives(merge(base, choice), schemas)));
}
