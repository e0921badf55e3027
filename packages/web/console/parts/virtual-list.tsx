import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';

export interface ListProps<Row> {
  label: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  render: (row: Row) => ReactNode;
  /** Estimated height in pixels; the real height is measured. */
  rowHeight?: number;
}

const OVERSCAN_ROWS = 8;

/** Renders only the rows near the viewport. */
export function VirtualList<Row>({ label, rows, keyOf, render, rowHeight = 72 }: ListProps<Row>) {
  const list = useRef<HTMLUListElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const box = list.current?.getBoundingClientRect();
    if (box !== undefined) setTop(box.top + window.scrollY);
  }, []);
  const virtualizer = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN_ROWS,
    scrollMargin: top,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : keyOf(row);
    },
  });
  return (
    <ul ref={list} className="list list-virtual" aria-label={label} style={{ height: virtualizer.getTotalSize() }}>
      {virtualizer.getVirtualItems().map(({ index, key, start }) => {
        const row = rows[index];
        return row === undefined ? null : (
          <li
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            data-key={keyOf(row)}
            className="list-row"
            aria-setsize={rows.length}
            aria-posinset={index + 1}
            style={{ transform: `translateY(${start - top}px)` }}
          >
            {render(row)}
          </li>
        );
      })}
    </ul>
  );
}
