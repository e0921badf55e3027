import { MAX_PAGE_SIZE, withoutDirection } from '@foreword/contract';

/** Width of help, and of lists when the output is not a terminal. */
export const DEFAULT_COLUMNS = 100;

/** A narrower terminal wraps the lines itself. */
const MIN_COLUMNS = 20;

/** Code points. East Asian characters and most emoji take more columns, which only shifts the rest of their line. */
const widthOf = (text: string): number => [...text].length;

const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

const splitAt = (text: string, width: number): [string, string] => {
  const characters = [...text];
  return [characters.slice(0, width).join(''), characters.slice(width).join('')];
};

export const truncate = (text: string, width: number): string =>
  widthOf(text) <= width ? text : `${splitAt(text, width - 1)[0].trimEnd()}…`;

/** Breaks lines at spaces. Words longer than a line are broken anywhere, or kept whole so that they can be copied. */
export function wrap(text: string, width: number, keepsWords = false): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    let rest = word;
    if (line !== '' && widthOf(line) + 1 + widthOf(rest) <= width) {
      line += ` ${rest}`;
      continue;
    }
    if (line !== '') lines.push(line);
    while (!keepsWords && widthOf(rest) > width) {
      const [start, remainder] = splitAt(rest, width);
      lines.push(start);
      rest = remainder;
    }
    line = rest;
  }
  return line === '' && lines.length > 0 ? lines : [...lines, line];
}

/** Two columns: the texts on the right are wrapped and stay to the right of the names. */
export function twoColumns(
  rows: readonly (readonly [string, string])[],
  {
    indent = 0,
    left = 0,
    columns,
    keepsWords,
  }: { indent?: number; left?: number; columns: number; keepsWords?: boolean },
): string {
  // A name longer than `left` gets its own line.
  const longest = Math.max(0, ...rows.map(([name]) => widthOf(name)));
  const start = indent + (left === 0 ? longest : Math.min(longest, left)) + 2;
  return rows
    .map(([name, text]) => {
      const lines = wrap(text, Math.max(MIN_COLUMNS, columns - start), keepsWords);
      const first = ' '.repeat(indent) + name;
      const rest = lines.map((line) => `${' '.repeat(start)}${line}`);
      if (widthOf(first) + 2 > start) return [first, ...rest].join('\n');
      return [`${pad(first, start)}${lines[0]}`, ...rest.slice(1)].join('\n').trimEnd();
    })
    .join('\n');
}

type Field = string | number | boolean | null | readonly string[];
/** An object, as people see it. */
type Row = Readonly<Record<string, Field>>;
type Text = string | ((columns: number) => string);

/** The result of a command. */
export interface Outcome {
  /** The JSON document. Undefined: the command has written its output itself. */
  readonly json: unknown;
  /** The same as text, possibly laid out for the width of the terminal. */
  readonly text: Text;
  /** Default: 0. */
  readonly exitCode?: number;
  /** Printed to stderr in addition to the result. */
  readonly complaint?: string | undefined;
}

const format = (field: Field | undefined): string => {
  if (field === null || field === undefined || field === '') return '-';
  if (Array.isArray(field)) return field.length === 0 ? '-' : field.join(', ');
  return withoutDirection(String(field)).replaceAll(/\s+/g, ' ');
};

// `object` is only useful in JSON.
const namesOf = (shown: Row): string[] => Object.keys(shown).filter((name) => name !== 'object');

/** Values that people copy into the next command. A truncated one would be useless. */
const COPIED = new Set(['id', 'slug', 'intro', 'ending']);
/** A column narrower than this says too little. */
const MIN_COLUMN = 10;
const GAP = 2;

/** Truncates the widest columns until the row fits. Null: it cannot fit. */
function fit(names: readonly string[], natural: readonly number[], columns: number): number[] | null {
  const widths = [...natural];
  let excess = widths.reduce((sum, width) => sum + width + GAP, -GAP) - columns;
  while (excess > 0) {
    const candidates = names.flatMap((name, at) => (COPIED.has(name) || (widths[at] ?? 0) <= MIN_COLUMN ? [] : [at]));
    const [first, ...others] = candidates;
    if (first === undefined) return null;
    const widest = others.reduce((best, at) => ((widths[at] ?? 0) > (widths[best] ?? 0) ? at : best), first);
    widths[widest] = (widths[widest] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}

const toLines = (row: Row, columns: number, keepsWords = false): string =>
  twoColumns(
    namesOf(row).map((name) => [`${name}:`, format(row[name])]),
    { columns, keepsWords },
  );

function toTable(list: readonly Row[], names: readonly string[], columns: number): string {
  const rows = [names, ...list.map((row) => names.map((name) => format(row[name])))];
  const natural = names.map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ''))));
  const widths = fit(names, natural, columns);
  if (widths === null) return toBlocks(list, columns);
  return rows
    .map((row) =>
      row
        .map((text, column) => pad(truncate(text, widths[column] ?? 0), (widths[column] ?? 0) + GAP))
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

const toBlocks = (list: readonly Row[], columns: number): string =>
  list.map((row) => toLines(row, columns)).join('\n\n');

/** The fields of one object. Long words are not broken, so that links and keys can be copied. */
export const showFields = (json: object, fields: object, note?: Text): Outcome => ({
  json,
  text(columns) {
    const text = toLines(fields as Row, columns, true);
    const more = typeof note === 'function' ? note(columns) : note;
    return more ? `${text}\n\n${more}` : text;
  },
});

/** All fields of an object that has no objects in it. */
export const showObject = (object: object): Outcome => showFields(object, object);

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isTime = (name: string, value: unknown): value is string =>
  typeof value === 'string' && /(^|_)(at|now)$/.test(name);

const fullNameOf = ({ first_name: first, last_name: last }: Json): string =>
  [first, last].filter((part) => typeof part === 'string').join(' ');

/** A person by name and id, an error by code and message, and a time to the minute. Undefined: an object with fields of its own. */
function summarize(name: string, value: unknown): Field | undefined {
  if (isTime(name, value)) return minuteOf(value);
  if (!isObject(value)) return (Array.isArray(value) ? value.filter((item) => !isObject(item)) : value) as Field;
  const { id, code, message, first_name: first } = value;
  if (typeof code === 'string' && typeof message === 'string') return `${code}: ${message}`;
  if (typeof first !== 'string') return undefined;
  const fullName = fullNameOf(value);
  const which = id ?? value.phone;
  return which === undefined ? fullName : `${fullName} (${which})`;
}

/** The fields that have a value, those of inner objects included. */
function flatten(object: Json, prefix = ''): Row {
  const entries = Object.entries(object).flatMap(([name, value]): [string, Field][] => {
    if (name === 'object' || name === 'environment' || value === null) return [];
    const field = summarize(name, value);
    if (field !== undefined) return [[prefix + name, field]];
    return Object.entries(flatten(value as Json, `${prefix}${name}.`));
  });
  return Object.fromEntries(entries);
}

const isListOfObjects = (value: unknown): value is readonly Json[] =>
  Array.isArray(value) && value.length > 0 && value.every(isObject);

/** An object of the API: the fields that have a value, and a table for each list of objects in it. */
export function showAll(object: object, note?: string): Outcome {
  const lists = Object.entries(object).filter(([, value]) => isListOfObjects(value)) as [string, readonly Json[]][];
  const names = new Set(lists.map(([name]) => name));
  const rest = Object.fromEntries(Object.entries(object).filter(([name]) => !names.has(name)));
  return showFields(object, flatten(rest), (columns) =>
    [
      ...lists.map(([name, list]) => {
        const rows = list.map((item) => flatten(item));
        const all = [...new Set(rows.flatMap((row) => Object.keys(row)))];
        return `${name}:\n${toTable(rows, all, columns)}`;
      }),
      ...(note === undefined ? [] : [note]),
    ].join('\n\n'),
  );
}

interface List<T> {
  readonly data: readonly T[];
  readonly has_more?: boolean;
}

function listed<T>({ data, has_more = false }: List<T>, toText: (columns: number) => string, others?: string): Outcome {
  const last = data.at(-1) as { readonly id?: string } | undefined;
  const isLongest = data.length >= MAX_PAGE_SIZE;
  const afterLongest = others ?? `Use --starting-after ${last?.id} to see the next ones.`;
  const hint = isLongest ? afterLongest : `Use --limit to see up to ${MAX_PAGE_SIZE}.`;
  const more = has_more ? `\n\nThere are more. ${hint}` : '';
  return {
    json: { object: 'list', data, has_more },
    text: (columns) => (data.length === 0 ? 'No results.' : toText(columns) + more),
  };
}

/** A field, or a title with the value below it. */
type Column<T> = (keyof T & string) | readonly [title: string, valueOf: (item: T) => Field];

/** A column has no room for more of a person than the name. */
const cellOf = (name: string, value: unknown): Field =>
  isObject(value) && typeof value.first_name === 'string' ? fullNameOf(value) : (summarize(name, value) ?? null);

/**
 * A table of the columns that people need, which fits the terminal. JSON has the whole objects. `others`: how to see more than the
 * longest list, if not by the id of its last object.
 */
export function showList<T extends object>(list: List<T>, columns: readonly Column<T>[], others?: string): Outcome {
  const toRow = (item: T): Row =>
    Object.fromEntries(
      columns.map((column) =>
        typeof column === 'string' ? [column, cellOf(column, item[column] ?? null)] : [column[0], column[1](item)],
      ),
    );
  const toText = (width: number) => {
    const rows = list.data.map(toRow);
    return toTable(rows, namesOf(rows[0] ?? {}), width);
  };
  return listed(list, toText, others);
}

/** For objects with long texts: all fields, one below the other. */
export const showBlocks = (data: readonly object[]): Outcome =>
  listed({ data }, (columns) => toBlocks(data as readonly Row[], columns));

/** A time for people, to the minute. */
export const minuteOf = (at: string | null): string | null => at && `${at.slice(0, 10)} ${at.slice(11, 16)}Z`;
