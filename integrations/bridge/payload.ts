import { RequestError } from './recipe.ts';

// Reads JSON that someone else wrote. Nothing here throws on unexpected types, except where the name says so.

export type JsonObject = { readonly [name: string]: unknown };

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a dotted path; undefined if anything on the way is missing. Reads own properties only. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split('.')) {
    if (!isObject(found) || !Object.hasOwn(found, name)) return undefined;
    found = found[name];
  }
  return found;
}

/** A text that is not empty, trimmed, or a number as text, because some CRMs send ids as numbers. */
export function textAt(value: unknown, path: string): string | undefined {
  const found = valueAt(value, path);
  if (typeof found === 'number' && Number.isFinite(found)) return String(found);
  if (typeof found !== 'string') return undefined;
  const trimmed = found.trim();
  return trimmed === '' ? undefined : trimmed;
}

/** The array at a path; empty if there is none. */
export function listAt(value: unknown, path: string): readonly unknown[] {
  const found = valueAt(value, path);
  return Array.isArray(found) ? found : [];
}

/** Parses the body of a CRM's request. Throws a `RequestError` with 400 if it is not JSON. */
export function parseJson(rawBody: string): unknown {
  try {
    return JSON.parse(rawBody);
  } catch {
    throw new RequestError(400, 'the body is not JSON');
  }
}

/** Like `textAt`, for a field without which a webhook means nothing. Throws a `RequestError` with 400. */
export function requiredText(value: unknown, path: string): string {
  const found = textAt(value, path);
  if (found === undefined) throw new RequestError(400, `${path} is missing`);
  return found;
}

/** Looks a name up in a mapping, regardless of case and surrounding spaces. */
export function lookUp<Value>(table: Readonly<Record<string, Value>>, name: string | undefined): Value | undefined {
  const wanted = name?.trim().toLowerCase();
  return Object.entries(table).find(([key]) => key.trim().toLowerCase() === wanted)?.[1];
}

/** Whether a name is in a list, regardless of case and surrounding spaces. */
export const isListed = (names: readonly string[], name: string | undefined): boolean =>
  names.some((listed) => listed.trim().toLowerCase() === name?.trim().toLowerCase());

/** An instant as `2030-03-12T14:30:00.000Z`; undefined if the text has no offset or is not a time. */
export function toInstant(text: string | undefined): string | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\dT.*(?:Z|[+-]\d\d(?::?\d\d)?)$/i.test(text)) return undefined;
  const time = Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2').replace(/([+-]\d\d)$/, '$1:00'));
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** An instant from Unix time in seconds or milliseconds. */
export function fromUnixTime(value: unknown): string | undefined {
  const time = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof time !== 'number' || !Number.isFinite(time) || time <= 0 || time > 8.64e15) return undefined;
  return new Date(time < 1e11 ? time * 1000 : time).toISOString();
}
