import { withoutDirection } from '@foreword/contract';
import type { Field, Outcome, Shown } from './command.ts';
import { pad, truncate, twoColumns, widthOf } from './layout.ts';

/** A row of a list, as people see it. */
export type Row = Readonly<Record<string, Field>>;

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

type Note = string | ((columns: number) => string);

/** The fields of one object. Long words are not broken, so that links and keys can be copied. */
export const showFields = (json: object, fields: Row, note?: Note): Pick<Outcome, 'json' | 'text'> => ({
  json,
  text(columns) {
    const text = toLines(fields, columns, true);
    if (note === undefined) return text;
    return `${text}\n\n${typeof note === 'string' ? note : note(columns)}`;
  },
});

export const showObject = (shown: Shown, note?: string): Pick<Outcome, 'json' | 'text'> =>
  showFields(shown, shown, note);

type Listed = Pick<Outcome, 'json' | 'text'>;

const listed = (list: readonly object[], hasMore: boolean, text: (columns: number) => string): Listed => ({
  json: { object: 'list', data: list, has_more: hasMore },
  text: (columns) => {
    if (list.length === 0) return 'No results.';
    return hasMore ? `${text(columns)}\n\nThere are more. Use --limit to see up to 100.` : text(columns);
  },
});

/** A table of the columns that people need, which fits the terminal. JSON has the whole objects. */
export const showList = <T extends object>(list: readonly T[], summarize: (item: T) => Row, hasMore = false): Listed =>
  listed(list, hasMore, (columns) => {
    const rows = list.map(summarize);
    return toTable(rows, namesOf(rows[0] ?? {}), columns);
  });

/** For objects with long texts: all fields, one below the other. */
export const showBlocks = (list: readonly Shown[]): Listed => listed(list, false, (columns) => toBlocks(list, columns));

/** A time for people, to the minute. */
export const minuteOf = (at: string | null): string | null => at && `${at.slice(0, 10)} ${at.slice(11, 16)}Z`;
