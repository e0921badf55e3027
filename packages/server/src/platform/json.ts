import { iso } from '@foreword/contract';

/** Undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Wire<T> = T extends Date ? string : T;

/** The named fields of a row, as responses have them: times are text. */
export const pick = <Row extends object, Name extends keyof Row>(row: Row, ...names: readonly Name[]) =>
  Object.fromEntries(
    names.map((name) => {
      const value = row[name];
      return [name, value instanceof Date ? iso(value) : value];
    }),
  ) as { readonly [K in Name]: Wire<Row[K]> };
