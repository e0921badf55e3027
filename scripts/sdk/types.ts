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

function writeSchema(name: string, schema: Schema): string {
  const comment = writeComment(schema.description, '');
  const type = typeOf(schema);
  return type.startsWith('{\n')
    ? `${comment}export interface ${name} ${type}\n`
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
  const lines = query.map(({ description, ...parameter }) => {
    const hint = parameter.name === 'starting_after' ? `${description} Iterating sets it for you.` : description;
    return `${writeComment(hint, '  ')}  ${parameter.name}?: ${typeOfParameter(parameter)} | undefined;\n`;
  });
  return `export interface ${name} {\n${lines.join('')}}\n`;
}

function writeWebhooks(webhooks: Document['webhooks']): string {
  const schemas = Object.values(webhooks).map(
    ({ post }) => (post.requestBody as RequestBody).content['application/json']?.schema ?? {},
  );
  const lines = schemas.map((schema) => `\n  | ${typeOf(schema)}`);
  return `/** The content of a webhook, by its \`type\`. Ignore types that you do not know. */\nexport type WebhookPayload =${lines.join('')};\n`;
}

export function writeSdkTypes({ components, paths, webhooks }: Document): string {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  return [
    HEADER,
    ...Object.entries(components.schemas).map(([name, schema]) => writeSchema(name, schema)),
    ...operations.map((one) => writeParams(one, components.parameters ?? {})).filter((text) => text !== ''),
    writeWebhooks(webhooks),
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
    return [
      `  ${operationId}: {\n`,
      ...(hasQuery ? [`    query: types.${paramsName(operationId)};\n`] : []),
      ...(body === undefined ? [] : [`    body: ${named(body)};\n`]),
      `    result: ${named(result)};\n  };\n`,
    ].join('');
  });
  return [
    HEADER,
    "import type * as types from './types.ts';\n",
    `export const ROUTES = {\n${routes.join('')}} as const;\n`,
    `export interface Operations {\n${types.join('')}}\n`,
  ].join('\n');
}
