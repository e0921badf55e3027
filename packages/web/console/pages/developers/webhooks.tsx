import type { WebhookEndpoint, WebhookEndpointList, WebhookEndpointWithSecret } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { call } from '../../api.ts';
import { useNewLink, useUnsaved } from '../../hooks.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Badge, Icon, Notice, PageHeader } from '../../parts/display.tsx';
import { List } from '../../parts/list.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { useAction } from '../../queries.ts';
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

function AddEndpoint({ list, open, onClose }: { list: WebhookEndpointList; open: boolean; onClose: () => void }) {
  const [draft, setDraft] = useState(EMPTY);
  const [created, setCreated] = useState<WebhookEndpointWithSecret | null>(null);
  const form = useId();
  const attempts = useRetryKeys<Pick<WebhookEndpoint, 'url' | 'description' | 'events'>>();
  useUnsaved(open && draft !== EMPTY);
  const add = useAction({
    run: () => call('POST /v1/webhook_endpoints', attempts(bodyOf(draft))),
    topics: ['webhooks'],
    showsFailure: true,
    onDone(endpoint) {
      attempts.done();
      setCreated(endpoint);
    },
  });
  const close = () => {
    onClose();
    setCreated(null);
    setDraft(EMPTY);
    add.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!add.isPending) add.mutate();
  };
  if (created !== null) return <SigningSecret secret={created.secret} onDone={close} />;
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => next || close()}
      title={WEBHOOKS.add}
      actions={
        <Button type="submit" form={form} busy={add.isPending}>
          {WEBHOOKS.add}
        </Button>
      }
    >
      <form id={form} onSubmit={submit}>
        <EndpointFields draft={draft} choices={list.events} onChange={setDraft} error={add.error} />
      </form>
    </Dialog>
  );
}

const EndpointRow = (endpoint: WebhookEndpoint) => (
  <Link to="/developers/webhooks/$id" params={{ id: endpoint.id }} className="log-row endpoint-row">
    <span className="row-text">
      <span className="row-title">{endpoint.description ?? endpoint.url}</span>
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
  const query = useQuery({
    queryKey: ['webhooks', 'list'],
    queryFn: ({ signal }) => call('GET /webhooks', {}, signal),
  });
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
            <AddEndpoint list={list} open={isAdding && !isFull} onClose={() => setAdding(false)} />
          </div>
        )}
      </Loaded>
    </>
  );
}
