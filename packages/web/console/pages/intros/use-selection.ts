import { useMemo, useRef, useState } from 'react';

interface Row {
  readonly id: string;
}

export interface Selection<R extends Row> {
  /** In the order of the list. Rows that left the list are no longer selected. */
  readonly rows: readonly R[];
  has(id: string): boolean;
  /** With `isRange`, all rows up to the last one that was changed get the same state. */
  toggle(id: string, isRange: boolean): void;
  selectAll(): void;
  clear(): void;
}

const NONE: ReadonlySet<string> = new Set();

/** The rows between two ids, both included, in either direction. */
function idsBetween(rows: readonly Row[], one: string, other: string): readonly string[] {
  const [from, to] = [one, other].map((id) => rows.findIndex((row) => row.id === id)).sort((a, b) => a - b);
  return from === undefined || to === undefined || from < 0 ? [other] : rows.slice(from, to + 1).map(({ id }) => id);
}

export function useSelection<R extends Row>(listed: readonly R[]): Selection<R> {
  const [ids, setIds] = useState(NONE);
  const last = useRef<string | null>(null);
  const rows = useMemo(() => listed.filter(({ id }) => ids.has(id)), [listed, ids]);
  return {
    rows,
    has: (id) => ids.has(id),
    toggle(id, isRange) {
      const changed = isRange && last.current !== null ? idsBetween(listed, last.current, id) : [id];
      const next = new Set(ids);
      for (const one of changed) {
        if (ids.has(id)) next.delete(one);
        else next.add(one);
      }
      last.current = id;
      setIds(next);
    },
    selectAll: () => setIds(new Set(listed.map(({ id }) => id))),
    clear() {
      last.current = null;
      setIds(NONE);
    },
  };
}
