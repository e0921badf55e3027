import type { WebhookEndpoint, WebhookEndpointList, WebhookEndpointWithSecret } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { useNewDialog } from '../../hooks.ts';
import { Button } from '../../parts/button.tsx';
import { Badge, Icon, Notice, PageHeader } from '../../parts/display.tsx';
import { List } from '../../parts/list.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { load } from '../../queries.ts';
import { NAV, PARTS } from '../../texts.ts';
import { describeEvents, EndpointDialog, NEW_ENDPOINT, SigningSecret } from './endpoint-form.tsx';
import { WEBHOOKS } from './texts.ts';

export function EndpointBadge({ active, disabled_reason, failing_since }: WebhookEndpoint) {
  if (disabled_reason !== null) return <Badge tone="bad">Turned off</Badge>;
  if (!active) return <Badge>{PARTS.off}</Badge>;
  return failing_since === null ? <Badge tone="good">{PARTS.on}</Badge> : <Badge tone="warn">Failing</Badge>;
}

function AddEndpoint({ list, onClose }: { list: WebhookEndpointList; onClose: () => void }) {
  const [created, setCreated] = useState<WebhookEndpointWithSecret | null>(null);
  if (created !== null) return <SigningSecret secret={created.secret} onDone={onClose} />;
  return (
    <EndpointDialog
      title={WEBHOOKS.add}
      submit={WEBHOOKS.add}
      draft={NEW_ENDPOINT}
      choices={list.events}
      run={(body, key) => call('POST /v1/webhook_endpoints', { body, key })}
      staysOpen
      onDone={setCreated}
      onClose={onClose}
    />
  );
}

const EndpointRow = (endpoint: WebhookEndpoint) => (
  <Link to="/developers/webhooks/$id" params={{ id: endpoint.id }} className="row">
    <span className="row-text">
      <span className="medium">{endpoint.description ?? endpoint.url}</span>
      {endpoint.description !== null && <span className="hint">{endpoint.url}</span>}
      <span className="hint">{describeEvents(endpoint.events)}</span>
    </span>
    <EndpointBadge {...endpoint} />
    <Icon name="next" />
  </Link>
);

const ENDPOINTS_QUERY = load(['webhooks', 'list'], 'GET /webhooks');

export function WebhooksPage() {
  const [isAdding, setAdding] = useNewDialog();
  const { data } = useQuery(ENDPOINTS_QUERY);
  const isFull = data !== undefined && data.endpoints.length >= data.limit;
  return (
    <>
      <PageHeader
        title={NAV.webhooks}
        lead={WEBHOOKS.lead}
        actions={
          data !== undefined && !isFull && <Button icon="plus" onClick={() => setAdding(true)} label={WEBHOOKS.add} />
        }
      />
      <Loaded query={ENDPOINTS_QUERY}>
        {(list) => (
          <div className="stack">
            {isFull && <Notice>{WEBHOOKS.limitReached(list.limit)}</Notice>}
            {list.endpoints.length === 0 ? (
              <EmptyState title="No webhooks yet" icon="send">
                Add the URL that should receive notifications.
              </EmptyState>
            ) : (
              <List label="Webhook endpoints" rows={list.endpoints} render={EndpointRow} />
            )}
            {isAdding && <AddEndpoint list={list} onClose={() => setAdding(false)} />}
          </div>
        )}
      </Loaded>
    </>
  );
}
