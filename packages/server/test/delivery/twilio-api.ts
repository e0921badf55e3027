import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { Ajv, type AnySchemaObject, type ValidateFunction } from 'ajv';

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly schema: AnySchemaObject;
}

type Content = Record<string, { readonly schema: AnySchemaObject } | undefined>;

interface Operation {
  readonly operationId: string;
  readonly parameters: Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Record<string, { readonly content: Content } | undefined>;
}

interface Description {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: object;
}

export interface CarrierRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const FILE = join(import.meta.dirname, 'twilio-api.json');
const RFC_2822 = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} \+0000$/;
const E164 = /^\+[1-9]\d{7,14}$/;

/** Allows only the properties that Twilio documents, and requires all of them in responses. */
function readDescription(isComplete: boolean): Description {
  return JSON.parse(readFileSync(FILE, 'utf8'), (_key, value) => {
    if (value?.type !== 'object' || value.properties === undefined) return value;
    return { ...value, additionalProperties: false, ...(isComplete && { required: Object.keys(value.properties) }) };
  }) as Description;
}

function createAjv(options: { coerceTypes: boolean; isUri: (text: string) => boolean }): Ajv {
  const { coerceTypes, isUri } = options;
  const ajv = new Ajv({ strict: true, strictTypes: false, allErrors: true, coerceTypes });
  ajv.addVocabulary(['components']);
  ajv.addFormat('uri', isUri);
  ajv.addFormat('phone-number', E164);
  ajv.addFormat('date-time-rfc-2822', RFC_2822);
  ajv.addFormat('currency', /^[A-Z]{3}$/);
  // Twilio's descriptions also allow a date without a time.
  ajv.addFormat('date-time', /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2}))?$/);
  for (const name of ['int64', 'uri-map']) ajv.addFormat(name, true);
  return ajv;
}

const requests = readDescription(false);
const responses = readDescription(true);
// All values in a query or a form are text, so types are coerced.
const requestAjv = createAjv({ coerceTypes: true, isUri: (text) => /^https?:/.test(text) && URL.canParse(text) });
// URIs in responses are relative.
const responseAjv = createAjv({ coerceTypes: false, isUri: (text) => text.startsWith('/2010-04-01/') });

const compiled = new Map<object, ValidateFunction>();

function problemsOf(ajv: Ajv, { components }: Description, schema: AnySchemaObject, value: unknown): string[] {
  const validate = compiled.get(schema) ?? ajv.compile({ ...schema, components });
  compiled.set(schema, validate);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    `${instancePath} ${message} ${JSON.stringify(params)}`.trim(),
  );
}

function find(method: string, pathname: string): { operation: Operation; inPath: Record<string, string> } | null {
  for (const [template, operations] of Object.entries(requests.paths)) {
    const pattern = template
      .split(/\{(\w+)\}/)
      .map((part, n) => (n % 2 === 1 ? `(?<${part}>[^/]+)` : RegExp.escape(part)))
      .join('');
    const match = new RegExp(`^${pattern}$`).exec(pathname);
    const operation = operations[method.toLowerCase()];
    if (match !== null && operation !== undefined) return { operation, inPath: { ...match.groups } };
  }
  return null;
}

function readFields(given: URLSearchParams, properties: Record<string, AnySchemaObject>): Record<string, unknown> {
  const read = (name: string) => {
    const values = given.getAll(name);
    return values.length > 1 || properties[name]?.type === 'array' ? values : values[0];
  };
  return Object.fromEntries([...new Set(given.keys())].map((name) => [name, read(name)]));
}

const schemas = new Map<string, AnySchemaObject>();

function schemaOf({ operationId, parameters }: Operation, place: Parameter['in']): AnySchemaObject {
  const known = schemas.get(operationId + place);
  if (known !== undefined) return known;
  const own = parameters.filter((parameter) => parameter.in === place);
  const schema = {
    type: 'object',
    properties: Object.fromEntries(own.map((parameter) => [parameter.name, parameter.schema])),
    required: own.filter(({ required }) => required === true).map(({ name }) => name),
    additionalProperties: false,
  };
  schemas.set(operationId + place, schema);
  return schema;
}

/** Lists what Twilio's API description does not allow in the request. */
export function requestProblems({ method, url, headers, body }: CarrierRequest): string[] {
  const found = find(method, url.pathname);
  if (found === null) return [`no operation at ${method} ${url.pathname}`];
  const { operation, inPath } = found;
  const inQuery = schemaOf(operation, 'query');
  const problems = [
    ...problemsOf(requestAjv, requests, schemaOf(operation, 'path'), inPath),
    ...problemsOf(requestAjv, requests, inQuery, readFields(url.searchParams, inQuery.properties)),
  ];
  const { requestBody } = operation;
  if (requestBody === undefined) return body === '' ? problems : [...problems, 'an unexpected body'];
  const form = requestBody.content[headers['content-type'] ?? '']?.schema;
  if (form === undefined) return [...problems, `content type ${headers['content-type']}`];
  const fields = readFields(new URLSearchParams(body), form.properties);
  return [...problems, ...problemsOf(requestAjv, requests, form, fields)];
}

/** The same for a successful response; the description has no others. */
export function responseProblems(operationId: string, status: number, body: unknown): string[] {
  const operation = Object.values(responses.paths)
    .flatMap((operations) => Object.values(operations))
    .find((each) => each.operationId === operationId);
  const schema = operation?.responses[status]?.content['application/json']?.schema;
  if (schema === undefined) return [`${operationId} never responds ${status}`];
  return problemsOf(responseAjv, responses, schema, body).map((problem) => `response of ${operationId}: ${problem}`);
}
