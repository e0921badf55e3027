import { type Direction, SchemaComparison } from './compare.ts';
import type { Schema, Schemas } from './schema.ts';

interface Content {
  readonly [mediaType: string]: { readonly schema?: Schema };
}

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Response {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}

interface Operation {
  readonly operationId?: string;
  readonly security?: unknown;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export interface OpenApi {
  readonly security?: unknown;
  readonly paths: Paths;
  readonly webhooks?: Paths;
  readonly components: {
    readonly schemas: Schemas;
    readonly parameters?: Readonly<Record<string, Parameter>>;
    readonly securitySchemes?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  };
}

/**
 * Breaking changes between two versions of the API, one line each. The rules are oasdiff's: a request that was valid stays
 * valid, and a response stays within what was documented. Stricter: no response field, status, or operationId goes away.
 * More lenient: a response may gain fields, because we tell callers to ignore those that they do not know.
 */
export function findBreakingChanges(before: OpenApi, after: OpenApi): string[] {
  const comparison = new DocumentComparison(before, after);
  return [...new Set(comparison.run())];
}

class DocumentComparison {
  readonly #before: OpenApi;
  readonly #after: OpenApi;
  readonly #schemas: SchemaComparison;

  constructor(before: OpenApi, after: OpenApi) {
    this.#before = before;
    this.#after = after;
    this.#schemas = new SchemaComparison(before.components.schemas, after.components.schemas);
  }

  run(): string[] {
    return [
      ...this.#securitySchemes(),
      ...this.#paths(this.#before.paths, this.#after.paths, 'request'),
      ...this.#paths(this.#before.webhooks ?? {}, this.#after.webhooks ?? {}, 'response'),
    ];
  }

  #securitySchemes(): string[] {
    const schemes = this.#after.components.securitySchemes ?? {};
    return Object.entries(this.#before.components.securitySchemes ?? {}).flatMap(([name, { description, ...old }]) => {
      const { description: _, ...current } = schemes[name] ?? {};
      return equal(old, current) ? [] : [`the security scheme ${name} changed`];
    });
  }

  /** `sent` is the direction of parameters and body: callers send them to operations, and we send them to webhooks. */
  #paths(before: Paths, after: Paths, sent: Direction): string[] {
    const isWebhook = sent === 'response';
    return Object.entries(before).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) => {
        const place = isWebhook ? `webhook ${path}` : `${method.toUpperCase()} ${path}`;
        const current = after[path]?.[method];
        if (current === undefined) return [`${place} was removed`];
        return [
          ...this.#identity(place, operation, current),
          ...this.#parameters(place, operation, current, sent),
          ...this.#body(place, operation, current, sent),
          ...this.#responses(place, operation, current, isWebhook ? 'request' : 'response'),
        ];
      }),
    );
  }

  #identity(place: string, before: Operation, after: Operation): string[] {
    const findings: string[] = [];
    // Generated clients name their functions after it.
    if (before.operationId !== after.operationId)
      findings.push(`${place}: operationId changed from ${before.operationId} to ${after.operationId}`);
    if (!equal(before.security ?? this.#before.security, after.security ?? this.#after.security))
      findings.push(`${place}: the required authentication changed`);
    return findings;
  }

  #parameters(place: string, before: Operation, after: Operation, direction: Direction): string[] {
    const old = readParameters(this.#before, before);
    const current = readParameters(this.#after, after);
    const findings: string[] = [];
    for (const [key, parameter] of old) {
      const at = `${place}: ${key}`;
      const now = current.get(key);
      if (now === undefined) {
        findings.push(`${at} was removed`);
        continue;
      }
      if (direction === 'request' && now.required && !parameter.required) findings.push(`${at} is now required`);
      if (direction === 'response' && parameter.required && !now.required)
        findings.push(`${at} is no longer always present`);
      if (parameter.schema.default !== now.schema.default)
        findings.push(`${at}: default changed from ${parameter.schema.default} to ${now.schema.default}`);
      findings.push(...this.#schemas.compare(at, readSent(parameter), readElement(parameter, now), direction));
    }
    for (const [key, { required }] of current)
      if (direction === 'request' && required && !old.has(key)) findings.push(`${place}: ${key} is now required`);
    return findings;
  }

  #body(place: string, before: Operation, after: Operation, direction: Direction): string[] {
    const [old, current] = [before.requestBody, after.requestBody];
    if (current === undefined) return old === undefined ? [] : [`${place}: the body was removed`];
    if (direction === 'request' && current.required && !old?.required) return [`${place}: the body is now required`];
    return this.#content(`${place}: body`, old?.content ?? {}, current.content, direction);
  }

  #responses(place: string, before: Operation, after: Operation, direction: Direction): string[] {
    return Object.entries(before.responses).flatMap(([status, { headers, content }]) => {
      const at = `${place}: response ${status}`;
      const now = after.responses[status];
      if (now === undefined) return [`${at} was removed`];
      const lost = Object.keys(headers ?? {}).filter((name) => now.headers?.[name] === undefined);
      return [
        ...lost.map((name) => `${at}: the header ${name} was removed`),
        ...this.#content(at, content ?? {}, now.content ?? {}, direction),
      ];
    });
  }

  #content(place: string, before: Content, after: Content, direction: Direction): string[] {
    return Object.entries(before).flatMap(([mediaType, { schema }]) => {
      const now = after[mediaType];
      if (now === undefined) return [`${place}: ${mediaType} was removed`];
      return this.#schemas.compare(place, schema ?? {}, now.schema ?? {}, direction);
    });
  }
}

const equal = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

function readParameters({ components }: OpenApi, { parameters = [] }: Operation): Map<string, Parameter> {
  const resolved = parameters.map((one) => components.parameters?.[one.$ref?.split('/').at(-1) ?? ''] ?? one);
  return new Map(resolved.map((one) => [`${one.in} parameter ${one.name}`, one]));
}

/** A path never has an empty parameter. */
const readSent = (parameter: Parameter): Schema =>
  parameter.in === 'path' ? { minLength: 1, ...parameter.schema } : parameter.schema;

/** A single value in a query is also a list of one: a parameter that becomes a list accepts what it did before. */
function readElement(before: Parameter, after: Parameter): Schema {
  const { items, type } = after.schema;
  return after.in === 'query' && type === 'array' && before.schema.type !== 'array' && items ? items : after.schema;
}
