import type { LoggedRequestDetail } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { formatDuration, formatJson } from '../../format.ts';
import { CodeBlock, CopyField } from '../../parts/copy.tsx';
import { Card, DefinitionList, PageHeader } from '../../parts/display.tsx';
import { ObjectLink } from '../../parts/object-link.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { load } from '../../queries.ts';
import { NAV } from '../../texts.ts';
import { StatusBadge } from './requests.tsx';
import { REQUEST, REQUESTS } from './texts.ts';

const RequestDetails = ({ request }: { request: LoggedRequestDetail }) => (
  <div className="stack">
    <Card>
      <CopyField label={REQUEST.id} text={request.id} />
      <DefinitionList
        items={[
          [REQUESTS.status, <StatusBadge key="status" status={request.status} />],
          [REQUESTS.error, request.error && <code key="error">{request.error}</code>],
          [REQUEST.object, request.object_id && <ObjectLink key="object" id={request.object_id} />],
          [REQUEST.query, request.query && <code key="query">{request.query}</code>],
          [REQUEST.at, <Time key="when" at={request.created_at} style="full" />],
          [REQUEST.duration, formatDuration(request.duration_ms)],
          [REQUESTS.key, REQUESTS.keyName(request.key.name, request.key.ending)],
        ]}
      />
    </Card>
    {request.answer !== null && <CodeBlock code={formatJson(request.answer)} label={REQUEST.response} />}
    {request.body === null ? (
      <p className="hint">{REQUEST.bodyMissing}</p>
    ) : (
      <CodeBlock code={formatJson(request.body)} label={REQUEST.body} />
    )}
    <p className="hint">
      {request.is_cut && `${REQUEST.truncated(request.body_bytes)} `}
      {request.answer === null && `${REQUEST.responseNotKept} `}
      {REQUEST.masked}
    </p>
  </div>
);

export function RequestPage() {
  const { id } = useParams({ from: '/developers/requests/$id' });
  const query = useQuery(load(['requests', 'one', id], 'GET /requests/{id}', { params: { id } }));
  const { data } = query;
  return (
    <>
      <PageHeader
        title={REQUEST.title}
        lead={
          data !== undefined && (
            <code>
              {data.method} {data.path}
            </code>
          )
        }
        back={{ to: '/developers/requests', name: NAV.requests }}
      />
      <Loaded query={query}>{(request) => <RequestDetails request={request} />}</Loaded>
    </>
  );
}
