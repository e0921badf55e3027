/** Part of a text; `changed` if the other text does not have it. */
export interface DiffPart {
  readonly text: string;
  readonly changed: boolean;
}

const wordsOf = (text: string): string[] => text.match(/\s+|[^\s]+/g) ?? [];

/** The length of the longest common subsequence from each pair of positions to the end. */
function commonLengths(before: readonly string[], after: readonly string[]): Uint16Array[] {
  const lengths = Array.from({ length: before.length + 1 }, () => new Uint16Array(after.length + 1));
  const at = (row: number, column: number): number => lengths[row]?.[column] ?? 0;
  for (let row = before.length - 1; row >= 0; row--) {
    for (let column = after.length - 1; column >= 0; column--) {
      const length =
        before[row] === after[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
      lengths[row]?.fill(length, column, column + 1);
    }
  }
  return lengths;
}

function add(parts: { text: string; changed: boolean }[], text: string, changed: boolean): void {
  const last = parts.at(-1);
  if (last?.changed === changed) last.text += text;
  else parts.push({ text, changed });
}

/** Compares two scripts word by word. */
export function diffWords(before: string, after: string): { before: DiffPart[]; after: DiffPart[] } {
  const [old, next] = [wordsOf(before), wordsOf(after)];
  const lengths = commonLengths(old, next);
  const parts = { before: [] as DiffPart[], after: [] as DiffPart[] };
  let [row, column] = [0, 0];
  while (row < old.length || column < next.length) {
    const [word, other] = [old[row], next[column]];
    if (word !== undefined && word === other) {
      add(parts.before, word, false);
      add(parts.after, word, false);
      row++;
      column++;
    } else if (
      other === undefined ||
      (word !== undefined && (lengths[row + 1]?.[column] ?? 0) >= (lengths[row]?.[column + 1] ?? 0))
    ) {
      add(parts.before, word ?? '', true);
      row++;
    } else {
      add(parts.after, other, true);
      column++;
    }
  }
  return parts;
}
