import type { LoggedRequest, LoggedRequestDetail, LoggedRequests, RequestChoices } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams, useSearch } from '@tanstack/react-router';
import { type CallInput, call } from '../../api.ts';
import { formatCount, formatDuration, formatJson, formatNumber, readZonedTime } from '../../format.ts';
import { CodeBlock, CopyField } from '../../parts/copy.tsx';
import { Badge, Card, DefinitionList, Icon, Notice, PageHeader } from '../../parts/display.tsx';
import { ListFilters } from '../../parts/filters.tsx';
import type { Option } from '../../parts/form.tsx';
import { List, LoadedRows, usePages } from '../../parts/list.tsx';
import { ObjectLink } from '../../parts/object-link.tsx';
import { EmptyList, LoadedPage } from '../../parts/states.tsx';
import { Time, useZone } from '../../parts/time.tsx';
import { load } from '../../queries.ts';
import { type RequestsSearch, useSearchChange } from '../../search-params.ts';
import { NAV } from '../../texts.ts';

const REQUESTS = {
  lead: (days: number) => `API requests from your systems in the last ${days} days. Phone numbers are masked.`,
  status: 'Status',
  key: 'Key',
  keyName: (name: string, ending: string) => `${name} …${ending}`,
  error: 'Error code',
  notLogged: (count: number) =>
    `${formatCount(count, 'request')} in this time range were handled but not logged because traffic was too high.`,
} as const;

const any = (label: string): Option<string> => ({ value: '', label });
const optionsOf = (values: readonly string[]) => values.map((value) => ({ value, label: value }));
const METHODS = optionsOf(['GET', 'POST', 'DELETE']);
const CLASSES = [
  { value: '2xx', label: 'Success (2xx)' },
  { value: '4xx', label: 'Client error (4xx)' },
  { value: '5xx', label: 'Server error (5xx)' },
];

function RequestFilters({ search, choices }: { search: RequestsSearch; choices: RequestChoices | undefined }) {
  const keys = (choices?.keys ?? []).map(({ id, name, ending }) => ({
    value: id,
    label: REQUESTS.keyName(name, ending),
  }));
  return (
    <ListFilters
      label="Request ID, object ID, or path"
      search={search}
      list={[
        { name: 'method', label: 'Method', options: [any('Any method'), ...METHODS] },
        { name: 'status', label: REQUESTS.status, options: [any('Any status'), ...CLASSES] },
        { name: 'key', label: REQUESTS.key, options: [any('Any key'), ...keys] },
        {
          ...{ name: 'error', label: REQUESTS.error },
          options: [any('Any error'), ...optionsOf(choices?.error_codes ?? [])],
        },
        { name: 'since', label: 'From', type: 'datetime-local' },
        { name: 'until', label: 'Until', type: 'datetime-local' },
      ]}
      onChange={useSearchChange<RequestsSearch>()}
    />
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

const StatusBadge = ({ status }: { status: number }) => (
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
          Searched back to <Time at={page.scanned_back_to} style="dateTime" />.
        </p>
      )}
    </Notice>
  );
}

export function RequestsPage() {
  const search = useSearch({ from: '/developers/requests' });
  const zone = useZone();
  const choices = useQuery(load(['requests', 'choices'], 'GET /requests/choices'));
  const list = usePages({
    key: ['requests', 'list', search, zone],
    fetch: (before, signal) => call('GET /requests', { query: queryOf(search, zone, before) }, signal),
    rowsOf: ({ requests }) => requests,
    isPolled: true,
  });
  return (
    <>
      <PageHeader title={NAV.requests} lead={REQUESTS.lead(choices.data?.retention_days ?? 7)} />
      <RequestFilters search={search} choices={choices.data} />
      <LogNotices page={list.pages.at(-1)} />
      <LoadedRows
        pages={list}
        empty={
          <EmptyList search={search} none="No matching requests" title="No requests yet" icon="code">
            New requests appear here within a second.
          </EmptyList>
        }
      >
        {(rows) => <List label="Requests, newest first" rows={rows} render={RequestRow} />}
      </LoadedRows>
    </>
  );
}

const BACK = { to: '/developers/requests', name: NAV.requests } as const;

const RequestDetails = ({ request }: { request: LoggedRequestDetail }) => (
  <div className="stack">
    <PageHeader
      title="Request"
      lead={
        <code>
          {request.method} {request.path}
        </code>
      }
      back={BACK}
    />
    <Card>
      <CopyField label="Request ID" text={request.id} />
      <DefinitionList
        items={[
          [REQUESTS.status, <StatusBadge key="status" status={request.status} />],
          [REQUESTS.error, request.error && <code key="error">{request.error}</code>],
          ['Object', request.object_id && <ObjectLink key="object" id={request.object_id} />],
          ['Query', request.query && <code key="query">{request.query}</code>],
          ['Time', <Time key="when" at={request.created_at} style="full" />],
          ['Duration', formatDuration(request.duration_ms)],
          [REQUESTS.key, REQUESTS.keyName(request.key.name, request.key.ending)],
        ]}
      />
    </Card>
    {request.answer !== null && <CodeBlock code={formatJson(request.answer)} label="Response" />}
    {request.body === null ? (
      <p className="hint">No text body was stored.</p>
    ) : (
      <CodeBlock code={formatJson(request.body)} label="Body" />
    )}
    <p className="hint">
      {request.is_cut && `Truncated: the body had ${formatNumber(request.body_bytes)} bytes. `}
      {request.answer === null && 'Successful responses are not stored. Open the object to see the result. '}
      Phone numbers show only the country code and the last two digits. Keys and secrets are removed.
    </p>
  </div>
);

export function RequestPage() {
  const { id } = useParams({ from: '/developers/requests/$id' });
  const query = load(['requests', 'one', id], 'GET /requests/{id}', { params: { id } });
  return (
    <LoadedPage query={query} title="Request" back={BACK}>
      {(request) => <RequestDetails request={request} />}
    </LoadedPage>
  );
}
