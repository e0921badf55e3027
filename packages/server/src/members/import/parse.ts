import { IMPORT_MAX_LINES, type ImportField } from '@foreword/contract';
import { type CsvLine, MAX_LINE_CHARACTERS, readCsv } from '../../platform/csv.ts';
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
/** Blank lines do not count toward the import limit; parsing stops here so that a file of blank lines cannot keep it busy. */
const MAX_ENTRIES = 5 * IMPORT_MAX_LINES;

const fieldOf = (heading: string): ImportField | null =>
  FIELD_OF.get(heading.toLowerCase().replaceAll(/[^a-z0-9]/g, '')) ?? null;

const countFields = (headings: readonly string[]): number => new Set(headings.map(fieldOf)).size;

/** The delimiter that yields the most recognized headings. */
function findDelimiter(text: string): string {
  const [first = ''] = text
    .replace(/^\uFEFF/, '')
    .trimStart()
    .slice(0, MAX_LINE_CHARACTERS)
    .split(/[\r\n]/, 1);
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
  { record, info }: CsvLine,
  recognized: readonly (readonly [ImportField, number])[],
  width: number,
): ParsedLine {
  const cells: Partial<Record<ImportField, string>> = {};
  for (const [field, at] of recognized) cells[field] = record[at] ?? '';
  return { line: info.lines, cells, isTooLong: record.slice(width).some((cell) => cell !== '') };
}

/** Reads CSV as spreadsheets export it: separated by commas, semicolons or tabs, quoted or not, with any line ending. */
export async function parseImport(text: string): Promise<ParsedFile> {
  const [head, ...rest] = await readCsv(text, { delimiter: findDelimiter(text), maxLines: MAX_ENTRIES });
  const columns = readColumns(head?.record ?? []);
  const entries = rest.filter(({ record }) => record.some((cell) => cell !== ''));
  if (entries.length === 0) throw invalid('text', 'has no lines below the headings');
  if (entries.length > IMPORT_MAX_LINES || rest.length + 1 === MAX_ENTRIES) {
    throw invalid('text', `has more than ${IMPORT_MAX_LINES} lines, the most for one import. Split the file`);
  }
  const recognized = columns.flatMap(({ field }, at) => (field === null ? [] : [[field, at] as const]));
  return { columns, lines: entries.map((entry) => toLine(entry, recognized, columns.length)) };
}
