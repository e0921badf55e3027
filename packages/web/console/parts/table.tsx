import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly name: string;
  readonly render: (row: Row) => ReactNode;
  /** Numbers stand to the right. */
  readonly number?: boolean;
  /** Says which row this is: in bold, first on a phone. */
  readonly main?: boolean;
  /** Only its buttons: its name is not shown. */
  readonly tools?: boolean;
}

interface TableProps<Row> {
  /** What the table holds, for those who hear it. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
}

/** Up to a hundred or so rows; more of them are a VirtualList. On a phone each row is a block of lines. */
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
  const look = [number && 'number', main && 'cell-main', tools && 'cell-tools'].filter(Boolean).join(' ');
  const Tag = main ? 'th' : 'td';
  return (
    <Tag className={look} {...(main && { scope: 'row' })}>
      {!main && !tools && (
        <span className="cell-name" aria-hidden="true">
          {name}
        </span>
      )}
      <span className="cell-value">{render(row)}</span>
    </Tag>
  );
}
