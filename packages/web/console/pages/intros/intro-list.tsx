import type { ConsoleIntroRow } from '@foreword/contract';
import { type ComponentProps, type KeyboardEvent, type ReactNode, Suspense, useEffect, useState } from 'react';
import { call } from '../../api.ts';
import { lazyComponent } from '../../lazy.ts';
import { LinkButton } from '../../parts/button.tsx';
import { EmptyState } from '../../parts/loaded.tsx';
import type { IntrosSearch } from '../../search-params.ts';
import { INTROS } from '../../texts/intro-list.ts';
import { BulkBar } from './bulk-bar.tsx';
import { IntroColumns } from './columns.tsx';
import { IntroRow } from './intro-row.tsx';
import { Rows } from './rows.tsx';
import { sortOf } from './search.ts';
import { useLiveList } from './use-live-list.ts';
import { useSelection } from './use-selection.ts';

/** Loads once an intro is selected. */
const BulkDialog = lazyComponent(() => import('./bulk-dialog.tsx'), 'BulkDialog');
const NO_ROWS: readonly ConsoleIntroRow[] = [];

const Empty = () => (
  <EmptyState
    icon="video"
    title={INTROS.empty}
    action={
      <LinkButton to="/developers" kind="quiet">
        {INTROS.firstSteps}
      </LinkButton>
    }
  >
    {INTROS.emptyLead}
  </EmptyState>
);

type Bulk = Pick<ComponentProps<typeof BulkDialog>, 'action' | 'ids' | 'selected'>;

/** Not from a dialog: React passes its events to this component as well. */
const isEscapeWithin = ({ key, currentTarget, target }: KeyboardEvent<HTMLElement>): boolean =>
  key === 'Escape' && target instanceof Node && currentTarget.contains(target);

interface IntroListProps {
  search: IntrosSearch;
  /** On wide screens, the actions replace them while intros are selected. */
  tabs: ReactNode;
}

/** The list of intros, and the actions on the selected ones. */
export function IntroList({ search, tabs }: IntroListProps) {
  const { view: _view, sort: _sort, ...filters } = search;
  const sort = sortOf(search);
  const list = useLiveList<ConsoleIntroRow>(
    ['intros', 'list', filters, sort],
    (after, signal) => call('GET /intros', { query: { ...filters, sort, after } }, signal),
    { isNewestFirst: sort === 'created' },
  );
  const rows = list.rows ?? NO_ROWS;
  const selection = useSelection(rows);
  const selected = selection.rows.length;
  const [bulk, setBulk] = useState<Bulk | null>(null);
  const hasSelected = selected > 0;
  useEffect(() => {
    if (hasSelected) void BulkDialog.preload?.();
  }, [hasSelected]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape is a shortcut for the button that clears the selection.
    <div className="intro-list" onKeyDown={(event) => isEscapeWithin(event) && selection.clear()}>
      {tabs}
      {hasSelected && (
        <BulkBar
          selection={selection}
          listed={rows.length}
          onAction={(action, ids) => setBulk({ action, ids, selected: selection.rows })}
        />
      )}
      {/* Stays open when the intros leave the list, as cancelled ones leave that of open ones. */}
      {bulk !== null && (
        <Suspense>
          <BulkDialog
            {...bulk}
            onClose={() => setBulk(null)}
            onFinished={() => {
              setBulk(null);
              selection.clear();
            }}
          />
        </Suspense>
      )}
      <Rows
        list={list}
        label={INTROS.lists[sort]}
        render={(row) => (
          <IntroRow
            row={row}
            selected={selection.has(row.id)}
            onToggle={(isRange) => selection.toggle(row.id, isRange)}
          />
        )}
        names={
          <IntroColumns
            search={search}
            isAllSelected={rows.length > 0 && selected === rows.length}
            onSelectAll={(isSelected) => (isSelected ? selection.selectAll() : selection.clear())}
          />
        }
        isFiltered={Object.keys(filters).length > 0}
        empty={<Empty />}
      />
    </div>
  );
}
