/** Folder: API keys, webhooks, dry runs and the request log. */

import type { WebhookEndpoint, WebhookEndpointDetail, WebhookEventType } from '@foreword/contract';
import { DAY_MS } from '@foreword/contract/plain/times';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call, fieldProblem } from '../../api.ts';
import { nowMs, readZonedTime, toZonedTime } from '../../format.ts';
import { useUnsaved } from '../../hooks.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm, FormDialog } from '../../parts/dialog.tsx';
import { Card, DefinitionList, Notice, PageHeader } from '../../parts/display.tsx';
import { SelectField, TextField } from '../../parts/form.tsx';
import { ErrorState, SkeletonRows } from '../../parts/states.tsx';
import { Time, useZone, useZoneHint } from '../../parts/time.tsx';
import { useAction } from '../../queries.ts';
import { useRetryKeys } from '../../retry-keys.ts';
import { Attempts } from './attempts.tsx';
import { bodyOf, describeEvents, EndpointFields, expandEvents, SigningSecret } from './endpoint-form.tsx';
import { ENDPOINT, WEBHOOKS } from './texts.ts';
import { EndpointBadge } from './webhooks.tsx';

const REFRESH_MS = 4_000;
const TEST_TYPE = 'webhook.test';

type Dialog = 'off' | 'rotate' | 'remove' | 'edit' | 'resend' | 'test' | null;

interface ProblemProps {
  endpoint: WebhookEndpoint;
  busy: boolean;
  onTurnOn: () => void;
  onResend: () => void;
}

/** Says why the endpoint is off or failing, and offers the next step. */
function EndpointProblem({ endpoint, busy, onTurnOn, onResend }: ProblemProps) {
  const { active, disabled_reason: reason, failing_since: since } = endpoint;
  if (!active)
    return (
      <Notice
        tone={reason === null ? 'info' : 'bad'}
        action={
          <Button small busy={busy} onClick={onTurnOn}>
            {ENDPOINT.turnOn}
          </Button>
        }
      >
        {ENDPOINT.whyOff[reason ?? 'team']}
      </Notice>
    );
  return since === null ? null : (
    <Notice
      tone="warn"
      title={ENDPOINT.failingSince}
      action={
        <Button kind="quiet" small onClick={onResend}>
          {ENDPOINT.resendFailed}
        </Button>
      }
    >
      <Time at={since} style="dateTime" />. {ENDPOINT.failing}
    </Notice>
  );
}

interface DialogProps {
  detail: WebhookEndpointDetail;
  onClose: () => void;
}

function EditDialog({ detail: { endpoint, events }, onClose }: DialogProps) {
  const [initial] = useState({
    url: endpoint.url,
    description: endpoint.description ?? '',
    events: expandEvents(endpoint.events, events),
  });
  const [draft, setDraft] = useState(initial);
  useUnsaved(draft !== initial);
  const save = useAction({
    run: () => call('POST /v1/webhook_endpoints/{id}', { params: { id: endpoint.id }, body: bodyOf(draft) }),
    topics: ['webhooks'],
    showsFailure: true,
    done: ENDPOINT.saved,
    onDone: onClose,
  });
  return (
    <FormDialog
      title={ENDPOINT.settings}
      submit={ENDPOINT.save}
      action={save}
      fields={['url', 'description', 'events']}
      onClose={onClose}
      onSubmit={() => save.mutate()}
    >
      <EndpointFields draft={draft} choices={events} onChange={setDraft} error={save.error} />
    </FormDialog>
  );
}

/** Sends a realistic message of one type to this endpoint. */
function TestDialog({ detail: { endpoint, events }, onClose }: DialogProps) {
  const [type, setType] = useState<string>(TEST_TYPE);
  const send = useAction({
    run: () =>
      call('POST /v1/webhook_endpoints/{id}/test', {
        params: { id: endpoint.id },
        // The choices are the event types that the server lists.
        body: { type: type as WebhookEventType },
      }),
    topics: ['webhooks'],
    showsFailure: true,
    done: ENDPOINT.tested,
    onDone: onClose,
  });
  return (
    <FormDialog
      title={ENDPOINT.test}
      lead={ENDPOINT.testLead}
      submit={ENDPOINT.testAction}
      action={send}
      onClose={onClose}
      onSubmit={() => send.mutate()}
    >
      <SelectField
        label={ENDPOINT.testType}
        value={type}
        options={[TEST_TYPE, ...events.map((event) => event.type)].map((value) => ({ value, label: value }))}
        onChange={setType}
      />
    </FormDialog>
  );
}

/** The times of messages are before those of their attempts, by which the endpoint counts as failing. */
const MARGIN_MS = 300_000;

/** Times are entered in the organization's time zone. */
function ResendDialog({ detail: { endpoint }, onClose }: DialogProps) {
  const zone = useZone();
  const zoneHint = useZoneHint();
  const [since, setSince] = useState(() => {
    const fromMs = endpoint.failing_since === null ? nowMs() - DAY_MS : Date.parse(endpoint.failing_since) - MARGIN_MS;
    return toZonedTime(new Date(fromMs).toISOString(), zone);
  });
  const [until, setUntil] = useState('');
  const replay = useAction({
    run: () => {
      const end = readZonedTime(until, zone);
      return call('POST /v1/webhook_endpoints/{id}/replay', {
        params: { id: endpoint.id },
        body: { since: readZonedTime(since, zone) ?? '', ...(end !== undefined && { until: end }) },
      });
    },
    topics: ['webhooks'],
    showsFailure: true,
    done: ({ messages }) => ENDPOINT.resentFailed(messages),
    onDone: onClose,
  });
  return (
    <FormDialog
      title={ENDPOINT.resendFailed}
      lead={ENDPOINT.resendLead}
      submit={ENDPOINT.resend}
      action={replay}
      fields={['since', 'until']}
      onClose={onClose}
      onSubmit={() => replay.mutate()}
    >
      <TextField
        label={ENDPOINT.from}
        hint={zoneHint}
        error={fieldProblem(replay.error, 'since')}
        type="datetime-local"
        value={since}
        onChange={setSince}
      />
      <TextField
        label={ENDPOINT.until}
        optional
        hint={ENDPOINT.untilHint}
        error={fieldProblem(replay.error, 'until')}
        type="datetime-local"
        value={until}
        onChange={setUntil}
      />
    </FormDialog>
  );
}

interface SettingsProps {
  detail: WebhookEndpointDetail;
  onOpen: (dialog: Dialog) => void;
}

function Settings({ detail: { endpoint, backlog }, onOpen }: SettingsProps) {
  const { active } = endpoint;
  const opens = (dialog: Dialog, label: string) => (
    <Button kind="quiet" small onClick={() => onOpen(dialog)}>
      {label}
    </Button>
  );
  const count = (amount: number) => ENDPOINT.count(amount, backlog.limit);
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
          [ENDPOINT.waitingTerm, count(backlog.waiting)],
          [ENDPOINT.retryingTerm, count(backlog.retrying)],
          [ENDPOINT.failedTerm, count(backlog.given_up)],
        ]}
      />
      <div className="form-actions">
        {active && opens('resend', ENDPOINT.resendFailed)}
        {opens('rotate', ENDPOINT.rotate)}
        {active && opens('off', ENDPOINT.turnOff)}
        {opens('remove', ENDPOINT.remove)}
      </div>
    </Card>
  );
}

function Endpoint({ detail }: { detail: WebhookEndpointDetail }) {
  const { endpoint } = detail;
  const { id, active } = endpoint;
  const params = { id };
  const navigate = useNavigate();
  const rotations = useRetryKeys<{ id: string }>();
  const [secret, setSecret] = useState<string | null>(null);
  const [dialog, setDialog] = useState<Dialog>(null);
  const close = () => setDialog(null);
  const setActive = useAction({
    topics: ['webhooks'],
    onDone: close,
    run: (isOn: boolean) => call('POST /v1/webhook_endpoints/{id}', { params, body: { active: isOn } }),
    done: (changed) => (changed.active ? ENDPOINT.isOn : ENDPOINT.isOff),
  });
  const rotate = useAction({
    topics: ['webhooks'],
    run: () => call('POST /v1/webhook_endpoints/{id}/rotate_secret', { params, key: rotations(params).key }),
    onDone(rotated) {
      rotations.done();
      close();
      setSecret(rotated.secret);
    },
  });
  const remove = useAction({
    run: () => call('DELETE /v1/webhook_endpoints/{id}', { params }),
    done: ENDPOINT.removed,
    onDone: () => void navigate({ to: '/developers/webhooks' }),
  });
  const confirm = (kind: Dialog) => ({
    open: dialog === kind,
    onOpenChange: (next: boolean) => next || close(),
  });
  return (
    <>
      <PageHeader
        title={ENDPOINT.title}
        lead={<code>{endpoint.url}</code>}
        badge={<EndpointBadge {...endpoint} />}
        back={{ to: '/developers/webhooks', name: WEBHOOKS.title }}
        actions={
          active && (
            <Button icon="send" onClick={() => setDialog('test')}>
              {ENDPOINT.test}
            </Button>
          )
        }
      />
      <EndpointProblem
        endpoint={endpoint}
        busy={setActive.isPending}
        onTurnOn={() => setActive.mutate(true)}
        onResend={() => setDialog('resend')}
      />
      <Settings detail={detail} onOpen={setDialog} />
      <Card title={ENDPOINT.attempts} lead={ENDPOINT.attemptsLead}>
        <Attempts endpointId={id} isActive={active} />
      </Card>
      <Confirm
        {...confirm('off')}
        title={ENDPOINT.turnOffTitle}
        action={ENDPOINT.turnOff}
        run={{ ...setActive, mutate: () => setActive.mutate(false) }}
      >
        {ENDPOINT.turnOffLead}
      </Confirm>
      <Confirm {...confirm('rotate')} title={ENDPOINT.rotateTitle} action={ENDPOINT.rotate} run={rotate}>
        {ENDPOINT.rotateLead}
      </Confirm>
      <Confirm {...confirm('remove')} title={ENDPOINT.removeTitle} action={ENDPOINT.removeAction} danger run={remove}>
        {ENDPOINT.removeLead}
      </Confirm>
      <SigningSecret secret={secret} onDone={() => setSecret(null)} />
      {dialog === 'edit' && <EditDialog detail={detail} onClose={close} />}
      {dialog === 'test' && <TestDialog detail={detail} onClose={close} />}
      {dialog === 'resend' && <ResendDialog detail={detail} onClose={close} />}
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
