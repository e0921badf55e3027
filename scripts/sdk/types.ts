/** Writes the types of the SDK from the OpenAPI document: its named schemas, query parameters and webhooks. */

export interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly description?: string;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[];
  readonly requestBody?: RequestBody | { readonly $ref: string };
  readonly responses?: Readonly<Record<string, Partial<RequestBody>>>;
}

interface RequestBody {
  readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
}

export interface Document {
  readonly components: {
    readonly requestBodies?: Readonly<Record<string, RequestBody>>;
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, Parameter>>;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: Operation }>>;
}

const HEADER = '// Generated from openapi.json by `npm run gen`. Do not edit.\n';
/** Any other string: completion still lists the known values. */
const OTHER_STRING = '(string & Record<never, never>)';
const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'` : JSON.stringify(value);

const refName = (ref: string): string => ref.split('/').at(-1) ?? '';

const unique = (parts: readonly string[]): string => [...new Set(parts)].join(' | ');

function typeOfChoices(choices: readonly Schema[], indent: string): string {
  const isOpen =
    choices.length > 1 &&
    choices.some((choice) => choice.enum !== undefined) &&
    choices.some((choice) => Object.keys(choice).every((key) => key === 'type' || key === 'description'));
  return unique(
    choices.map((choice) => {
      const type = typeOf(choice, indent);
      return isOpen && type === 'string' ? OTHER_STRING : type;
    }),
  );
}

function typeOf(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return refName(schema.$ref);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum !== undefined) return unique(schema.enum.map(literal));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined) return typeOfChoices(choices, indent);
  const types = Array.isArray(schema.type) ? schema.type : [schema.type];
  return unique(types.map((type) => typeOfOne(type, schema, indent)));
}

function typeOfOne(type: string | undefined, schema: Schema, indent: string): string {
  if (type === 'array') {
    const items = typeOf(schema.items ?? {}, indent);
    return items.includes(' ') ? `(${items})[]` : `${items}[]`;
  }
  if (type === 'object') return typeOfObject(schema, indent);
  if (type === undefined) throw new Error(`no TypeScript type for the schema ${JSON.stringify(schema)}`);
  return type === 'integer' ? 'number' : type;
}

function typeOfObject(schema: Schema, indent: string): string {
  if (typeof schema.additionalProperties === 'object')
    return `Record<string, ${typeOf(schema.additionalProperties, indent)}>`;
  const properties = Object.entries(schema.properties ?? {});
  if (properties.length === 0) return 'Record<string, never>';
  const required = new Set(schema.required);
  const lines = properties.map(([name, property]) => writeProperty(name, property, required.has(name), `${indent}  `));
  return `{\n${lines.join('')}${indent}}`;
}

function writeProperty(name: string, schema: Schema, isRequired: boolean, indent: string): string {
  const type = typeOf(schema, indent);
  // Explicit, so that callers with exactOptionalPropertyTypes may pass a value that can be undefined.
  const value = isRequired ? `${name}: ${type}` : `${name}?: ${type} | undefined`;
  return `${writeComment(schema.description, indent)}${indent}${value};\n`;
}

function writeComment(text: string | undefined, indent: string): string {
  if (text === undefined) return '';
  const lines = text.replaceAll('*/', '*\\/').split('\n');
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** Every list has the same fields. */
const PAGE = `/** One page of a list. */
export interface Page<T> {
  readonly object: 'list';
  readonly data: T[];
  /** True when more objects follow. */
  readonly has_more: boolean;
}
`;

type Schemas = Document['components']['schemas'];

/** Most lists take these. */
const PAGE_PARAMS = `export interface PageParams {
  /** Page size. */
  limit?: number | undefined;
  /** The last id of the previous page. Iterating sets it for you. */
  starting_after?: string | undefined;
}
`;

const propertiesOf = ({ properties = {} }: Schema): string[] =>
  Object.entries(properties).map((one) => JSON.stringify(one));

/** Objects that share fewer fields do so by chance. */
const MIN_SHARED = 5;

/** An object with fewer fields, all of which this one has. */
function baseOf(schema: Schema, schemas: Schemas): string | undefined {
  const own = new Set(propertiesOf(schema));
  return Object.entries(schemas).find(([, other]) => {
    const theirs = propertiesOf(other);
    return theirs.length >= MIN_SHARED && theirs.length < own.size && theirs.every((one) => own.has(one));
  })?.[0];
}

function writeSchema(name: string, schema: Schema, schemas: Schemas): string {
  const { properties = {}, description } = schema;
  if (name.endsWith('List')) return `export type ${name} = Page<${typeOf(properties.data?.items ?? {})}>;\n`;
  const base = baseOf(schema, schemas);
  const inherited = Object.keys((base === undefined ? undefined : schemas[base]?.properties) ?? {});
  const own = Object.fromEntries(Object.entries(properties).filter(([property]) => !inherited.includes(property)));
  const type = typeOf(base === undefined ? schema : { ...schema, properties: own });
  const comment = writeComment(description, '');
  return type.startsWith('{\n')
    ? `${comment}export interface ${name} ${base === undefined ? '' : `extends ${base} `}${type}\n`
    : `${comment}export type ${name} = ${type};\n`;
}

/** A parameter of several values also takes one, and pairs take numbers and booleans as well. */
function typeOfParameter({ schema }: Parameter): string {
  if (schema.type === 'array') {
    const items = typeOf(schema.items ?? {});
    return `${items} | readonly (${items})[]`;
  }
  if (schema.type === 'object') return 'Readonly<Record<string, string | number | boolean>>';
  return typeOf(schema);
}

const paramsName = (operationId: string): string => `${operationId[0]?.toUpperCase()}${operationId.slice(1)}Params`;

const queryOf = ({ parameters = [] }: Operation, shared: Readonly<Record<string, Parameter>>): Parameter[] =>
  parameters
    .map((one) => ('$ref' in one ? shared[refName(one.$ref)] : one))
    .filter((parameter) => parameter?.in === 'query') as Parameter[];

function writeParams(operation: Operation, shared: Readonly<Record<string, Parameter>>): string {
  const query = queryOf(operation, shared);
  if (query.length === 0) return '';
  const name = paramsName(operation.operationId);
  const filters = query.filter((parameter) => parameter.name !== 'limit' && parameter.name !== 'starting_after');
  const hasPages = filters.length < query.length;
  if (hasPages && filters.length === 0) return `export type ${name} = PageParams;\n`;
  const lines = filters.map(
    (parameter) =>
      `${writeComment(parameter.description, '  ')}  ${parameter.name}?: ${typeOfParameter(parameter)} | undefined;\n`,
  );
  return `export interface ${name} ${hasPages ? 'extends PageParams ' : ''}{\n${lines.join('')}}\n`;
}

const PAYLOAD = `interface Payload<Type extends string, Data> {
  type: Type;
  /** When it happened. */
  timestamp: string;
  data: Data;
}
`;

const payloadNames = (webhooks: Document['webhooks']): string[] =>
  Object.values(webhooks).map(({ post }) =>
    typeOf((post.requestBody as RequestBody).content['application/json']?.schema ?? {}),
  );

function writeWebhooks(schemas: Schemas, names: readonly string[]): string {
  const payloads = names.map((name) => {
    const { type = {}, data = {} } = schemas[name]?.properties ?? {};
    return `export type ${name} = Payload<${typeOf(type)}, ${typeOf(data)}>;\n`;
  });
  const choices = names.map((name) => `\n  | ${name}`).join('');
  const comment = '/** The content of a webhook, by its `type`. Ignore types that you do not know. */';
  return `${PAYLOAD}\n${payloads.join('')}\n${comment}\nexport type WebhookPayload =${choices};\n`;
}

export function writeSdkTypes({ components, paths, webhooks }: Document): string {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const payloads = payloadNames(webhooks);
  const { schemas, parameters = {} } = components;
  return [
    HEADER,
    PAGE,
    PAGE_PARAMS,
    ...Object.entries(schemas)
      .filter(([name]) => !payloads.includes(name))
      .map(([name, schema]) => writeSchema(name, schema, schemas)),
    ...operations.map((one) => writeParams(one, parameters)).filter((text) => text !== ''),
    writeWebhooks(schemas, payloads),
  ].join('\n');
}

/** The route of each operation, with the types of its query, body and result. */
export function writeSdkOperations({ components, paths }: Document): string {
  const named = ({ content }: Partial<RequestBody> = {}): string =>
    `types.${refName(content?.['application/json']?.schema.$ref ?? '')}`;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
  );
  const routes = operations.map(({ route, operation }) => `  ${operation.operationId}: '${route}',\n`);
  const types = operations.map(({ operation }) => {
    const { operationId, requestBody, responses = {} } = operation;
    const body =
      requestBody && '$ref' in requestBody ? components.requestBodies?.[refName(requestBody.$ref)] : requestBody;
    const [result] = Object.entries(responses).flatMap(([status, one]) => (status.startsWith('2') ? [one] : []));
    const hasQuery = queryOf(operation, components.parameters ?? {}).length > 0;
    const parts = [
      ...(hasQuery ? [`query: types.${paramsName(operationId)}`] : []),
      ...(body === undefined ? [] : [`body: ${named(body)}`]),
      `result: ${named(result)}`,
    ];
    return `  ${operationId}: { ${parts.join('; ')} };\n`;
  });
  return [
    HEADER,
    "import type * as types from './types.ts';\n",
    `export const ROUTES = {\n${routes.join('')}} as const;\n`,
    `export interface Operations {\n${types.join('')}}\n`,
  ].join('\n');
}
