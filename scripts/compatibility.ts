import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/**
 * Fails when openapi.json breaks callers of the last release. New requests must accept every value that old ones did, and new
 * responses must fit what callers expect; but they may have more fields, because we tell callers to ignore unknown ones.
 */

const ROOT = path.join(import.meta.dirname, '..');
/** Until there is a tag of a release. */
const FIRST_BASELINE = '8c4f7da522291b89d75ef4605a5d3f5cab429b13';
/** Breaking changes since the last release that we accept, each with the reason. Emptied by the next release. */
const ACCEPTED: readonly (readonly [change: RegExp, reason: string])[] = [
  [
    / get parameters query .*: minLength changed from none to 1$/,
    'An empty filter returned every object, so a caller acted on those of strangers.',
  ],
  [/^request CreateIntroInstructions\.script: pattern changed/, 'It allows tabs, too.'],
  [/^paths .* headers RateLimit-\w+ was removed$/, 'Every response still has them. The introduction says so once.'],
];

/** A part of a document. */
type Tree = { readonly [key: string]: unknown };

/** The part of JSON Schema that the contract uses. `label` names it in findings, if it is a named schema. */
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
  label?: string;
  [limit: string]: unknown;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

export interface OpenApi extends Tree {
  readonly components: Tree & { readonly schemas: Readonly<Record<string, Schema>> };
}

const json = (value: unknown): string => JSON.stringify(value);
const nameOf = (ref: string): string => ref.split('/').at(-1) ?? '';
const show = (value: unknown): string => (typeof value === 'object' ? json(value) : String(value ?? 'none'));

/** Limits, and keywords of which two different values are not comparable. */
const LIMITS = /^(min|max|pattern$|format$|propertyNames$)/;
/** Parts that a document shares between operations, besides schemas. */
const SHARED = /^#\/components\/(responses|parameters|requestBodies)\//;
/** Parts that no program depends on, and schemas, which are compared where they are used. */
const IGNORED = /^(openapi|info|servers|tags|summary|description|examples?|schemas|\$ref|x-.*)$/;

/** Every shape that a value may have: each choice, type and constant is one. */
function shapesOf(schema: Schema, schemas: OpenApi['components']['schemas']): Schema[] {
  const { $ref, anyOf, oneOf, enum: values, ...base } = schema;
  const each = (parts: readonly Schema[]) => parts.flatMap((part) => shapesOf({ ...base, ...part }, schemas));
  if ($ref !== undefined) {
    const target = schemas[nameOf($ref)];
    if (target === undefined) throw new Error(`${$ref} does not exist`);
    return each([{ ...target, label: nameOf($ref) }]);
  }
  const choices = anyOf ?? oneOf;
  if (choices !== undefined) return each(choices);
  if (values !== undefined) return each(values.map((value) => ({ const: value })));
  if (base.const !== undefined) return [base];
  if (Array.isArray(base.type)) return each(base.type.map((type) => ({ type })));
  return [base.type === 'null' ? { ...base, const: null } : base];
}

const describe = (shape: Schema): string =>
  shape.const === undefined ? `any ${shape.type ?? 'value'}` : json(shape.const);

/** Whether a value of one shape may also have the other, apart from limits and fields. */
function isSameKind(shape: Schema, wider: Schema): boolean {
  if (wider.const !== undefined) return shape.const === wider.const;
  const type = shape.const === undefined ? shape.type : Array.isArray(shape.const) ? 'array' : typeof shape.const;
  return wider.type === undefined || wider.type === type || (wider.type === 'number' && type === 'integer');
}

function isStricter(keyword: string, value: unknown, than: unknown): boolean {
  if (value === undefined || json(value) === json(than)) return false;
  if (than === undefined) return !(keyword.startsWith('min') && value === 0);
  if (typeof value !== 'number' || typeof than !== 'number') return true;
  return keyword.startsWith('min') ? value > than : value < than;
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The document with shared parts in their places, its parameters by name, and the authentication of each operation. */
const normalize = ({
  components: { responses, parameters, requestBodies, ...components },
  ...document
}: OpenApi): OpenApi => {
  const shared: Tree = { responses, parameters, requestBodies };
  return JSON.parse(json({ ...document, components }), (key, value) => {
    const [, section] = SHARED.exec(String(value?.$ref)) ?? [];
    if (section !== undefined) return (shared[section] as Tree)[nameOf(value.$ref)];
    if (key === 'parameters' && Array.isArray(value))
      return Object.fromEntries(value.map((one: Parameter) => [`${one.in} ${one.name}`, withValue(one)]));
    return isTree(value) && 'operationId' in value ? { security: document.security, ...value } : value;
  });
};

/** A single value in a query is also a list of one, and a path never has an empty parameter. */
function withValue({ in: place, schema, ...parameter }: Parameter): Tree {
  const isList = place === 'query' && schema.type === 'array';
  const value = isList ? schema.items : { ...(place === 'path' && { minLength: 1 }), ...schema };
  return { ...parameter, default: schema.default ?? null, schema: value };
}

/** Breaking changes between two versions of the API, one line each. */
export function findBreakingChanges(old: OpenApi, now: OpenApi): string[] {
  function* compareSchemas(before: Schema, after: Schema, isRequest: boolean, at: string): Generator<string> {
    const [olds, news] = [shapesOf(before, old.components.schemas), shapesOf(after, now.components.schemas)];
    const [given, allowed] = isRequest ? [olds, news] : [news, olds];
    const label = (shape: Schema) =>
      shape.label === undefined ? at : `${isRequest ? 'request' : 'response'} ${shape.label}`;
    for (const [i, shape] of given.entries()) {
      const attempts = [...allowed.slice(i, i + 1), ...allowed]
        .filter((wider) => isSameKind(shape, wider))
        .map((wider) => {
          const [from, to] = isRequest ? [shape, wider] : [wider, shape];
          return [...compareShapes(from, to, isRequest, label(from))];
        });
      const [closest] = attempts.sort((a, b) => a.length - b.length);
      yield* closest ?? [`${label(shape)} ${isRequest ? 'no longer' : 'now'} allows ${describe(shape)}`];
    }
    // Callers wait for values, such as a status, so a response may not lose one either.
    for (const shape of isRequest ? [] : olds.filter((one) => (one.const ?? null) !== null))
      if (!news.some((wider) => isSameKind(shape, wider))) yield `${label(shape)} no longer allows ${describe(shape)}`;
  }

  function* compareShapes(before: Schema, after: Schema, isRequest: boolean, at: string): Generator<string> {
    if (before.const !== undefined || after.const !== undefined) return;
    const [given, allowed] = isRequest ? [before, after] : [after, before];
    for (const keyword of Object.keys({ ...before, ...after }).filter((one) => LIMITS.test(one)))
      if (isStricter(keyword, allowed[keyword], given[keyword]))
        yield `${at}: ${keyword} changed from ${show(before[keyword])} to ${show(after[keyword])}`;
    for (const name of allowed.required ?? [])
      if (!given.required?.includes(name)) yield `${at} ${isRequest ? 'now requires' : 'no longer always has'} ${name}`;
    if (isRequest && after.additionalProperties === false && before.additionalProperties !== false)
      yield `${at} now rejects unknown fields`;
    for (const [name, field] of Object.entries(before.properties ?? {})) {
      const same = after.properties?.[name];
      if (same === undefined) yield `${at}.${name} was removed`;
      else yield* compareSchemas(field, same, isRequest, `${at}.${name}`);
    }
    const [map, newMap] = [before.additionalProperties, after.additionalProperties];
    if (typeof map === 'object')
      yield* compareSchemas(map, typeof newMap === 'object' ? newMap : {}, isRequest, `${at}.*`);
    if (before.items) yield* compareSchemas(before.items, after.items ?? {}, isRequest, `${at}[]`);
  }

  /** Everything around schemas: what exists must still exist, and be the same. */
  function* compareParts(before: Tree, after: unknown, isRequest: boolean, at: string): Generator<string> {
    if (!isTree(after)) {
      yield `${at} was removed`;
      return;
    }
    for (const [key, value] of Object.entries(before).filter(([name]) => !IGNORED.test(name))) {
      const [same, place] = [after[key], at === '' ? key : `${at} ${key}`];
      if (isTree(value) && key === 'schema') yield* compareSchemas(value, isTree(same) ? same : {}, isRequest, at);
      // We send the bodies of webhooks.
      else if (isTree(value)) yield* compareParts(value, same, isRequest !== /^(responses|webhooks)$/.test(key), place);
      else if (key === 'required' ? !isRequest && value && !same : json(value) !== json(same))
        yield `${place} changed from ${show(value)} to ${show(same)}`;
    }
    for (const [key, value] of Object.entries(after)) {
      if (isRequest && key === 'required' && value && !before[key]) yield `${at} is now required`;
      if (isRequest && isTree(value) && value.required && before[key] === undefined)
        yield `${at} ${key} is now required`;
    }
  }

  return [...new Set(compareParts(normalize(old), normalize(now), true, ''))];
}

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
  const isAccepted = (change: string) => ACCEPTED.some(([accepted]) => accepted.test(change));
  const stale = ACCEPTED.filter(([accepted]) => !changes.some((change) => accepted.test(change)));
  return [
    ...changes.filter((change) => !isAccepted(change)).map((change) => `breaks callers of ${release}: ${change}`),
    ...stale.map(([accepted]) => `accepted, but there is no such change: ${accepted}`),
  ];
}

if (import.meta.main) {
  const problems = checkCompatibility();
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0) {
    process.stderr.write('Undo the change, or accept it with a reason in scripts/compatibility.ts.\n');
    process.exitCode = 1;
  }
}
