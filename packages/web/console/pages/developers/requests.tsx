import type { LoggedRequest, LoggedRequests } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type CallInput, call } from '../../api.ts';
import { formatDuration, readLocalTime } from '../../format.ts';
import { useLiveRefresh } from '../../live.ts';
import { Icon } from '../../parts/icon.tsx';
import { List } from '../../parts/list.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../../parts/loaded.tsx';
import { Badge, Notice } from '../../parts/notice.tsx';
import { PageHeader } from '../../parts/page-header.tsx';
import { Pager, usePages } from '../../parts/pager.tsx';
import { Time } from '../../parts/time.tsx';
import { type RequestsSearch, readRequestsSearch } from '../../search-params.ts';
import { REQUESTS } from '../../texts/developers.ts';
import { RequestFilters } from './request-filters.tsx';

type Query = NonNullable<CallInput<'GET /requests'>['query']>;

/** The format of the search text decides which field it searches. */
function queryOf(search: RequestsSearch, before: string | null): Query {
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
    since: readLocalTime(search.since),
    until: readLocalTime(search.until),
    before: before ?? undefined,
  };
}

export const StatusBadge = ({ status }: { status: number }) => (
  <Badge tone={status < 400 ? 'good' : status < 500 ? 'warn' : 'bad'}>{status}</Badge>
);

const RequestRow = (request: LoggedRequest) => (
  <Link to="/developers/requests/$id" params={{ id: request.id }} className="row-link request-row">
    <StatusBadge status={request.status} />
    <span className="row-text">
      <code className="row-title">
        {request.method} {request.path}
      </code>
      <span className="row-soft">{[request.error, request.key.name].filter(Boolean).join(' · ')}</span>
    </span>
    <span className="row-soft row-end">
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
          {REQUESTS.searchedBackTo} <Time at={page.scanned_back_to} style="dateTimeZone" />.
        </p>
      )}
    </Notice>
  );
}

export function RequestsPage() {
  const search = useSearch({ from: '/developers/requests' });
  const navigate = useNavigate();
  const choices = useQuery({
    queryKey: ['requests', 'choices'],
    queryFn: ({ signal }) => call('GET /requests/choices', {}, signal),
  });
  const { rows, query } = usePages({
    key: ['requests', 'list', search],
    fetch: (before, signal) => call('GET /requests', { query: queryOf(search, before) }, signal),
    rowsOf: ({ requests }) => requests,
    nextOf: ({ next }) => next,
  });
  useLiveRefresh(query);
  const pages = (query.data as { pages?: readonly LoggedRequests[] } | undefined)?.pages;
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
      <div className="stack">
        <RequestFilters search={search} choices={choices.data} onChange={change} />
        <LogNotices page={pages?.at(-1)} />
        {rows === undefined &&
          (query.isError ? <ErrorState error={query.error} retry={() => void query.refetch()} /> : <SkeletonRows />)}
        {rows?.length === 0 && !query.hasNextPage && (
          <EmptyState title={isFiltered ? REQUESTS.none : REQUESTS.empty} icon="code">
            {isFiltered ? REQUESTS.noneLead : REQUESTS.emptyLead}
          </EmptyState>
        )}
        {rows !== undefined && rows.length > 0 && (
          <List label={REQUESTS.list} rows={rows} keyOf={({ id }) => id} render={RequestRow} rowHeight={74} />
        )}
        <Pager query={query} />
      </div>
    </>
  );
}
