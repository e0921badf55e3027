import type { TSchema } from 'typebox';

/** The fields that an object schema names. Those of a union are the fields of all its branches. */
export interface Shape {
  /** In the documented order. */
  readonly names: readonly string[];
  property(name: string): TSchema | undefined;
  /** False for a field that only some branches of a union require. */
  requires(name: string): boolean;
}

interface Keywords {
  readonly properties?: Record<string, TSchema>;
  readonly required?: readonly string[];
  readonly anyOf?: readonly TSchema[];
  readonly oneOf?: readonly TSchema[];
}

const shapes = new WeakMap<TSchema, Shape>();

function read(schema: TSchema): Shape {
  const { properties, required = [], anyOf, oneOf } = schema as Keywords;
  const branches = (anyOf ?? oneOf ?? []).map(shapeOf).filter(({ names }) => names.length > 0);
  const names = [...new Set([...Object.keys(properties ?? {}), ...branches.flatMap((branch) => branch.names)])];
  return {
    names,
    property: (name) =>
      properties !== undefined && Object.hasOwn(properties, name)
        ? properties[name]
        : branches.find((branch) => branch.names.includes(name))?.property(name),
    requires: (name) =>
      required.includes(name) || (branches.length > 0 && branches.every((branch) => branch.requires(name))),
  };
}

export function shapeOf(schema: TSchema): Shape {
  const known = shapes.get(schema);
  if (known !== undefined) return known;
  const shape = read(schema);
  shapes.set(schema, shape);
  return shape;
}
