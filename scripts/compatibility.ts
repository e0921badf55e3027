import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Fails when openapi.json breaks callers of the last release. A document becomes a list of facts about places, such as
 * "request Intro.name allows null". Requests may not lose what they allow or gain what they demand. Responses may not lose what they
 * promise or gain what callers have to expect; but they may gain fields, because we tell callers to ignore unknown ones.
 */

const ROOT = path.join(import.meta.dirname, '..');
/** Until there is a tag of a release. */
const FIRST_BASELINE = '8c4f7da522291b89d75ef4605a5d3f5cab429b13';
const NO_TABS = '^[^\\u0000-\\u0009\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F]*$';
const TABS = NO_TABS.replace('0009', '0008');
/** Breaking changes since the last release that we accept, each with the reason. Emptied by the next release. */
const ACCEPTED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [
      'GET /v1/events: query parameter starting_after',
      'GET /v1/intros: query parameter member',
      'GET /v1/intros: query parameter metadata.*',
      'GET /v1/intros: query parameter starting_after',
      'GET /v1/members: query parameter starting_after',
      'GET /v1/link-domains: query parameter starting_after',
      'GET /v1/webhook_endpoints: query parameter starting_after',
      'GET /v1/webhook_endpoints/{id}/messages: query parameter starting_after',
      'GET /v1/webhook_endpoints/{id}/attempts: query parameter starting_after',
      'GET /v1/webhook_messages/{id}: query parameter endpoint',
    ].map((place) => [
      `${place}: minLength changed from none to 1`,
      'An empty filter returned every object, so a caller acted on those of strangers.',
    ]),
  ),
  [`request CreateIntroInstructions.script: pattern changed from ${NO_TABS} to ${TABS}`]: 'It allows tabs, too.',
};

type Named<T> = Readonly<Record<string, T>>;

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
  [limit: string]: unknown;
}

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

type Direction = 'request' | 'response';

/** Callers break when the fact is lost, when it is gained, or in both cases. */
type Breaks = 'lost' | 'gained' | 'both';

const LIMITS = [
  'minimum',
  'minLength',
  'minItems',
  'minProperties',
  'maximum',
  'maxLength',
  'maxItems',
  'maxProperties',
];
/** Two different values of these are not comparable. */
const OPAQUE = ['pattern', 'format', 'propertyNames'];

const json = (value: unknown): string => JSON.stringify(value);
const nameOf = (ref: string): string => ref.split('/').at(-1) ?? '';

/** The facts of one document, by place. */
class Facts {
  readonly places = new Map<string, Map<string, Breaks>>();
  /** The name of a place in a finding. In a named schema it is the same for all operations that use the schema. */
  readonly labels = new Map<string, string>();
  readonly limits = new Map<string, { place: string; keyword: string; value: unknown; direction: Direction }>();
  readonly #document: OpenApi;

  constructor(document: OpenApi) {
    this.#document = document;
    for (const [name, { description, ...scheme }] of Object.entries(document.components.securitySchemes ?? {}))
      this.#add(`the security scheme ${name}`, `is ${json(scheme)}`, 'lost');
    for (const [name, methods] of Object.entries(document.paths))
      for (const [method, operation] of Object.entries(methods))
        this.#operation(`${method.toUpperCase()} ${name}`, operation, 'request', 'response');
    // We send the bodies of webhooks, and callers respond.
    for (const [name, methods] of Object.entries(document.webhooks ?? {}))
      for (const operation of Object.values(methods))
        this.#operation(`webhook ${name}`, operation, 'response', 'request');
  }

  #add(place: string, fact?: string, breaks: Breaks = 'lost'): void {
    const facts = this.places.get(place) ?? new Map<string, Breaks>();
    this.places.set(place, facts);
    if (fact !== undefined) facts.set(fact, breaks);
  }

  #operation(place: string, operation: Operation, sent: Direction, answered: Direction): void {
    const { operationId, security = this.#document.security, parameters = [], requestBody, responses } = operation;
    // Generated clients name their functions after it.
    this.#add(place, `has the operationId ${operationId}`);
    this.#add(place, `is authenticated with ${json(security)}`);
    for (const one of parameters) this.#parameter(place, one, sent);
    if (requestBody?.required) this.#add(place, 'requires a body', sent === 'request' ? 'gained' : 'lost');
    if (requestBody) this.#content(`${place}: body`, requestBody.content, sent);
    for (const [status, { headers = {}, content }] of Object.entries(responses)) {
      const at = `${place}: response ${status}`;
      this.#add(at);
      for (const header of Object.keys(headers)) this.#add(at, `has the header ${header}`);
      if (content) this.#content(at, content, answered);
    }
  }

  #parameter(place: string, given: Parameter, direction: Direction): void {
    const parameter = this.#document.components.parameters?.[nameOf(given.$ref ?? '')] ?? given;
    const { schema, required = false } = parameter;
    const name = `${parameter.in} parameter ${parameter.name}`;
    const at = `${place}: ${name}`;
    if (required) this.#add(place, `requires the ${name}`, direction === 'request' ? 'gained' : 'lost');
    this.#add(at, `has the default ${schema.default}`);
    // A single value in a query is also a list of one, and a path never has an empty parameter.
    const isList = parameter.in === 'query' && schema.type === 'array';
    const minLength = parameter.in === 'path' ? { minLength: 1 } : {};
    this.#schema(at, { ...minLength, ...(isList ? schema.items : schema) }, direction);
  }

  #content(place: string, content: Content, direction: Direction): void {
    for (const [mediaType, { schema = {} }] of Object.entries(content)) {
      this.#add(place, `has ${mediaType}`);
      this.#schema(place, schema, direction);
    }
  }

  #schema(place: string, schema: Schema, direction: Direction, label = place, names: readonly string[] = []): void {
    const { $ref, anyOf, oneOf, ...base } = schema;
    this.#add(place);
    this.labels.set(place, label);
    if ($ref !== undefined) {
      const name = nameOf($ref);
      const target = this.#document.components.schemas[name];
      if (target === undefined) throw new Error(`${$ref} does not exist`);
      if (!names.includes(name)) this.#schema(place, target, direction, `${direction} ${name}`, [...names, name]);
      return;
    }
    const choices = anyOf ?? oneOf;
    if (choices !== undefined) {
      // Each choice of a `oneOf` requires fields of its own. `anyOf` only adds null, or values to an open list.
      for (const [i, choice] of choices.entries()) {
        const part = oneOf === undefined ? '' : ` (choice ${i + 1})`;
        this.#schema(place + part, { ...base, ...choice }, direction, label + part, names);
      }
      return;
    }
    const inside = (part: string, one: Schema) => this.#schema(place + part, one, direction, label + part, names);
    this.#values(place, base, direction);
    for (const [name, field] of Object.entries(base.properties ?? {})) inside(`.${name}`, field);
    for (const name of base.required ?? []) {
      if (direction === 'request') this.#add(place, `requires ${name}`, 'gained');
      else this.#add(place, `always has ${name}`);
    }
    if (base.additionalProperties === false && direction === 'request')
      this.#add(place, 'rejects unknown fields', 'gained');
    if (typeof base.additionalProperties === 'object') inside('.*', base.additionalProperties);
    if (base.items) inside('[]', base.items);
  }

  #values(place: string, schema: Schema, direction: Direction): void {
    const values = schema.const === undefined ? schema.enum : [schema.const];
    const types = schema.type === undefined ? ['value'] : [schema.type].flat();
    for (const type of values?.map(json) ?? types.map((name) => (name === 'null' ? name : `any ${name}`))) {
      // Callers wait for values, such as a status, so a response may not lose one either.
      const isValue = values !== undefined && type !== 'null';
      this.#add(place, `allows ${type}`, direction === 'request' ? 'lost' : isValue ? 'both' : 'gained');
    }
    if (values !== undefined) return;
    for (const keyword of [...LIMITS, ...OPAQUE].filter((one) => schema[one] !== undefined))
      this.limits.set(`${place}: ${keyword}`, { place, keyword, value: schema[keyword], direction });
  }
}

/** Whether the facts of a place contain this one, or say more. */
function covers(facts: ReadonlyMap<string, Breaks>, fact: string): boolean {
  if (facts.has(fact) || !fact.startsWith('allows ')) return facts.has(fact);
  const value = fact.slice('allows '.length);
  const type =
    { '"': 'string', '{': 'object', '[': 'array' }[value.slice(0, 1)] ?? (/^-?\d/.test(value) ? 'number' : '');
  const wider = ['any value', `any ${type}`, ...(value === 'any integer' ? ['any number'] : [])];
  return wider.some((one) => facts.has(`allows ${one}`));
}

function isStricter(keyword: string, value: unknown, than: unknown): boolean {
  if (value === undefined || json(value) === json(than)) return false;
  if (than === undefined) return !(keyword.startsWith('min') && value === 0);
  if (typeof value !== 'number' || typeof than !== 'number') return true;
  return keyword.startsWith('min') ? value > than : value < than;
}

function compareLimits(before: Facts, after: Facts): string[] {
  return [...new Map([...before.limits, ...after.limits])].flatMap(([key, { place, keyword, direction }]) => {
    if (!before.places.has(place) || !after.places.has(place)) return [];
    const [old, now] = [before.limits.get(key)?.value, after.limits.get(key)?.value];
    const isBroken = direction === 'request' ? isStricter(keyword, now, old) : isStricter(keyword, old, now);
    const show = (value: unknown): string => (typeof value === 'object' ? json(value) : String(value ?? 'none'));
    return isBroken
      ? [`${before.labels.get(place) ?? place}: ${keyword} changed from ${show(old)} to ${show(now)}`]
      : [];
  });
}

/** Breaking changes between two versions of the API, one line each. */
export function findBreakingChanges(old: OpenApi, current: OpenApi): string[] {
  const [before, after] = [new Facts(old), new Facts(current)];
  const findings: string[] = [];
  const removed: string[] = [];
  for (const [place, facts] of before.places) {
    const [now, label] = [after.places.get(place), before.labels.get(place) ?? place];
    if (now === undefined) {
      if (!removed.some((one) => place.startsWith(one))) findings.push(`${label} was removed`);
      removed.push(place);
      continue;
    }
    for (const [fact, breaks] of facts)
      if (breaks !== 'gained' && !covers(now, fact)) findings.push(`${label} no longer ${fact}`);
    for (const [fact, breaks] of now)
      if (breaks !== 'lost' && !covers(facts, fact)) findings.push(`${label} now ${fact}`);
  }
  return [...new Set([...findings, ...compareLimits(before, after)])];
}

const without = (values: readonly string[], other: readonly string[]): string[] =>
  values.filter((value) => !other.includes(value));

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
