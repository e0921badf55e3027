import { finished } from 'node:stream/promises';
import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import { withoutDirection } from '@foreword/contract';
import { CsvError, parse } from 'csv-parse';
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

export interface CsvLine {
  readonly record: readonly string[];
  /** `lines`: its number in the file, from 1. With line breaks in its cells, the last one. */
  readonly info: { readonly lines: number };
}

/** Longer than a line of hundreds of columns. */
export const MAX_LINE_CHARACTERS = 100_000;
/**
 * The parser handles a few million characters a second on the thread that serves requests, so it yields after each part. None ends
 * within a character of two code units.
 */
const PART = /.{1,16384}/gsu;

const OPTIONS = {
  bom: true,
  info: true,
  trim: true,
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  record_delimiter: '\n',
  max_record_size: MAX_LINE_CHARACTERS,
} as const;

const LONG_LINE = `a line has more than ${MAX_LINE_CHARACTERS} characters, or a quotation mark is not closed`;

function explain(error: unknown): unknown {
  if (!(error instanceof CsvError)) return error;
  const line = typeof error.lines === 'number' ? ` from line ${error.lines}` : '';
  const reason =
    error.code === 'CSV_MAX_RECORD_SIZE' ? LONG_LINE : 'a quotation mark there is not closed or not opened';
  return invalid('text', `can't be read${line}: ${reason}`);
}

/** The trimmed cells of up to `maxLines` lines, without empty ones. */
export async function readCsv(
  file: string,
  { delimiter, maxLines }: { readonly delimiter: string; readonly maxLines: number },
): Promise<CsvLine[]> {
  // One file may have the line ends of several systems, and the parser counts a CRLF in a cell as two lines.
  const text = file.replaceAll(/\r\n?/g, '\n');
  const lines: CsvLine[] = [];
  const parser = parse({ ...OPTIONS, delimiter, to: maxLines });
  parser.on('data', (line: CsvLine) => lines.push(line));
  const ended = finished(parser);
  ended.catch(() => undefined);
  let lineLength = 0;
  for (const [part] of text.matchAll(PART)) {
    if (parser.destroyed || parser.readableEnded) break;
    const lineEnd = part.lastIndexOf('\n');
    lineLength = lineEnd < 0 ? lineLength + part.length : part.length - lineEnd - 1;
    // The parser's own limit does not count delimiters, and completing a line of a million empty cells blocks other requests.
    if (lineLength > MAX_LINE_CHARACTERS) {
      parser.destroy();
      throw invalid('text', `can't be read: ${LONG_LINE}`);
    }
    parser.write(part);
    await nextLoopTurn();
  }
  parser.end();
  try {
    await ended;
  } catch (error) {
    throw explain(error);
  }
  return lines;
}
