import { TransferError } from './error.ts';

export type Row = Readonly<Record<string, unknown>>;

/** Numbers keep the text they were written with. JavaScript's own type definitions do not know this yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
type SourceReviver = (key: string, value: unknown, context: { readonly source: string }) => unknown;
const keepNumbers: SourceReviver = (_key, value, { source }) => (typeof value === 'number' ? rawJSON(source) : value);

/** The line with other values of some columns. Everything else stays the same to the digit, such as `1.0` in metadata. */
export const changeLine = (line: string, changes: Row): string =>
  JSON.stringify({ ...JSON.parse(line, keepNumbers as (key: string, value: unknown) => unknown), ...changes });

/** PostgreSQL returns columns of type json as they were stored, possibly with line breaks between values. */
export const toLine = (json: string): string => json.replaceAll(/[\r\n]+/g, ' ');

export function parseLine(path: string, line: string): Row {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new TransferError(`${path} has a line that is not JSON`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new TransferError(`${path} has a line that is not an object`);
  }
  return value as Row;
}

export function splitLines(path: string, content: Buffer): string[] {
  const text = content.toString('utf8');
  if (!text.endsWith('\n')) throw new TransferError(`${path} has an incomplete line`);
  return text.slice(0, -1).split('\n');
}
