import type { ReactNode } from 'react';
import { formatNumber, formatShare } from '../format.ts';

export interface Column<Row> {
  readonly name: string;
  readonly render: (row: Row) => ReactNode;
  /** Right-aligned. */
  readonly number?: boolean;
  /** Identifies the row: bold, and first on a phone. */
  readonly main?: boolean;
  /** Contains only buttons; the column name is hidden. */
  readonly tools?: boolean;
}

export interface TableProps<Row> {
  /** For screen readers. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}

/** For up to about a hundred rows; use List for more. On a phone each row becomes a block. */
export const Table = <Row,>({ caption, columns, rows, keyOf }: TableProps<Row>) => (
  <table className="table">
    <caption className="sr">{caption}</caption>
    <thead>
      <tr>
        {columns.map(({ name, number = false, tools = false }) => (
          <th key={name} scope="col" className={number ? 'number' : undefined}>
            {tools ? <span className="sr">{name}</span> : name}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {rows.map((row) => (
        <tr key={keyOf(row)}>
          {columns.map((column) => (
            <Cell key={column.name} column={column} row={row} />
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { name, render, number = false, main = false, tools = false } = column;
  const className = [number && 'number', main && 'cell-main', tools && 'cell-tools'].filter(Boolean).join(' ');
  const Tag = main ? 'th' : 'td';
  return (
    <Tag className={className} {...(main && { scope: 'row' })}>
      {!main && !tools && (
        <span className="cell-name" aria-hidden="true">
          {name}
        </span>
      )}
      <span className="narrow">{render(row)}</span>
    </Tag>
  );
}

/** A number, and its share of another one. */
export const Count = ({ part, whole }: { part: number; whole: number }) => (
  <span className="nowrap">
    {formatNumber(part)} {whole > 0 && <span className="hint">{formatShare(part / whole)}</span>}
  </span>
);
