import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Fails when openapi.json breaks callers of the last release. The rules are oasdiff's: a request that was valid stays valid, and a
 * response stays within what was documented. Stricter: no response field, status, header or operationId goes away. More lenient:
 * a response may gain fields, because we tell callers to ignore those that they do not know.
 */

const ROOT = path.join(import.meta.dirname, '..');
/** Until there is a tag of a release. */
const FIRST_BASELINE = '8c4f7da522291b89d75ef4605a5d3f5cab429b13';
/** Breaking changes since the last release that we accept, each with the reason. Emptied by the next release. */
const ACCEPTED: Readonly<Record<string, string>> = {};

/** The part of JSON Schema that the contract uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  default?: unknown;
  pattern?: string;
  format?: string;
  propertyNames?: Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
}

type Named<T> = Readonly<Record<string, T>>;
type Content = Named<{ readonly schema?: Schema }>;

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId?: string;
  readonly security?: unknown;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Named<{ readonly headers?: Named<unknown>; readonly content?: Content }>;
}

export interface OpenApi {
  readonly security?: unknown;
  readonly paths: Named<Named<Operation>>;
  readonly webhooks?: Named<Named<Operation>>;
  readonly components: {
    readonly schemas: Named<Schema>;
    readonly parameters?: Named<Parameter>;
    readonly securitySchemes?: Named<Named<unknown>>;
  };
}

/** Requests may only become wider and responses only narrower, except that responses gain fields. */
type Direction = 'request' | 'response';

/** One kind of value that a schema allows, with a single type. */
interface Alternative {
  readonly type: string;
  /** The allowed values as JSON, if the schema lists them. */
  readonly values?: readonly string[];
  readonly schema: Schema;
  /** The named schema it comes from. */
  readonly component?: string;
}

/** A limit says nothing about values of other types. Two different values of the last kind are not comparable. */
const LIMITS: Named<readonly (keyof Schema)[]> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum', 'format'],
  integer: ['minimum', 'maximum', 'format'],
  array: ['minItems', 'maxItems'],
  object: ['minProperties', 'maxProperties', 'propertyNames'],
};

const json = (value: unknown): string => JSON.stringify(value);
const without = (values: readonly string[], other: readonly string[] = []): string[] =>
  values.filter((value) => !other.includes(value));

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

const merge = (base: Schema, other: Schema): Schema => ({
  ...base,
  ...other,
  ...((base.properties ?? other.properties) && { properties: { ...base.properties, ...other.properties } }),
  ...((base.required ?? other.required) && { required: [...(base.required ?? []), ...(other.required ?? [])] }),
});

function readTypes({ type, properties, items }: Schema, values: unknown[] | undefined): string[] {
  if (type !== undefined) return [type].flat();
  if (values !== undefined) return [...new Set(values.map(jsonType))];
  if (properties !== undefined) return ['object'];
  return [items === undefined ? 'any' : 'array'];
}

/** Everything that a schema allows, so that different ways to write the same thing become equal. */
function readAlternatives({ $ref, anyOf, oneOf, ...base }: Schema, schemas: Named<Schema>): Alternative[] {
  if ($ref !== undefined) {
    const component = $ref.split('/').at(-1) ?? '';
    const target = schemas[component];
    if (target === undefined) throw new Error(`${$ref} does not exist`);
    return readAlternatives(merge(target, base), schemas).map((one) => ({ component, ...one }));
  }
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) {
    // `anyOf` of single values is the same as an `enum`.
    const joined = new Map<string, Alternative>();
    for (const one of choices.flatMap((choice) => readAlternatives(merge(base, choice), schemas))) {
      const key = one.values === undefined ? `${joined.size}` : one.type;
      const values = one.values && [...(joined.get(key)?.values ?? []), ...one.values];
      joined.set(key, { ...one, ...(values && { values }) });
    }
    return [...joined.values()];
  }
  const values = base.const === undefined ? base.enum : [base.const];
  return readTypes(base, values).flatMap((type): Alternative[] => {
    const own = values?.filter((value) => jsonType(value) === (type === 'integer' ? 'number' : type));
    if (own === undefined || (type === 'null' && own.length > 0)) return [{ type, schema: base }];
    return own.length === 0 ? [] : [{ type, schema: base, values: own.map(json) }];
  });
}

function compareValues(place: string, from: Alternative, to: Alternative, direction: Direction): string[] {
  const [old, now] = [from.values, to.values];
  if (direction === 'request') {
    if (now === undefined) return [];
    if (old === undefined) return [`${place} accepts only ${now.join(', ')} now`];
    return without(old, now).map((value) => `${place} no longer accepts ${value}`);
  }
  if (old === undefined) return [];
  if (now === undefined) return [`${place} is no longer limited to ${old.join(', ')}`];
  return [
    ...without(now, old).map((value) => `${place} can now be ${value}`),
    // Callers wait for values, such as a status.
    ...without(old, now).map((value) => `${place} is never ${value} anymore`),
  ];
}

function compareLimits(place: string, from: Alternative, to: Alternative, direction: Direction): string[] {
  // A list of values says it all.
  if ((direction === 'request' ? to : from).values !== undefined) return [];
  const [inner, outer] = direction === 'request' ? [from.schema, to.schema] : [to.schema, from.schema];
  const isBroken = (keyword: keyof Schema): boolean => {
    const [narrow, wide] = [inner[keyword], outer[keyword]];
    if (wide === undefined || json(narrow) === json(wide)) return false;
    if (narrow === undefined) return !(/^min[A-Z]/.test(keyword) && wide === 0);
    if (typeof narrow !== 'number' || typeof wide !== 'number') return true;
    return keyword.startsWith('min') ? narrow < wide : narrow > wide;
  };
  const show = (value: unknown): string => (typeof value === 'object' ? json(value) : String(value ?? 'none'));
  return (LIMITS[from.type] ?? [])
    .filter(isBroken)
    .map((keyword) => `${place}: ${keyword} changed from ${show(from.schema[keyword])} to ${show(to.schema[keyword])}`);
}

class Comparison {
  readonly #before: OpenApi;
  readonly #after: OpenApi;

  constructor(before: OpenApi, after: OpenApi) {
    this.#before = before;
    this.#after = after;
  }

  run(): string[] {
    const schemes = (document: OpenApi, name: string) => {
      const { description, ...scheme } = document.components.securitySchemes?.[name] ?? {};
      return json(scheme);
    };
    const changed = Object.keys(this.#before.components.securitySchemes ?? {}).filter(
      (name) => schemes(this.#before, name) !== schemes(this.#after, name),
    );
    return [
      ...changed.map((name) => `the security scheme ${name} changed`),
      ...this.#operations('request'),
      // We send the bodies of webhooks, and callers respond.
      ...this.#operations('response'),
    ];
  }

  #operations(sent: Direction): string[] {
    const isWebhook = sent === 'response';
    const [before, after] = [this.#before, this.#after].map((one) => (isWebhook ? one.webhooks : one.paths) ?? {});
    return Object.entries(before ?? {}).flatMap(([name, methods]) =>
      Object.entries(methods).flatMap(([method, old]) => {
        const place = isWebhook ? `webhook ${name}` : `${method.toUpperCase()} ${name}`;
        const now = after?.[name]?.[method];
        if (now === undefined) return [`${place} was removed`];
        return [
          // Generated clients name their functions after it.
          ...(old.operationId === now.operationId
            ? []
            : [`${place}: operationId changed from ${old.operationId} to ${now.operationId}`]),
          ...(json(old.security ?? this.#before.security) === json(now.security ?? this.#after.security)
            ? []
            : [`${place}: the required authentication changed`]),
          ...this.#parameters(place, old, now, sent),
          ...this.#body(place, old, now, sent),
          ...this.#responses(place, old, now, isWebhook ? 'request' : 'response'),
        ];
      }),
    );
  }

  #parameters(place: string, before: Operation, after: Operation, direction: Direction): string[] {
    const [old, now] = [readParameters(this.#before, before), readParameters(this.#after, after)];
    const findings = [...old].flatMap(([key, was]) => {
      const at = `${place}: ${key}`;
      const is = now.get(key);
      if (is === undefined) return [`${at} was removed`];
      return [
        ...(direction === 'request' && is.required && !was.required ? [`${at} is now required`] : []),
        ...(direction === 'response' && was.required && !is.required ? [`${at} is no longer always present`] : []),
        ...(was.schema.default === is.schema.default
          ? []
          : [`${at}: default changed from ${was.schema.default} to ${is.schema.default}`]),
        ...this.#schema(at, readSent(was), readElement(was, is), direction),
      ];
    });
    const added = [...now].filter(([key, { required }]) => direction === 'request' && required && !old.has(key));
    return [...findings, ...added.map(([key]) => `${place}: ${key} is now required`)];
  }

  #body(place: string, before: Operation, after: Operation, direction: Direction): string[] {
    const [old, now] = [before.requestBody, after.requestBody];
    if (now === undefined) return old === undefined ? [] : [`${place}: the body was removed`];
    if (direction === 'request' && now.required && !old?.required) return [`${place}: the body is now required`];
    return this.#content(`${place}: body`, old?.content, now.content, direction);
  }

  #responses(place: string, before: Operation, after: Operation, direction: Direction): string[] {
    return Object.entries(before.responses).flatMap(([status, old]) => {
      const at = `${place}: response ${status}`;
      const now = after.responses[status];
      if (now === undefined) return [`${at} was removed`];
      const lost = without(Object.keys(old.headers ?? {}), Object.keys(now.headers ?? {}));
      return [
        ...lost.map((name) => `${at}: the header ${name} was removed`),
        ...this.#content(at, old.content, now.content, direction),
      ];
    });
  }

  #content(place: string, before: Content = {}, after: Content = {}, direction: Direction): string[] {
    return Object.entries(before).flatMap(([mediaType, { schema }]) => {
      const now = after[mediaType];
      if (now === undefined) return [`${place}: ${mediaType} was removed`];
      return this.#schema(place, schema ?? {}, now.schema ?? {}, direction);
    });
  }

  #schema(place: string, before: Schema, after: Schema, direction: Direction): string[] {
    const old = readAlternatives(before, this.#before.components.schemas);
    const now = readAlternatives(after, this.#after.components.schemas);
    const isRequest = direction === 'request';
    // The new request must allow everything that the old one did; the old response everything that the new one does.
    const [inner, outer] = isRequest ? [old, now] : [now, old];
    return inner.flatMap((one) => {
      const same = outer.filter(
        ({ type }) => type === one.type || type === 'any' || (type === 'number' && one.type === 'integer'),
      );
      if (same.length === 0) {
        const name = one.values?.join(', ') ?? `the type ${one.type}`;
        return [`${place} ${isRequest ? 'no longer accepts' : 'can now be'} ${name}`];
      }
      const differences = same.map((other) => {
        const [from, to] = isRequest ? [one, other] : [other, one];
        // A change in a named schema is one line, however many operations use it.
        const component = to.component ?? from.component;
        const at = component === undefined ? place : `${direction} ${component}`;
        return [
          ...compareValues(at, from, to, direction),
          ...compareLimits(at, from, to, direction),
          ...(from.type === 'object' && to.type === 'object'
            ? this.#fields(at, from.schema, to.schema, direction)
            : []),
          ...this.#optional(`${at}[]`, from.schema.items, to.schema.items, direction),
        ];
      });
      return differences.reduce((best, next) => (next.length < best.length ? next : best));
    });
  }

  #optional(place: string, before: unknown, after: unknown, direction: Direction): string[] {
    const both = typeof before === 'object' && typeof after === 'object' && before && after;
    return both ? this.#schema(place, before, after, direction) : [];
  }

  #fields(place: string, before: Schema, after: Schema, direction: Direction): string[] {
    const isRequest = direction === 'request';
    const now = after.properties ?? {};
    const findings = Object.entries(before.properties ?? {}).flatMap(([name, field]) => {
      const [at, is] = [`${place}.${name}`, now[name]];
      if (is === undefined) return [`${at} was removed`];
      const isMissed = !isRequest && before.required?.includes(name) && !after.required?.includes(name);
      return [...this.#schema(at, field, is, direction), ...(isMissed ? [`${at} is no longer always present`] : [])];
    });
    if (isRequest) {
      const required = without(after.required ?? [], before.required);
      findings.push(...required.map((name) => `${place}.${name} is now required`));
      if (after.additionalProperties === false && before.additionalProperties !== false)
        findings.push(`${place} no longer accepts unknown fields`);
    }
    const [old, values] = [before.additionalProperties, after.additionalProperties];
    return [...findings, ...this.#optional(`${place}.*`, old, values, direction)];
  }
}

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

/** Breaking changes between two versions of the API, one line each. */
export const findBreakingChanges = (before: OpenApi, after: OpenApi): string[] => [
  ...new Set(new Comparison(before, after).run()),
];

function git(...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8', maxBuffer: 50_000_000 });
  return status === 0 ? stdout.trim() : undefined;
}

/** The problems with what changed since the last release. */
function checkCompatibility(): string[] {
  // An archive: nothing can be merged there that breaks a release.
  if (git('rev-parse', '--git-dir') === undefined) return [];
  const release = git('describe', '--tags', '--abbrev=0', '--match', 'v[0-9]*') ?? FIRST_BASELINE;
  const released = git('show', `${release}:openapi.json`);
  if (released === undefined) return [`${release} is not in this clone. Run: git fetch --unshallow --tags`];
  const current = fs.readFileSync(path.join(ROOT, 'openapi.json'), 'utf8');
  const changes = findBreakingChanges(JSON.parse(released), JSON.parse(current));
  const accepted = Object.keys(ACCEPTED);
  return [
    ...without(changes, accepted).map((change) => `breaks callers of ${release}: ${change}`),
    ...without(accepted, changes).map((change) => `accepted, but there is no such change: ${change}`),
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const problems = checkCompatibility();
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0) {
    process.stderr.write('Undo the change, or accept it with a reason in scripts/compatibility.ts.\n');
    process.exitCode = 1;
  }
}
