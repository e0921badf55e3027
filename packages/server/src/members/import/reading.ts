import { IMPORT_MAX_LINES, type ImportField } from '@foreword/contract';
import { CsvError, parse } from 'csv-parse/sync';
import { invalid } from '../../platform/errors.ts';

/** One line of the file: what stands in the columns that are known, trimmed. */
export interface ReadLine {
  /** In the file, from 1: where the entry ends, if a cell in it holds a line break. */
  readonly line: number;
  readonly cells: Readonly<Partial<Record<ImportField, string>>>;
  /** It has more cells than there are headings: something in it is not where it belongs. */
  readonly isTooLong: boolean;
}

export interface ReadFile {
  readonly columns: readonly { readonly heading: string; readonly field: ImportField | null }[];
  readonly lines: readonly ReadLine[];
}

/** As headings are spelled out there, in small letters without anything else. */
const SPELLINGS: Readonly<Record<ImportField, readonly string[]>> = {
  first_name: ['firstname', 'first', 'givenname', 'given', 'forename'],
  last_name: ['lastname', 'last', 'surname', 'familyname', 'family'],
  email: ['email', 'emailaddress', 'mail', 'workemail', 'useremail', 'primaryemail'],
  phone: ['phone', 'phonenumber', 'mobile', 'mobilephone', 'mobilenumber', 'cell', 'cellphone', 'telephone', 'tel'],
  external_id: ['externalid', 'extid', 'id', 'employeeid', 'employeenumber', 'repid', 'crmid', 'userid', 'memberid'],
  lanes: ['lanes', 'lane'],
  role: ['role', 'access', 'permission'],
  title: ['title', 'jobtitle', 'position', 'job'],
};
const FIELD_OF = new Map(
  (Object.entries(SPELLINGS) as [ImportField, readonly string[]][]).flatMap(([field, spellings]) =>
    spellings.map((spelling) => [spelling, field] as const),
  ),
);
const DELIMITERS = [',', ';', '\t'] as const;
/** A wide export of a CRM has half as many. Each line is looked through for all of them. */
const MOST_COLUMNS = 500;
/** Lines without a word in them are none; where there are this many, nobody reads on to find out. */
const MOST_ENTRIES = 5 * IMPORT_MAX_LINES;

const fieldOf = (heading: string): ImportField | null =>
  FIELD_OF.get(heading.toLowerCase().replaceAll(/[^a-z0-9]/g, '')) ?? null;

const countFields = (headings: readonly string[]): number => new Set(headings.map(fieldOf)).size;

interface Entry {
  readonly record: string[];
  readonly info: { readonly lines: number };
}

/** Also all of them in one file: left to itself, the parser takes the first that it meets for the only one. */
const LINE_ENDS = ['\r\n', '\n', '\r'];

const OPTIONS = {
  bom: true,
  info: true,
  trim: true,
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true,
  to: MOST_ENTRIES,
} as const;

function parseEntries(text: string, delimiter: string): Entry[] {
  try {
    return parse(text, { ...OPTIONS, record_delimiter: LINE_ENDS, delimiter }) as unknown as Entry[];
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const where = typeof error.lines === 'number' ? `from line ${error.lines} on` : 'to its end';
    throw invalid(
      'text',
      `cannot be read ${where}: a quotation mark there is opened and not closed, or the other way round`,
    );
  }
}

/** The one that makes the most of the headings. */
function findDelimiter(text: string): string {
  const [first = ''] = text
    .replace(/^\uFEFF/, '')
    .trimStart()
    .split(/\r\n|\r|\n/, 1);
  const counts = DELIMITERS.map((delimiter) =>
    countFields(first.split(delimiter).map((cell) => cell.replaceAll('"', ''))),
  );
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

function readColumns(headings: readonly string[]): ReadFile['columns'] {
  if (headings.length > MOST_COLUMNS) {
    throw invalid(
      'text',
      `has ${headings.length} columns, and at most ${MOST_COLUMNS} are read. Leave out what is not needed`,
    );
  }
  const columns = headings.map((heading) => ({ heading, field: fieldOf(heading) }));
  for (const [at, { heading, field }] of columns.entries()) {
    const earlier = columns.slice(0, at).find((column) => field !== null && column.field === field);
    if (earlier === undefined) continue;
    throw invalid(
      'text',
      `has two columns for one thing: "${earlier.heading}" and "${heading}". Leave one of them out`,
    );
  }
  if (columns.some(({ field }) => field === 'email' || field === 'external_id')) return columns;
  throw invalid(
    'text',
    `must begin with a line of headings, one of them email or external_id. Read are ${Object.keys(SPELLINGS).join(', ')}`,
  );
}

function toLine({ record, info }: Entry, columns: ReadFile['columns']): ReadLine {
  const cells: Partial<Record<ImportField, string>> = {};
  for (const [at, { field }] of columns.entries()) if (field !== null) cells[field] = record[at] ?? '';
  return { line: info.lines, cells, isTooLong: record.slice(columns.length).some((cell) => cell !== '') };
}

/** What a spreadsheet gives out: commas, semicolons or tabs, quoted or not, from any system. */
export function readImport(text: string): ReadFile {
  const [head, ...rest] = parseEntries(text, findDelimiter(text));
  const columns = readColumns(head?.record ?? []);
  const entries = rest.filter(({ record }) => record.some((cell) => cell !== ''));
  if (entries.length === 0) throw invalid('text', 'has no line below its headings');
  if (entries.length > IMPORT_MAX_LINES || rest.length + 1 === MOST_ENTRIES) {
    throw invalid('text', `has more than ${IMPORT_MAX_LINES} lines, which is how many come at once. Split the file`);
  }
  return { columns, lines: entries.map((entry) => toLine(entry, columns)) };
}
