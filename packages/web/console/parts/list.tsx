import { type ReactNode, Suspense } from 'react';
import { lazyComponent } from '../lazy.ts';
import type { ListProps } from './list-props.ts';

/** Shorter lists render all rows, so that the browser's search finds them. */
const VIRTUAL_FROM = 80;

/** Most lists are short, so the script for long ones loads separately. */
const VirtualList = lazyComponent(() => import('./virtual-list.tsx'), 'VirtualList') as <Row>(
  props: ListProps<Row>,
) => ReactNode;

const PlainList = <Row,>({ label, rows, keyOf, render }: ListProps<Row>) => (
  <ul className="list" aria-label={label}>
    {rows.map((row) => (
      <li key={keyOf(row)} data-key={keyOf(row)} className="list-row">
        {render(row)}
      </li>
    ))}
  </ul>
);

/** A list of any length: long lists render only the rows near the viewport. */
export const List = <Row,>(props: ListProps<Row>) =>
  props.rows.length < VIRTUAL_FROM ? (
    <PlainList {...props} />
  ) : (
    <Suspense fallback={<PlainList {...props} rows={props.rows.slice(0, VIRTUAL_FROM)} />}>
      <VirtualList {...props} />
    </Suspense>
  );
