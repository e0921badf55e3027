import type { WebhookEndpoint, WebhookEndpointList, WebhookEndpointWithSecret } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { useNewLink, useUnsaved } from '../../hooks.ts';
import { Button } from '../../parts/button.tsx';
import { FormDialog } from '../../parts/dialog.tsx';
import { Badge, Icon, Notice, PageHeader } from '../../parts/display.tsx';
import { List } from '../../parts/list.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { load, useAction } from '../../queries.ts';
import { useRetryKeys } from '../../retry-keys.ts';
import { bodyOf, describeEvents, EndpointFields, EVERYTHING, SigningSecret } from './endpoint-form.tsx';
import { WEBHOOKS } from './texts.ts';

export function EndpointBadge({ active, disabled_reason, failing_since }: WebhookEndpoint) {
  if (disabled_reason !== null) return <Badge tone="bad">{WEBHOOKS.turnedOff}</Badge>;
  if (!active) return <Badge>{WEBHOOKS.off}</Badge>;
  return failing_since === null ? (
    <Badge tone="good">{WEBHOOKS.on}</Badge>
  ) : (
    <Badge tone="warn">{WEBHOOKS.failing}</Badge>
  );
}

const EMPTY = { url: '', description: '', events: [EVERYTHING] as readonly string[] };

function AddEndpoint({ list, onClose }: { list: WebhookEndpointList; onClose: () => void }) {
  const [draft, setDraft] = useState(EMPTY);
  const [created, setCreated] = useState<WebhookEndpointWithSecret | null>(null);
  const attempts = useRetryKeys<Pick<WebhookEndpoint, 'url' | 'description' | 'events'>>();
  useUnsaved(draft !== EMPTY);
  const add = useAction({
    run: () => call('POST /v1/webhook_endpoints', attempts(bodyOf(draft))),
    topics: ['webhooks'],
    showsFailure: true,
    onDone(endpoint) {
      attempts.done();
      setCreated(endpoint);
    },
  });
  if (created !== null) return <SigningSecret secret={created.secret} onDone={onClose} />;
  return (
    <FormDialog
      title={WEBHOOKS.add}
      submit={WEBHOOKS.add}
      action={add}
      fields={['url', 'description', 'events']}
      onClose={onClose}
      onSubmit={() => add.mutate()}
    >
      <EndpointFields draft={draft} choices={list.events} onChange={setDraft} error={add.error} />
    </FormDialog>
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

export function WebhooksPage() {
  const [isAdding, setAdding] = useState(false);
  useNewLink(() => setAdding(true));
  const query = useQuery(load(['webhooks', 'list'], 'GET /webhooks'));
  const isFull = query.data !== undefined && query.data.endpoints.length >= query.data.limit;
  return (
    <>
      <PageHeader
        title={WEBHOOKS.title}
        lead={WEBHOOKS.lead}
        actions={
          query.data !== undefined &&
          !isFull && (
            <Button icon="plus" onClick={() => setAdding(true)}>
              {WEBHOOKS.add}
            </Button>
          )
        }
      />
      <Loaded query={query}>
        {(list) => (
          <div className="stack">
            {isFull && <Notice>{WEBHOOKS.limitReached(list.limit)}</Notice>}
            {list.endpoints.length === 0 ? (
              <EmptyState title={WEBHOOKS.empty} icon="send">
                {WEBHOOKS.emptyLead}
              </EmptyState>
            ) : (
              <List label={WEBHOOKS.list} rows={list.endpoints} keyOf={({ id }) => id} render={EndpointRow} />
            )}
            {isAdding && <AddEndpoint list={list} onClose={() => setAdding(false)} />}
          </div>
        )}
      </Loaded>
    </>
  );
}
