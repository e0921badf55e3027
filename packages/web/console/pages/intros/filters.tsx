import type { ConsoleIntroCounts } from '@foreword/contract';
import { INTRO_STATUSES, WITHOUT_TOUCHPOINT } from '@foreword/contract/plain';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { formatName, READER_ZONE, zoneLabel } from '../../format.ts';
import { Button, LinkButton } from '../../parts/button.tsx';
import { Combobox } from '../../parts/combobox.tsx';
import { Field } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Input } from '../../parts/input.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Select } from '../../parts/select.tsx';
import { memberQuery } from '../../queries.ts';
import type { IntrosSearch } from '../../search-params.ts';
import { useSession } from '../../session.ts';
import { NO_TOUCHPOINT, STATUS_NAMES } from '../../texts/common.ts';
import { EVENT_STATUS_NAMES, formatUpToLimit, INTROS } from '../../texts/intros.ts';

const route = getRouteApi('/intros');
const EVENT_TABS = ['failed', 'accepted', 'processed'] as const;

type Change = { readonly [K in keyof IntrosSearch]: IntrosSearch[K] | undefined };

/** Drops empty values. */
export const withChange = (search: IntrosSearch, change: Change): IntrosSearch =>
  Object.fromEntries(
    Object.entries({ ...search, ...change }).filter(([, value]) => value !== undefined && value !== ''),
  );

function useChange(): (change: Change) => void {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (change) => void navigate({ search: withChange(search, change), replace: true, resetScroll: false });
}

interface StatusTabsProps {
  search: IntrosSearch;
  counts: ConsoleIntroCounts | undefined;
}

/** Tabs for one status or all of them. Only links set several statuses at once. */
export function StatusTabs({ search, counts }: StatusTabsProps) {
  const isEvents = search.view === 'events';
  const tabs = isEvents
    ? EVENT_TABS.map((status) => ({
        status,
        name: EVENT_STATUS_NAMES[status],
        count: status === 'processed' ? undefined : counts?.events?.[status],
      }))
    : INTRO_STATUSES.map((status) => ({ status, name: STATUS_NAMES[status], count: counts?.intros[status] }));
  return (
    <nav className="tab-list intros-tabs" aria-label={INTROS.status}>
      <StatusTab search={search} status={undefined} name={INTROS.all} count={undefined} />
      {tabs.map((tab) => (
        <StatusTab key={tab.status} search={search} {...tab} />
      ))}
    </nav>
  );
}

interface StatusTabProps {
  search: IntrosSearch;
  status: string | undefined;
  name: string;
  count: number | undefined;
}

const StatusTab = ({ search, status, name, count }: StatusTabProps) => (
  <Link
    to="/intros"
    search={withChange(search, { status })}
    replace
    resetScroll={false}
    className="tab"
    aria-current={search.status === status ? 'page' : undefined}
    activeProps={{}}
  >
    {name}
    {count !== undefined && count > 0 && <span className="intros-count">{formatUpToLimit(count)}</span>}
  </Link>
);

interface Person {
  readonly id: string;
  readonly first_name: string;
  readonly last_name: string;
}

export function useMemberSearch(q: string, options: { readonly active: boolean; readonly enabled?: boolean }) {
  return useQuery({
    enabled: options.enabled ?? true,
    queryKey: ['members', 'choose', q, options.active],
    queryFn: ({ signal }) =>
      call(
        'GET /members',
        { query: { limit: 20, ...(q !== '' && { q }), ...(options.active && { active: true }) } },
        signal,
      ),
    placeholderData: (earlier) => earlier,
  });
}

function MemberFilter({ id, onChange }: { id: string | undefined; onChange: (id: string | undefined) => void }) {
  const [q, setQ] = useState('');
  const members = useMemberSearch(q.trim(), { active: false });
  const chosen = useQuery({ ...memberQuery(id ?? ''), enabled: id !== undefined });
  const value: Person | null = id === undefined ? null : (chosen.data ?? null);
  return (
    <Field label={INTROS.member} group>
      <Combobox<Person>
        aria-label={INTROS.member}
        items={members.data?.members ?? []}
        value={value}
        onChange={(person) => onChange(person?.id)}
        keyOf={(person) => person.id}
        labelOf={formatName}
        onSearch={setQ}
        placeholder={INTROS.anyMember}
        searchLabel={INTROS.memberSearch}
        busy={members.isFetching}
      />
      {id !== undefined && (
        <Button kind="plain" small onClick={() => onChange(undefined)}>
          {INTROS.clearMember}
        </Button>
      )}
    </Field>
  );
}

function TouchpointFilter({ slug, isEvents }: { slug: string | undefined; isEvents: boolean }) {
  const change = useChange();
  const touchpoints = useQuery({
    queryKey: ['touchpoints', 'list'],
    queryFn: ({ signal }) => call('GET /touchpoints', {}, signal),
  });
  const options = [
    { value: '', label: INTROS.anyTouchpoint },
    ...(touchpoints.data?.touchpoints ?? []).map((each) => ({ value: each.slug, label: each.name })),
    ...(isEvents ? [] : [{ value: WITHOUT_TOUCHPOINT, label: NO_TOUCHPOINT }]),
  ];
  return (
    <Field label={INTROS.touchpoint} group>
      <Select
        aria-label={INTROS.touchpoint}
        value={slug ?? ''}
        options={options}
        onChange={(touchpoint) => change({ touchpoint })}
      />
    </Field>
  );
}

/** Edits the filters in the URL. */
export function Filters({ search }: { search: IntrosSearch }) {
  const change = useChange();
  const { view, q, status, ...more } = search;
  const set = Object.keys(more).length;
  const { timezone } = useSession().organization;
  const days = timezone === READER_ZONE ? {} : { hint: INTROS.days(zoneLabel(timezone)) };
  return (
    <>
      <div className="filters">
        <SearchField label={INTROS.search} value={q ?? ''} onSearch={(text) => change({ q: text })} />
      </div>
      <details className="intros-more" open={set > 0 || undefined}>
        <summary className="button quiet small">
          <Icon name="filter" />
          {set === 0 ? INTROS.filters : INTROS.filtersSet(set)}
        </summary>
        <div className="form-row intros-more-fields">
          <MemberFilter id={search.member} onChange={(member) => change({ member })} />
          <TouchpointFilter slug={search.touchpoint} isEvents={view === 'events'} />
          <Field label={INTROS.from} group {...days}>
            <Input
              type="date"
              aria-label={INTROS.from}
              value={search.from ?? ''}
              max={search.to}
              onChange={(from) => change({ from })}
            />
          </Field>
          <Field label={INTROS.to} group {...days}>
            <Input
              type="date"
              aria-label={INTROS.to}
              value={search.to ?? ''}
              min={search.from}
              onChange={(to) => change({ to })}
            />
          </Field>
        </div>
        {set + (q === undefined ? 0 : 1) + (status === undefined ? 0 : 1) > 0 && (
          <LinkButton
            to="/intros"
            search={view === undefined ? {} : { view }}
            kind="plain"
            small
            icon="close"
            className="intros-clear"
          >
            {INTROS.clear}
          </LinkButton>
        )}
      </details>
    </>
  );
}
