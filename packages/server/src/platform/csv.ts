import { withoutDirection } from '@foreword/contract';
import { CsvError, parse } from 'csv-parse/sync';
import { invalid } from './errors.ts';

/** Spreadsheets treat a cell that starts with one of these as a formula, which could leak the sheet's data. */
const FORMULA = /^[=+\-@\t\r]/;
/** Numbers and phone numbers cannot call a function. */
const HARMLESS = /^[+-]?\d+(\.\d+)?$/;

export type CsvValue = string | number | Date | null;

function writeCell(value: CsvValue): string {
  if (value === null) return '';
  const text = value instanceof Date ? value.toISOString() : withoutDirection(String(value));
  const safe = FORMULA.test(text) && !HARMLESS.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One line of RFC 4180, with formulas defused. */
const writeLine = (values: readonly CsvValue[]): string => `${values.map(writeCell).join(',')}\r\n`;

/** Excel needs it to read the file as UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';

export type CsvColumns<Row> = readonly (readonly [name: string, read: (row: Row) => CsvValue])[];

/** A file with a heading line, one chunk per page of rows. */
export async function* writeCsv<Row>(
  columns: CsvColumns<Row>,
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  yield BYTE_ORDER_MARK + writeLine(columns.map(([name]) => name));
  for await (const rows of pages) {
    yield rows.map((row) => writeLine(columns.map(([, read]) => read(row)))).join('');
  }
}

interface CsvLine {
  readonly record: readonly string[];
  /** `lines`: its number in the file, from 1. With line breaks in its cells, the last one. */
  readonly info: { readonly lines: number };
}

/** One file may have the line ends of several systems, and the parser counts a CRLF in a cell as two lines. */
export const unifyLineEnds = (text: string): string => text.replaceAll(/\r\n?/g, '\n');

/** The trimmed cells of a short file, without empty lines. The first comma, semicolon or tab outside quotation marks delimits them. */
export function readCsv(text: string): CsvLine[] {
  try {
    const [, delimiter = ','] = /^(?:"[^"]*"|[^",;\t])*([,;\t])/.exec(text) ?? [];
    return parse(unifyLineEnds(text), {
      bom: true,
      info: true,
      trim: true,
      delimiter,
      record_delimiter: '\n',
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
    }) as unknown as CsvLine[];
  } catch (error) {
    if (error instanceof CsvError) throw invalid('text', `can't be read: ${error.message}`);
    throw error;
  }
}
