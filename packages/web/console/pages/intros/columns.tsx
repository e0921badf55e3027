import type { IntroSort } from '@foreword/contract';
import { Link } from '@tanstack/react-router';
import { Icon } from '../../parts/icon.tsx';
import type { IntrosSearch } from '../../search-params.ts';
import { INTROS } from '../../texts/intro-list.ts';
import { sortOf, withChange } from './search.ts';

interface SortLinkProps {
  search: IntrosSearch;
  sort: IntroSort;
  name: string;
}

function SortLink({ search, sort, name }: SortLinkProps) {
  const isCurrent = sortOf(search) === sort;
  return (
    <Link
      to="/intros"
      search={withChange(search, { sort: sort === 'created' ? undefined : sort })}
      replace
      resetScroll={false}
      className="intro-sort"
      // Without `exact`, the default order would also be current for each other one.
      activeOptions={{ exact: true, includeSearch: true }}
      activeProps={{ 'aria-current': 'true' }}
    >
      <span className="sr">{INTROS.sort}</span> {name}
      {isCurrent && <Icon name={sort === 'created' ? 'down' : 'up'} />}
    </Link>
  );
}

interface ColumnsProps {
  search: IntrosSearch;
  /** Whether all loaded rows are selected. */
  isAllSelected: boolean;
  onSelectAll: (selected: boolean) => void;
}

/** Column headings on wide screens, with the orders of the list. On phones the filters contain them. */
export const IntroColumns = ({ search, isAllSelected, onSelectAll }: ColumnsProps) => (
  <div className="intro-item intro-columns-row">
    <label className="intro-select">
      <input
        type="checkbox"
        aria-label={INTROS.selectAll}
        checked={isAllSelected}
        onChange={(event) => onSelectAll(event.currentTarget.checked)}
      />
    </label>
    <div className="intro-row intros-columns">
      <span />
      <span aria-hidden="true">{INTROS.columns.recipient}</span>
      <span aria-hidden="true">{INTROS.columns.touchpoint}</span>
      <SortLink search={search} sort="due" name={INTROS.columns.due} />
      <SortLink search={search} sort="created" name={INTROS.columns.createdAt} />
      <SortLink search={search} sort="status" name={INTROS.columns.status} />
    </div>
  </div>
);
