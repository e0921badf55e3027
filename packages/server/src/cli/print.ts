import type { Field, Outcome, Shown } from './command.ts';

const format = (field: Field | undefined): string => {
  if (field === null || field === undefined || field === '') return '-';
  if (Array.isArray(field)) return field.length === 0 ? '-' : field.join(', ');
  return String(field);
};

// `object` is only useful in JSON.
const namesOf = (shown: Shown): string[] => Object.keys(shown).filter((name) => name !== 'object');

const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => text.length));

function toLines(shown: Shown): string {
  const names = namesOf(shown);
  const width = widest(names) + 2;
  return names.map((name) => `${`${name}:`.padEnd(width)}${format(shown[name])}`).join('\n');
}

function toTable(list: readonly Shown[], names: readonly string[], columns: number): string {
  const rows = [names, ...list.map((shown) => names.map((name) => format(shown[name])))];
  const widths = names.map((_, column) => widest(rows.map((row) => row[column] ?? '')));
  // A table that the terminal would wrap is hard to read.
  if (widths.reduce((sum, width) => sum + width + 2, 0) > columns) return list.map(toLines).join('\n\n');
  return rows
    .map((row) =>
      row
        .map((text, column) => text.padEnd((widths[column] ?? 0) + 2))
        .join('')
        .trimEnd(),
    )
    .join('\n');
}

export const showObject = (shown: Shown, note?: string): Pick<Outcome, 'json' | 'text'> => ({
  json: shown,
  text: note === undefined ? toLines(shown) : `${toLines(shown)}\n\n${note}`,
});

export const showList = (list: readonly Shown[]): Pick<Outcome, 'json' | 'text'> => ({
  json: { object: 'list', data: list, has_more: false },
  text: (columns) => (list[0] === undefined ? 'No results.' : toTable(list, namesOf(list[0]), columns)),
});
