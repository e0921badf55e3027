/** Folder: API keys, webhooks, dry runs and the request log. */

import type { WebhookEndpoint, WebhookEndpointDetail } from '@foreword/contract';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { call } from '../../api.ts';
import { useUnsaved } from '../../hooks.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Card, DefinitionList, Notice, PageHeader } from '../../parts/display.tsx';
import { ErrorState, SkeletonRows } from '../../parts/states.tsx';
import { Time } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { Attempts } from './attempts.tsx';
import { EndpointConfirmations, type EndpointDialog, ReplayDialog, useEndpointActions } from './endpoint-actions.tsx';
import { bodyOf, describeEvents, EndpointFields, expandEvents, SigningSecret } from './endpoint-form.tsx';
import { SampleDialog } from './sample-dialog.tsx';
import { ENDPOINT, WEBHOOKS } from './texts.ts';
import { EndpointBadge } from './webhooks.tsx';

const REFRESH_MS = 4_000;

/** Says why the endpoint is off or failing, and offers to turn it on. */
function EndpointProblem({
  endpoint,
  onTurnOn,
  busy,
}: {
  endpoint: WebhookEndpoint;
  onTurnOn: () => void;
  busy: boolean;
}) {
  const { active, disabled_reason: reason, failing_since } = endpoint;
  if (active && failing_since === null) return null;
  if (active && failing_since !== null) {
    return (
      <Notice tone="warn" title={ENDPOINT.failingSince}>
        <Time at={failing_since} style="dateTime" />. {ENDPOINT.failing}
      </Notice>
    );
  }
  const explanation =
    reason === 'gone' ? ENDPOINT.gone : reason === 'failing' ? ENDPOINT.failedTooLong : ENDPOINT.turnedOffByTeam;
  return (
    <Notice
      tone={reason === null ? 'info' : 'bad'}
      action={
        <Button small busy={busy} onClick={onTurnOn}>
          {ENDPOINT.turnOn}
        </Button>
      }
    >
      {explanation}
    </Notice>
  );
}

interface EditProps {
  detail: WebhookEndpointDetail;
  open: boolean;
  onClose: () => void;
}

function EditEndpoint({ detail: { endpoint, events }, open, onClose }: EditProps) {
  const initialDraft = () => ({
    url: endpoint.url,
    description: endpoint.description ?? '',
    events: expandEvents(endpoint.events, events),
  });
  const [draft, setDraft] = useState(initialDraft);
  useUnsaved(JSON.stringify(draft) !== JSON.stringify(initialDraft()));
  const form = useId();
  const params = { id: endpoint.id };
  const save = useAction({
    run: () => call('POST /v1/webhook_endpoints/{id}', { params, body: bodyOf(draft) }),
    topics: ['webhooks'],
    showsFailure: true,
    done: ENDPOINT.saved,
    onDone: onClose,
  });
  const close = () => {
    onClose();
    setDraft(initialDraft());
    save.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!save.isPending) save.mutate();
  };
  return (
    <Dialog
      open={open}
      onOpenChange={(next) => next || close()}
      title={ENDPOINT.settings}
      actions={
        <Button type="submit" form={form} busy={save.isPending}>
          {ENDPOINT.save}
        </Button>
      }
    >
      <form id={form} onSubmit={submit}>
        <EndpointFields draft={draft} choices={events} onChange={setDraft} error={save.error} />
      </form>
    </Dialog>
  );
}

function Settings({
  detail: { endpoint, backlog },
  onOpen,
}: {
  detail: WebhookEndpointDetail;
  onOpen: (dialog: EndpointDialog) => void;
}) {
  const { active } = endpoint;
  return (
    <Card
      title={ENDPOINT.settings}
      actions={
        <Button kind="quiet" small icon="edit" onClick={() => onOpen('edit')}>
          {ENDPOINT.edit}
        </Button>
      }
    >
      <DefinitionList
        items={[
          [WEBHOOKS.description, endpoint.description],
          [ENDPOINT.eventsTerm, describeEvents(endpoint.events)],
          [ENDPOINT.createdTerm, <Time key="created" at={endpoint.created_at} style="dateTime" />],
          [ENDPOINT.pendingTerm, ENDPOINT.count(backlog.waiting, backlog.limit)],
          [ENDPOINT.failedTerm, ENDPOINT.count(backlog.given_up, backlog.limit)],
        ]}
      />
      <div className="form-actions">
        {active && (
          <Button kind="quiet" small onClick={() => onOpen('sample')}>
            {ENDPOINT.sample}
          </Button>
        )}
        {active && (
          <Button kind="quiet" small onClick={() => onOpen('replay')}>
            {ENDPOINT.replay}
          </Button>
        )}
        <Button kind="quiet" small onClick={() => onOpen('rotate')}>
          {ENDPOINT.rotate}
        </Button>
        {active && (
          <Button kind="quiet" small onClick={() => onOpen('off')}>
            {ENDPOINT.turnOff}
          </Button>
        )}
        <Button kind="quiet" small icon="trash" onClick={() => onOpen('remove')}>
          {ENDPOINT.remove}
        </Button>
      </div>
    </Card>
  );
}

function Endpoint({ detail }: { detail: WebhookEndpointDetail }) {
  const { endpoint } = detail;
  const { id, active } = endpoint;
  const [dialog, setDialog] = useState<EndpointDialog>(null);
  const close = () => setDialog(null);
  const actions = useEndpointActions(id, close);
  const { setActive, test } = actions;
  return (
    <>
      <PageHeader
        title={ENDPOINT.title}
        lead={<code className="endpoint-url">{endpoint.url}</code>}
        badge={<EndpointBadge {...endpoint} />}
        back={{ to: '/developers/webhooks', name: WEBHOOKS.title }}
        actions={
          active && (
            <Button icon="send" busy={test.isPending} onClick={() => test.mutate()}>
              {ENDPOINT.test}
            </Button>
          )
        }
      />
      <div className="column gap-20 sections">
        <EndpointProblem endpoint={endpoint} busy={setActive.isPending} onTurnOn={() => setActive.mutate(true)} />
        <Settings detail={detail} onOpen={setDialog} />
        <Card title={ENDPOINT.attempts} lead={ENDPOINT.attemptsLead}>
          <Attempts endpointId={id} isActive={active} />
        </Card>
      </div>
      <EndpointConfirmations actions={actions} dialog={dialog} onClose={close} />
      <SigningSecret secret={actions.secret} onDone={actions.forgetSecret} />
      {dialog === 'edit' && <EditEndpoint detail={detail} open onClose={close} />}
      {dialog === 'sample' && <SampleDialog endpointId={id} choices={detail.events} onClose={close} />}
      <ReplayDialog endpointId={id} open={dialog === 'replay'} onClose={close} />
    </>
  );
}

export function EndpointPage() {
  const { id } = useParams({ from: '/developers/webhooks/$id' });
  const query = useQuery({
    queryKey: ['webhooks', 'endpoint', id],
    queryFn: ({ signal }) => call('GET /webhooks/{id}', { params: { id } }, signal),
    refetchInterval: REFRESH_MS,
  });
  if (query.data !== undefined) return <Endpoint key={id} detail={query.data} />;
  return (
    <>
      <PageHeader title={ENDPOINT.title} back={{ to: '/developers/webhooks', name: WEBHOOKS.title }} />
      {query.isError ? (
        <ErrorState error={query.error} retry={() => void query.refetch()} busy={query.isFetching} />
      ) : (
        <SkeletonRows />
      )}
    </>
  );
}
