import type { ConsoleIntroCounts } from '@foreword/contract';
import {
  DELIVERY_STATUS_NAMES,
  DELIVERY_STATUSES,
  INTRO_SORTS,
  type IntroStatus,
  WITHOUT_TOUCHPOINT,
} from '@foreword/contract/plain';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { type ReactNode, Suspense, useState } from 'react';
import { lazyComponent } from '../../lazy.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { PageHeader } from '../../parts/display.tsx';
import { Filter, SearchField } from '../../parts/filters.tsx';
import { SkeletonRows } from '../../parts/states.tsx';
import { load } from '../../queries.ts';
import { type IntrosSearch, introSortOf, useSearchChange, withChange } from '../../search-params.ts';
import { EVENT_STATUS_NAMES, FRAME, NAV, NO_TOUCHPOINT, PARTS, STATUS_NAMES } from '../../texts.ts';
import { TOUCHPOINTS_QUERY } from '../touchpoints/queries.ts';
import { MemberFilter } from './choose-member.tsx';
import { IntroList } from './intro-list.tsx';
import { formatUpToLimit, INTROS } from './list-texts.ts';

const FIELDS_ID = 'intro-filters';
const EVENT_TABS = ['failed', 'accepted', 'processed'] as const;

type List = 'intros' | 'events';

type Chosen = Pick<IntrosSearch, 'status' | 'delivery' | 'problem'>;

interface Tab {
  readonly name: string;
  readonly chosen: Chosen;
  readonly count?: number | undefined;
}

/** Neither what was simulated nor what did not arrive. */
const SENT: Chosen = { delivery: 'sent,delivered' };
const ALL: Tab = { name: 'All', chosen: {} };
const byStatus = (status: IntroStatus, count?: number): Tab => ({
  name: STATUS_NAMES[status],
  chosen: { status },
  count,
});

const introTabs = (counts: ConsoleIntroCounts['intros'] | undefined): readonly Tab[] => [
  ALL,
  { name: 'Problems', chosen: { problem: 'any' }, count: counts?.problems },
  byStatus('requested', counts?.requested),
  byStatus('ready', counts?.ready),
  { name: STATUS_NAMES.sent, chosen: SENT },
  byStatus('cancelled'),
  byStatus('expired'),
];

const eventTabs = (counts: ConsoleIntroCounts['events'] | undefined): readonly Tab[] => [
  ALL,
  ...EVENT_TABS.map((status) => ({
    name: EVENT_STATUS_NAMES[status],
    chosen: { status },
    count: status === 'processed' ? undefined : counts?.[status],
  })),
];

const StatusTabs = ({ of, search, tabs }: { of: List; search: IntrosSearch; tabs: readonly Tab[] }) => (
  <nav className="tab-list" aria-label="Status">
    {tabs.map(({ name, chosen, count = 0 }) => (
      <Link
        key={name}
        to={`/${of}`}
        search={withChange(search, {
          status: undefined,
          delivery: undefined,
          problem: undefined,
          watched: undefined,
          ...chosen,
        })}
        replace
        resetScroll={false}
        className="tab"
        // Without `exact`, the tab of all statuses would also be current for each of them.
        activeOptions={{ exact: true, includeSearch: true }}
        activeProps={{ 'aria-current': 'page' }}
        // An old address chooses its status in place of the delivery.
        aria-current={chosen === SENT && search.status === 'sent' ? 'page' : undefined}
      >
        {name}
        {count > 0 && <span className="hint figures"> {formatUpToLimit(count)}</span>}
      </Link>
    ))}
  </nav>
);

interface ListPageProps {
  of: List;
  search: IntrosSearch;
  title: string;
  /** The main action. */
  action?: ReactNode;
  children: ReactNode;
}

/** The header with the search field and the button that opens the other filters, and the list. All filters are in the URL. */
function ListPage({ of, search, title, action, children }: ListPageProps) {
  const change = useSearchChange<IntrosSearch>();
  const { q, status: _status, problem: _problem, watched: _watched, sort: _sort, ...more } = search;
  const set = Object.keys(more).length - (more.delivery?.includes(',') ? 1 : 0);
  const [isOpen, setOpen] = useState(set > 0);
  return (
    <>
      <PageHeader
        title={title}
        actions={
          <>
            {action}
            <SearchField label="Name, phone, or ID" value={q ?? ''} onSearch={(text) => change({ q: text })} />
            <Button
              kind="quiet"
              icon="filter"
              aria-expanded={isOpen}
              aria-controls={FIELDS_ID}
              onClick={() => setOpen(!isOpen)}
              label={PARTS.filters(set)}
            />
          </>
        }
      />
      <div id={FIELDS_ID} hidden={!isOpen}>
        {isOpen && <FilterFields of={of} search={search} />}
      </div>
      <div className="intro-list">{children}</div>
    </>
  );
}

const SORTS = INTRO_SORTS.map((value) => ({ value, label: INTROS.sorts[value] }));
const DELIVERIES = [
  { value: '', label: 'Any' },
  ...DELIVERY_STATUSES.map((value) => ({ value, label: DELIVERY_STATUS_NAMES[value] })),
];

function FilterFields({ of, search }: { of: List; search: IntrosSearch }) {
  const change = useSearchChange<IntrosSearch>();
  const touchpoints = useQuery(TOUCHPOINTS_QUERY);
  const isFiltered = Object.keys(search).some((name) => name !== 'sort');
  const { member, touchpoint = '', delivery, from = '', to = '' } = search;
  return (
    <>
      <div className="filters">
        <MemberFilter id={member} onChange={(id) => change({ member: id })} />
        <Filter
          label="Touchpoint"
          value={touchpoint}
          options={[
            { value: '', label: 'Any touchpoint' },
            ...(touchpoints.data?.touchpoints ?? []).map((each) => ({ value: each.slug, label: each.name })),
            ...(of === 'events' ? [] : [{ value: WITHOUT_TOUCHPOINT, label: NO_TOUCHPOINT }]),
          ]}
          onChange={(slug) => change({ touchpoint: slug })}
        />
        {of === 'intros' && (
          <>
            <Filter
              label="Delivery"
              value={DELIVERIES.find(({ value }) => value === delivery)?.value ?? ''}
              options={DELIVERIES}
              onChange={(value) => change({ delivery: value, status: undefined })}
            />
            {/* Where the list has no column headings. */}
            <div className="intro-sort-field">
              <Filter
                label={INTROS.sort}
                value={introSortOf(search)}
                options={SORTS}
                onChange={(sort) => change({ sort: sort === 'created' ? undefined : sort })}
              />
            </div>
          </>
        )}
        <Filter label="From" value={from} max={to} onChange={(day) => change({ from: day })} />
        <Filter label="Until" value={to} min={from} onChange={(day) => change({ to: day })} />
      </div>
      {isFiltered && (
        <LinkButton to={`/${of}`} search={{}} kind="plain" small icon="close" label={PARTS.clearFilters} />
      )}
    </>
  );
}

const EventList = lazyComponent(() => import('../events/list.tsx'), 'EventList');

/** Undefined with filters that the counts leave out: a tab would list fewer than it says. */
function useCounts({ member, q, touchpoint, from, to }: IntrosSearch): ConsoleIntroCounts | undefined {
  const { data } = useQuery(load(['intros', 'counts', member], 'GET /intro-counts', { query: { member } }));
  return (q ?? touchpoint ?? from ?? to) === undefined ? data : undefined;
}

export function IntrosPage() {
  const search = useSearch({ from: '/intros' });
  const counts = useCounts(search);
  const action = <LinkButton to="/intros/new" icon="plus" label={FRAME.newIntro} />;
  return (
    <ListPage of="intros" search={search} title={NAV.intros} action={action}>
      <IntroList search={search} tabs={<StatusTabs of="intros" search={search} tabs={introTabs(counts?.intros)} />} />
    </ListPage>
  );
}

export function EventsPage() {
  const search = useSearch({ from: '/events' });
  const counts = useCounts(search);
  return (
    <ListPage of="events" search={search} title={NAV.events}>
      <StatusTabs of="events" search={search} tabs={eventTabs(counts?.events)} />
      <Suspense fallback={<SkeletonRows rows={8} />}>
        <EventList search={search} />
      </Suspense>
    </ListPage>
  );
}
