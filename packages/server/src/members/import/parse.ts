import { finished } from 'node:stream/promises';
import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import { IMPORT_MAX_LINES, type ImportField } from '@foreword/contract';
import { CsvError, parse } from 'csv-parse';
import { unifyLineEnds } from '../../platform/csv.ts';
import { invalid } from '../../platform/errors.ts';

/** One entry of the file: the trimmed cells of the recognized columns. */
export interface ParsedLine {
  /** Line number in the file, from 1. For an entry with line breaks in its cells, its last line. */
  readonly line: number;
  readonly cells: Readonly<Partial<Record<ImportField, string>>>;
  /** The entry has more cells than the heading line, so its cells may be in the wrong columns. */
  readonly isTooLong: boolean;
}

export interface ParsedFile {
  readonly columns: readonly { readonly heading: string; readonly field: ImportField | null }[];
  readonly lines: readonly ParsedLine[];
}

/** Accepted headings, in lowercase and without spaces or punctuation. */
const SPELLINGS: Readonly<Record<ImportField, readonly string[]>> = {
  first_name: ['firstname', 'first', 'givenname', 'given', 'forename'],
  last_name: ['lastname', 'last', 'surname', 'familyname', 'family'],
  email: ['email', 'emailaddress', 'mail', 'workemail', 'useremail', 'primaryemail'],
  phone: ['phone', 'phonenumber', 'mobile', 'mobilephone', 'mobilenumber', 'cell', 'cellphone', 'telephone', 'tel'],
  external_id: ['externalid', 'extid', 'id', 'employeeid', 'employeenumber', 'repid', 'crmid', 'userid', 'memberid'],
  lanes: ['lanes', 'lane'],
  role: ['role', 'access', 'permission'],
  title: ['title', 'jobtitle', 'position', 'job'],
  title_es: ['titlees', 'titleinspanish', 'spanishtitle', 'jobtitleinspanish'],
};
const FIELD_OF = new Map(
  (Object.entries(SPELLINGS) as [ImportField, readonly string[]][]).flatMap(([field, spellings]) =>
    spellings.map((spelling) => [spelling, field] as const),
  ),
);
const DELIMITERS = [',', ';', '\t'] as const;
/** Twice as many as a wide CRM export has. Each line is searched for every column. */
const MAX_COLUMNS = 500;
/** Longer than a line of that many columns. Also the part of the heading line that is searched for the delimiter. */
const MAX_LINE_CHARACTERS = 100_000;
/**
 * The parser handles a few million characters a second on the thread that serves requests, so it yields after each part. None ends
 * within a character of two code units.
 */
const PART = /.{1,16384}/gsu;
/** Blank lines do not count toward the import limit; parsing stops here so that a file of blank lines cannot keep it busy. */
const MAX_ENTRIES = 5 * IMPORT_MAX_LINES;

const fieldOf = (heading: string): ImportField | null =>
  FIELD_OF.get(heading.toLowerCase().replaceAll(/[^a-z0-9]/g, '')) ?? null;

const countFields = (headings: readonly string[]): number => new Set(headings.map(fieldOf)).size;

interface Entry {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

const OPTIONS = {
  bom: true,
  info: true,
  trim: true,
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  record_delimiter: '\n',
  to: MAX_ENTRIES,
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

async function parseEntries(text: string, delimiter: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  const parser = parse({ ...OPTIONS, delimiter });
  parser.on('data', (entry: Entry) => entries.push(entry));
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
  return entries;
}

/** The delimiter that yields the most recognized headings. */
function findDelimiter(text: string): string {
  const [first = ''] = text
    .replace(/^\uFEFF/, '')
    .trimStart()
    .slice(0, MAX_LINE_CHARACTERS)
    .split('\n', 1);
  const counts = DELIMITERS.map((delimiter) =>
    countFields(first.split(delimiter, MAX_COLUMNS).map((cell) => cell.replaceAll('"', ''))),
  );
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

function readColumns(headings: readonly string[]): ParsedFile['columns'] {
  if (headings.length > MAX_COLUMNS) {
    throw invalid(
      'text',
      `has ${headings.length} columns; the limit is ${MAX_COLUMNS}. Remove the columns you don't need`,
    );
  }
  const columns = headings.map((heading) => ({ heading, field: fieldOf(heading) }));
  for (const [at, { heading, field }] of columns.entries()) {
    const earlier = columns.slice(0, at).find((column) => field !== null && column.field === field);
    if (earlier === undefined) continue;
    throw invalid('text', `has two columns for ${field}: "${earlier.heading}" and "${heading}". Remove one of them`);
  }
  if (columns.some(({ field }) => field === 'email' || field === 'external_id')) return columns;
  throw invalid(
    'text',
    `must start with a heading line that includes email or external_id. Recognized headings: ${Object.keys(SPELLINGS).join(', ')}`,
  );
}

function toLine(
  { record, info }: Entry,
  recognized: readonly (readonly [ImportField, number])[],
  width: number,
): ParsedLine {
  const cells: Partial<Record<ImportField, string>> = {};
  for (const [field, at] of recognized) cells[field] = record[at] ?? '';
  return { line: info.lines, cells, isTooLong: record.slice(width).some((cell) => cell !== '') };
}

/** Reads CSV as spreadsheets export it: separated by commas, semicolons or tabs, quoted or not, with any line ending. */
export async function parseImport(content: string): Promise<ParsedFile> {
  const text = unifyLineEnds(content);
  const [head, ...rest] = await parseEntries(text, findDelimiter(text));
  const columns = readColumns(head?.record ?? []);
  const entries = rest.filter(({ record }) => record.some((cell) => cell !== ''));
  if (entries.length === 0) throw invalid('text', 'has no lines below the headings');
  if (entries.length > IMPORT_MAX_LINES || rest.length + 1 === MAX_ENTRIES) {
    throw invalid('text', `has more than ${IMPORT_MAX_LINES} lines, the most for one import. Split the file`);
  }
  const recognized = columns.flatMap(({ field }, at) => (field === null ? [] : [[field, at] as const]));
  return { columns, lines: entries.map((entry) => toLine(entry, recognized, columns.length)) };
}
