/** The closest name, unless more than a third of it would have to change. */
export function nearest(written: string, names: readonly string[]): string | undefined {
  const [closest] = names
    .filter((name) => Math.abs(written.length - name.length) <= name.length / 3)
    .map((name) => ({ name, distance: editDistance(written, name) }))
    .filter(({ name, distance }) => distance <= name.length / 3)
    .sort((a, b) => a.distance - b.distance);
  return closest?.name;
}

/** How many letters have to be added, removed, replaced or swapped with the next one. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : changed;
      next.push(Math.min(changed, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
