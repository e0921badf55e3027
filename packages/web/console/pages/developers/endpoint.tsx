/** Folder: API keys, webhooks, dry runs and the request log. */

import type { WebhookEndpointDetail, WebhookEventType } from '@foreword/contract';
import { DAY_MS } from '@foreword/contract/plain/times';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api.ts';
import { nowMs, readZonedTime, toZonedTime } from '../../format.ts';
import { ActionButton, AskButton, DialogButton, FieldsButton } from '../../parts/actions.tsx';
import { Card, DefinitionList, Notice, PageHeader } from '../../parts/display.tsx';
import { LoadedPage } from '../../parts/states.tsx';
import { Time, useZone, useZoneHint } from '../../parts/time.tsx';
import { load } from '../../queries.ts';
import { NAV, PARTS } from '../../texts.ts';
import { Attempts } from './attempts.tsx';
import { describeEvents, EndpointDialog, SigningSecret } from './endpoint-form.tsx';
import { ENDPOINT, WEBHOOKS } from './texts.ts';
import { EndpointBadge } from './webhooks.tsx';

const REFRESH_MS = 4_000;
const TEST_TYPE = 'webhook.test';

/** Says why the endpoint is off or failing, and offers the next step. */
function EndpointProblem({ detail }: { detail: WebhookEndpointDetail }) {
  const { id, active, disabled_reason: reason, failing_since: since } = detail.endpoint;
  if (!active)
    return (
      <Notice
        tone={reason === null ? 'info' : 'bad'}
        action={
          <ActionButton
            kind="primary"
            small
            label="Turn on"
            run={() => call('POST /v1/webhook_endpoints/{id}', { params: { id }, body: { active: true } })}
            topics={['webhooks']}
            done="The endpoint is on."
          />
        }
      >
        {ENDPOINT.whyOff[reason ?? 'team']}
      </Notice>
    );
  return since === null ? null : (
    <Notice tone="warn" title="Failing since" action={<ResendButton detail={detail} />}>
      <Time at={since} style="dateTime" />. {ENDPOINT.failing}
    </Notice>
  );
}

/** Sends a realistic message of one type to this endpoint. */
const TestButton = ({ detail: { endpoint, events } }: { detail: WebhookEndpointDetail }) => (
  <FieldsButton<{ type: string }, unknown>
    button={{ kind: 'primary', icon: 'send', label: ENDPOINT.test }}
    title={ENDPOINT.test}
    lead={ENDPOINT.testLead}
    submit="Send"
    list={[
      {
        ...{ name: 'type', label: 'Event', kind: 'select' },
        options: [TEST_TYPE, ...events.map((event) => event.type)].map((value) => ({ value, label: value })),
      },
    ]}
    initial={{ type: TEST_TYPE }}
    run={({ type }, key) =>
      call('POST /v1/webhook_endpoints/{id}/test', {
        params: { id: endpoint.id },
        // The choices are the event types that the server lists.
        body: { type: type as WebhookEventType },
        key,
      })
    }
    topics={['webhooks']}
    done="Test sent. The result appears below in a moment."
  />
);

/** The times of messages are before those of their attempts, by which the endpoint counts as failing. */
const MARGIN_MS = 300_000;

/** The time is entered in the organization's time zone. */
function ResendButton({ detail: { endpoint, backlog } }: { detail: WebhookEndpointDetail }) {
  const zone = useZone();
  const zoneHint = useZoneHint();
  const { failing_since: failing } = endpoint;
  // While an endpoint is off, its messages fail at once, so the oldest may be from long ago.
  const failedMs = backlog.failed_since === null ? nowMs() - DAY_MS : Date.parse(backlog.failed_since);
  const fromMs = failing === null ? failedMs : Date.parse(failing) - MARGIN_MS;
  return (
    <FieldsButton
      button={{ small: true, label: ENDPOINT.resendFailed }}
      title={ENDPOINT.resendFailed}
      lead={ENDPOINT.resendLead}
      submit={ENDPOINT.resend}
      list={[{ name: 'since', label: 'From', hint: zoneHint, kind: 'time' }]}
      initial={{ since: toZonedTime(new Date(fromMs).toISOString(), zone) }}
      run={({ since }, key) => {
        const body = { since: readZonedTime(since, zone) ?? '' };
        return call('POST /v1/webhook_endpoints/{id}/replay', { params: { id: endpoint.id }, body, key });
      }}
      topics={['webhooks']}
      done={({ messages }) => ENDPOINT.resentFailed(messages)}
    />
  );
}

function Settings({ detail }: { detail: WebhookEndpointDetail }) {
  const { endpoint, events, backlog } = detail;
  const { id, active } = endpoint;
  const params = { id };
  const navigate = useNavigate();
  const [secret, setSecret] = useState<string | null>(null);
  const count = (amount: number) => ENDPOINT.count(amount, backlog.limit);
  return (
    <Card
      title={ENDPOINT.settings}
      actions={
        <DialogButton
          small
          icon="edit"
          label="Edit"
          dialog={(onClose) => (
            <EndpointDialog
              title={ENDPOINT.settings}
              submit={PARTS.save}
              draft={endpoint}
              choices={events}
              run={(body) => call('POST /v1/webhook_endpoints/{id}', { params, body })}
              done="Saved."
              onClose={onClose}
            />
          )}
        />
      }
    >
      <DefinitionList
        items={[
          [WEBHOOKS.description, endpoint.description],
          [NAV.events, describeEvents(endpoint.events)],
          ['Created', <Time key="created" at={endpoint.created_at} style="dateTime" />],
          ['Pending', count(backlog.waiting)],
          [ENDPOINT.retrying, count(backlog.retrying)],
          ['Failed in 30 days', count(backlog.given_up)],
        ]}
      />
      <div className="form-actions">
        {active && endpoint.failing_since === null && <ResendButton detail={detail} />}
        <AskButton
          button={{ small: true, label: ENDPOINT.rotate }}
          title="Rotate the signing secret?"
          action={ENDPOINT.rotate}
          run={(key) => call('POST /v1/webhook_endpoints/{id}/rotate_secret', { params, key })}
          topics={['webhooks']}
          onDone={(rotated) => setSecret(rotated.secret)}
        >
          {ENDPOINT.rotateLead}
        </AskButton>
        {active && (
          <AskButton
            button={{ small: true, label: ENDPOINT.turnOff }}
            title="Turn this endpoint off?"
            action={ENDPOINT.turnOff}
            run={() => call('POST /v1/webhook_endpoints/{id}', { params, body: { active: false } })}
            topics={['webhooks']}
            done="The endpoint is off."
          >
            {ENDPOINT.turnOffLead}
          </AskButton>
        )}
        <AskButton
          button={{ small: true, label: 'Delete' }}
          title="Delete this endpoint?"
          action="Delete endpoint"
          danger
          run={() => call('DELETE /v1/webhook_endpoints/{id}', { params })}
          done="Endpoint deleted."
          onDone={() => void navigate({ to: '/developers/webhooks' })}
        >
          {ENDPOINT.removeLead}
        </AskButton>
      </div>
      {secret !== null && <SigningSecret secret={secret} onDone={() => setSecret(null)} />}
    </Card>
  );
}

const BACK = { to: '/developers/webhooks', name: NAV.webhooks } as const;

function Endpoint({ detail }: { detail: WebhookEndpointDetail }) {
  const { endpoint } = detail;
  const { id, active } = endpoint;
  return (
    <>
      <PageHeader
        title={ENDPOINT.title}
        lead={<code>{endpoint.url}</code>}
        badge={<EndpointBadge {...endpoint} />}
        back={BACK}
        actions={active && <TestButton detail={detail} />}
      />
      <EndpointProblem detail={detail} />
      <Settings detail={detail} />
      <Card title={ENDPOINT.attempts} lead="The last 30 days, newest first.">
        <Attempts endpointId={id} isActive={active} />
      </Card>
    </>
  );
}

export function EndpointPage() {
  const { id } = useParams({ from: '/developers/webhooks/$id' });
  const query = {
    ...load(['webhooks', 'endpoint', id], 'GET /webhooks/{id}', { params: { id } }),
    refetchInterval: REFRESH_MS,
  };
  return (
    <LoadedPage query={query} title={ENDPOINT.title} back={BACK}>
      {(detail) => <Endpoint key={id} detail={detail} />}
    </LoadedPage>
  );
}
