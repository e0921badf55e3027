import type { LoggedRequest, LoggedRequests, RequestChoices } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type CallInput, call } from '../../api.ts';
import { formatDuration, readZonedTime } from '../../format.ts';
import { useLiveRefresh } from '../../live.ts';
import { Badge, Icon, Notice, PageHeader } from '../../parts/display.tsx';
import { FoldedFilters, SearchField, SelectFilter } from '../../parts/filters.tsx';
import { Field, Input, type Option } from '../../parts/form.tsx';
import { List, LoadedRows, usePages } from '../../parts/list.tsx';
import { EmptyState } from '../../parts/states.tsx';
import { Time, useZone } from '../../parts/time.tsx';
import { load } from '../../queries.ts';
import { type RequestsSearch, readRequestsSearch } from '../../search-params.ts';
import { REQUESTS } from './texts.ts';

interface FiltersProps {
  search: RequestsSearch;
  choices: RequestChoices | undefined;
  onChange: (change: RequestsSearch) => void;
}

const ANY = '';
const any = (label: string): Option<string> => ({ value: ANY, label });
const METHODS = ['GET', 'POST', 'DELETE'].map((value) => ({ value, label: value }));
const CLASSES = [
  { value: '2xx', label: REQUESTS.class2xx },
  { value: '4xx', label: REQUESTS.class4xx },
  { value: '5xx', label: REQUESTS.class5xx },
];

/** A search field, with the filters in a collapsible section. */
function RequestFilters({ search, choices, onChange }: FiltersProps) {
  const { q, ...filters } = search;
  const set = Object.values(filters).filter((value) => value !== undefined).length;
  const keys = (choices?.keys ?? []).map(({ id, name, ending }) => ({
    value: id,
    label: REQUESTS.keyName(name, ending),
  }));
  const errors = (choices?.error_codes ?? []).map((value) => ({ value, label: value }));
  const field = (name: keyof RequestsSearch, label: string, options: readonly Option<string>[]) => (
    <SelectFilter
      label={label}
      value={search[name] ?? ANY}
      options={options}
      onChange={(value) => onChange({ [name]: value })}
    />
  );
  const time = (name: 'since' | 'until', label: string) => (
    <Field label={label} group>
      <Input
        type="datetime-local"
        aria-label={label}
        value={search[name] ?? ''}
        onChange={(value) => onChange({ [name]: value })}
      />
    </Field>
  );
  return (
    <div className="grid gap-8">
      <SearchField label={REQUESTS.find} value={q ?? ''} onSearch={(text) => onChange({ q: text })} />
      <FoldedFilters
        set={set}
        onClear={() => onChange({ method: '', status: '', key: '', error: '', since: '', until: '' })}
      >
        {field('method', REQUESTS.method, [any(REQUESTS.anyMethod), ...METHODS])}
        {field('status', REQUESTS.status, [any(REQUESTS.anyStatus), ...CLASSES])}
        {field('key', REQUESTS.key, [any(REQUESTS.anyKey), ...keys])}
        {field('error', REQUESTS.error, [any(REQUESTS.anyError), ...errors])}
        {time('since', REQUESTS.from)}
        {time('until', REQUESTS.until)}
      </FoldedFilters>
    </div>
  );
}

type Query = NonNullable<CallInput<'GET /requests'>['query']>;

/** The format of the search text decides which field it searches. */
function queryOf(search: RequestsSearch, zone: string, before: string | null): Query {
  const { q = '' } = search;
  const isRequest = q.startsWith('req_');
  const isPath = q.startsWith('/');
  const text = q === '' ? undefined : q;
  return {
    method: search.method as Query['method'],
    status: search.status as Query['status'],
    key: search.key,
    error: search.error,
    path: isPath ? text : undefined,
    request_id: isRequest ? text : undefined,
    object_id: isPath || isRequest ? undefined : text,
    since: readZonedTime(search.since, zone),
    until: readZonedTime(search.until, zone),
    before: before ?? undefined,
  };
}

export const StatusBadge = ({ status }: { status: number }) => (
  <Badge tone={status < 400 ? 'good' : status < 500 ? 'warn' : 'bad'}>{status}</Badge>
);

const RequestRow = (request: LoggedRequest) => (
  <Link to="/developers/requests/$id" params={{ id: request.id }} className="row">
    <StatusBadge status={request.status} />
    <span className="row-text">
      <code>
        {request.method} {request.path}
      </code>
      <span className="hint">{[request.error, request.key.name].filter(Boolean).join(' · ')}</span>
    </span>
    <span className="hint grid row-end">
      <Time at={request.created_at} />
      <span>{formatDuration(request.duration_ms)}</span>
    </span>
    <Icon name="next" />
  </Link>
);

function LogNotices({ page }: { page: LoggedRequests | undefined }) {
  if (page === undefined || (page.not_logged === 0 && page.scanned_back_to === null)) return null;
  return (
    <Notice>
      {page.not_logged > 0 && <p>{REQUESTS.notLogged(page.not_logged)}</p>}
      {page.scanned_back_to !== null && (
        <p>
          {REQUESTS.searchedBackTo} <Time at={page.scanned_back_to} style="dateTime" />.
        </p>
      )}
    </Notice>
  );
}

export function RequestsPage() {
  const search = useSearch({ from: '/developers/requests' });
  const navigate = useNavigate();
  const zone = useZone();
  const choices = useQuery(load(['requests', 'choices'], 'GET /requests/choices'));
  const list = usePages({
    key: ['requests', 'list', search, zone],
    fetch: (before, signal) => call('GET /requests', { query: queryOf(search, zone, before) }, signal),
    rowsOf: ({ requests }) => requests,
    nextOf: ({ next }) => next,
  });
  useLiveRefresh(list.query);
  const pages = (list.query.data as { pages?: readonly LoggedRequests[] } | undefined)?.pages;
  const change = (changed: RequestsSearch) =>
    void navigate({
      to: '/developers/requests',
      search: readRequestsSearch({ ...search, ...changed }),
      replace: true,
      resetScroll: false,
    });
  const isFiltered = Object.keys(search).length > 0;
  return (
    <>
      <PageHeader title={REQUESTS.title} lead={REQUESTS.lead(choices.data?.retention_days ?? 7)} />
      <RequestFilters search={search} choices={choices.data} onChange={change} />
      <LogNotices page={pages?.at(-1)} />
      <LoadedRows
        pages={list}
        empty={
          <EmptyState title={isFiltered ? REQUESTS.none : REQUESTS.empty} icon="code">
            {isFiltered ? REQUESTS.noneLead : REQUESTS.emptyLead}
          </EmptyState>
        }
      >
        {(rows) => <List label={REQUESTS.list} rows={rows} keyOf={({ id }) => id} render={RequestRow} rowHeight={74} />}
      </LoadedRows>
    </>
  );
}
