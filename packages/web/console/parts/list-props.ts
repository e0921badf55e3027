import type { ReactNode } from 'react';

export interface ListProps<Row> {
  label: string;
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  render: (row: Row) => ReactNode;
  /** Estimated height in pixels; the real height is measured. */
  rowHeight?: number;
}
