import type { ConsoleEventRow, ConsoleIntroRow } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../../api.ts';
import { LinkButton } from '../../parts/button.tsx';
import { Segmented } from '../../parts/choices.tsx';
import { List } from '../../parts/list.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../parts/loaded.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Pager } from '../../parts/pager.tsx';
import type { IntrosSearch } from '../../search-params.ts';
import { INTROS } from '../../texts/intros.ts';
import { Filters, StatusTabs, withChange } from './filters.tsx';
import { ColumnNames, EventRow, IntroRow } from './rows.tsx';
import { useLiveList } from './use-live-list.ts';

const route = getRouteApi('/intros');
const ROW_HEIGHT = 68;
const VIEWS = (['intros', 'events'] as const).map((value) => ({ value, label: INTROS.views[value] }));

export function IntrosPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = search.view === 'events' ? 'events' : 'intros';
  const counts = useQuery({
    queryKey: ['intros', 'counts', search.member],
    queryFn: ({ signal }) => call('GET /intro-counts', { query: { member: search.member } }, signal),
  });
  const show = (next: 'intros' | 'events') =>
    void navigate({
      search: withChange(search, { view: next === 'events' ? next : undefined, status: undefined }),
      replace: true,
    });
  return (
    <>
      <PageHeader
        title={INTROS.title}
        lead={INTROS.lead}
        actions={<Segmented label={INTROS.view} value={view} options={VIEWS} onChange={show} />}
      />
      <Filters search={search} />
      <StatusTabs search={search} counts={counts.data} />
      {view === 'events' ? <Events search={search} /> : <Intros search={search} />}
    </>
  );
}

const queryOf = ({ view: _view, ...query }: IntrosSearch) => query;

function Intros({ search }: { search: IntrosSearch }) {
  const query = queryOf(search);
  const list = useLiveList<ConsoleIntroRow>(['intros', 'list', query], (after, signal) =>
    call('GET /intros', { query: { ...query, after } }, signal),
  );
  return (
    <Rows
      list={list}
      label={INTROS.list}
      render={(row) => <IntroRow row={row} />}
      names={<ColumnNames names={INTROS.columns} />}
      isFiltered={Object.keys(query).length > 0}
      empty={
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
      }
    />
  );
}

function Events({ search }: { search: IntrosSearch }) {
  const query = queryOf(search);
  const list = useLiveList<ConsoleEventRow>(['intros', 'events', query], (after, signal) =>
    call('GET /events', { query: { ...query, after } }, signal),
  );
  return (
    <Rows
      list={list}
      label={INTROS.events}
      render={(row) => <EventRow row={row} />}
      names={<ColumnNames names={INTROS.eventColumns} />}
      isFiltered={Object.keys(query).length > 0}
      empty={
        <EmptyState
          icon="moment"
          title={INTROS.emptyEvents}
          action={
            <LinkButton to="/developers" kind="quiet">
              {INTROS.firstSteps}
            </LinkButton>
          }
        >
          {INTROS.emptyEventsLead}
        </EmptyState>
      }
    />
  );
}

interface RowsProps<R extends { readonly id: string }> {
  list: ReturnType<typeof useLiveList<R>>;
  label: string;
  names: ReactNode;
  render: (row: R) => ReactNode;
  isFiltered: boolean;
  empty: ReactNode;
}

function Rows<R extends { readonly id: string }>({ list, label, names, render, isFiltered, empty }: RowsProps<R>) {
  const { query, rows, isSearchingOlder } = list;
  if (rows === undefined) {
    if (!query.isError) return <SkeletonRows rows={8} />;
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
