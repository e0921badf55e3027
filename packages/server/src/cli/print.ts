import type { Fact, Outcome, Shown } from './command.ts';

const inWords = (fact: Fact | undefined): string => {
  if (fact === null || fact === undefined || fact === '') return '-';
  if (Array.isArray(fact)) return fact.length === 0 ? '-' : fact.join(', ');
  return String(fact);
};

// `object` is for programs: a person has just asked for it.
const namesOf = (shown: Shown): string[] => Object.keys(shown).filter((name) => name !== 'object');

const widest = (texts: readonly string[]): number => Math.max(0, ...texts.map((text) => text.length));

function toLines(shown: Shown): string {
  const names = namesOf(shown);
  const width = widest(names) + 2;
  return names.map((name) => `${`${name}:`.padEnd(width)}${inWords(shown[name])}`).join('\n');
}

function toTable(list: readonly Shown[], names: readonly string[], columns: number): string {
  const rows = [names, ...list.map((shown) => names.map((name) => inWords(shown[name])))];
  const widths = names.map((_, column) => widest(rows.map((row) => row[column] ?? '')));
  // Wrapped by the terminal, a table is worse than no table.
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
  text: (columns) => (list[0] === undefined ? 'None yet.' : toTable(list, namesOf(list[0]), columns)),
});
