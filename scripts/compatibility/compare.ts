import { type Alternative, readAlternatives, type Schema, type Schemas } from './schema.ts';

/** Requests may only become wider and responses only narrower, except that responses gain fields. */
export type Direction = 'request' | 'response';

const LOWER = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties'] as const;
const UPPER = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties'] as const;
/** Two different values of these are not comparable. */
const OPAQUE = ['pattern', 'format', 'multipleOf'] as const;
type Limit = (typeof LOWER | typeof UPPER | typeof OPAQUE)[number];

const NUMBER: Limit[] = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum', 'multipleOf', 'format'];
/** A limit says nothing about values of other types. */
const LIMITS: Record<string, readonly Limit[]> = {
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: NUMBER,
  integer: NUMBER,
  array: ['minItems', 'maxItems'],
  object: ['minProperties', 'maxProperties'],
};

const list = (values: Iterable<string>): string => [...values].join(', ');
const without = (values: ReadonlySet<string>, other: ReadonlySet<string> | undefined): string[] =>
  [...values].filter((value) => !other?.has(value));

/** Compares the schemas of two documents. Each finding is one line that names the field and the change. */
export class SchemaComparison {
  readonly #before: Schemas;
  readonly #after: Schemas;

  constructor(before: Schemas, after: Schemas) {
    this.#before = before;
    this.#after = after;
  }

  compare(place: string, before: Schema, after: Schema, direction: Direction): string[] {
    const old = readAlternatives(before, this.#before);
    const current = readAlternatives(after, this.#after);
    const isRequest = direction === 'request';
    // The new request must allow everything that the old one did; the old response everything that the new one does.
    const [inner, outer] = isRequest ? [old, current] : [current, old];
    return inner.flatMap((one) => {
      const same = outer.filter(
        ({ type }) => type === one.type || type === 'any' || (type === 'number' && one.type === 'integer'),
      );
      if (same.length === 0) {
        const name = one.values === undefined ? `the type ${one.type}` : list(one.values);
        return [`${place} ${isRequest ? 'no longer accepts' : 'can now be'} ${name}`];
      }
      const differences = same.map((other) => {
        const [from, to] = isRequest ? [one, other] : [other, one];
        const component = to.component ?? from.component;
        return this.#differences(component === undefined ? place : `${direction} ${component}`, from, to, direction);
      });
      return differences.reduce((best, next) => (next.length < best.length ? next : best));
    });
  }

  #differences(place: string, from: Alternative, to: Alternative, direction: Direction): string[] {
    return [
      ...compareValues(place, from, to, direction),
      ...compareLimits(place, from, to, direction),
      ...(from.type === 'object' && to.type === 'object' ? this.#fields(place, from.schema, to.schema, direction) : []),
      ...this.#optional(`${place}[]`, from.schema.items, to.schema.items, direction),
    ];
  }

  #optional(place: string, before: Schema | undefined, after: Schema | undefined, direction: Direction): string[] {
    return before && after ? this.compare(place, before, after, direction) : [];
  }

  #fields(place: string, before: Schema, after: Schema, direction: Direction): string[] {
    const at = (name: string): string => `${place}.${name}`;
    const isRequest = direction === 'request';
    const [old, current] = [before.properties ?? {}, after.properties ?? {}];
    const findings: string[] = [];
    for (const [name, field] of Object.entries(old)) {
      const now = current[name];
      if (now === undefined) findings.push(`${at(name)} was removed`);
      else findings.push(...this.compare(at(name), field, now, direction));
      const wasRequired = before.required?.includes(name);
      if (!isRequest && now && wasRequired && !after.required?.includes(name))
        findings.push(`${at(name)} is no longer always present`);
    }
    if (isRequest) {
      for (const name of after.required ?? [])
        if (!before.required?.includes(name)) findings.push(`${at(name)} is now required`);
      if (after.additionalProperties === false && before.additionalProperties !== false)
        findings.push(`${place} no longer accepts unknown fields`);
      const [keys, newKeys] = [before, after].map(({ patternProperties }) =>
        list(Object.keys(patternProperties ?? {})),
      );
      if (newKeys !== '' && keys !== newKeys)
        findings.push(`${place} accepts other keys: ${newKeys} instead of ${keys}`);
    }
    return [...findings, ...this.#optional(at('*'), valueSchema(before), valueSchema(after), direction)];
  }
}

/** The schema of a map's values. */
function valueSchema({ additionalProperties, patternProperties }: Schema): Schema | undefined {
  const [value] = Object.values(patternProperties ?? {});
  return value ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
}

function compareValues(place: string, from: Alternative, to: Alternative, direction: Direction): string[] {
  const [old, current] = [from.values, to.values];
  if (direction === 'request') {
    if (current === undefined) return [];
    if (old === undefined) return [`${place} accepts only ${list(current)} now`];
    return without(old, current).map((value) => `${place} no longer accepts ${value}`);
  }
  if (old === undefined) return [];
  if (current === undefined) return [`${place} is no longer limited to ${list(old)}`];
  return [
    ...without(current, old).map((value) => `${place} can now be ${value}`),
    // Callers wait for values, such as a status.
    ...without(old, current).map((value) => `${place} is never ${value} anymore`),
  ];
}

function compareLimits(place: string, from: Alternative, to: Alternative, direction: Direction): string[] {
  const [before, after] = [from.schema, to.schema];
  const [inner, outer] = direction === 'request' ? [before, after] : [after, before];
  // A list of values says it all.
  if ((direction === 'request' ? to : from).values !== undefined) return [];
  const isBroken = (keyword: Limit): boolean => {
    const [narrow, wide] = [inner[keyword], outer[keyword]];
    if (wide === undefined || narrow === wide) return false;
    if (narrow === undefined) return !(/^min[A-Z]/.test(keyword) && wide === 0);
    if (LOWER.some((one) => one === keyword)) return narrow < wide;
    return UPPER.some((one) => one === keyword) ? narrow > wide : true;
  };
  const show = (value: unknown): string => (value === undefined ? 'none' : String(value));
  return (LIMITS[from.type] ?? [])
    .filter(isBroken)
    .map((keyword) => `${place}: ${keyword} changed from ${show(before[keyword])} to ${show(after[keyword])}`);
}
