import type { ReactNode } from 'react';
import { List } from '../../parts/list.tsx';
import { EmptyState, ErrorState } from '../../parts/loaded.tsx';
import { Pager } from '../../parts/pager.tsx';
import { FRAME } from '../../texts/common.ts';
import { INTROS } from '../../texts/intro-list.ts';
import type { useLiveList } from './use-live-list.ts';

const ROW_HEIGHT = 68;
const SKELETON_ROWS = 8;

interface RowsProps<R extends { readonly id: string }> {
  list: ReturnType<typeof useLiveList<R>>;
  label: string;
  /** The column headings. */
  names: ReactNode;
  render: (row: R) => ReactNode;
  isFiltered: boolean;
  empty: ReactNode;
}

/** A list in all of its states: loading, failed, empty, and with rows. */
export function Rows<R extends { readonly id: string }>({
  list,
  label,
  names,
  render,
  isFiltered,
  empty,
}: RowsProps<R>) {
  const { query, rows, isSearchingOlder } = list;
  if (rows === undefined) {
    if (!query.isError) return <RowsSkeleton />;
    return <ErrorState error={query.error} retry={() => void query.refetch()} busy={query.isFetching} />;
  }
  if (rows.length === 0 && !isSearchingOlder && !query.hasNextPage) {
    if (!isFiltered) return empty;
    return (
      <EmptyState icon="search" title={INTROS.none}>
        {INTROS.noneLead}
      </EmptyState>
    );
  }
  return (
    <div className={query.isPlaceholderData ? 'intros-list intros-old' : 'intros-list'}>
      {names}
      <List label={label} rows={rows} keyOf={({ id }) => id} render={render} rowHeight={ROW_HEIGHT} />
      {isSearchingOlder && (
        <p className="intros-back" role="status">
          {INTROS.searchingOlder}
        </p>
      )}
      {!isSearchingOlder && <Pager query={query} />}
    </div>
  );
}

/** Lines in the places of the rows. */
export const RowsSkeleton = () => (
  <div className="skeleton intros-skeleton" role="status">
    <span className="sr">{FRAME.loading}</span>
    {Array.from({ length: SKELETON_ROWS }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical.
      <span key={row} className="skeleton-line" />
    ))}
  </div>
);
