import type { WebhookAttempt } from '@foreword/contract';
import { useState } from 'react';
import { call } from '../../api.ts';
import { formatDuration, formatJson } from '../../format.ts';
import { ActionButton } from '../../parts/actions.tsx';
import { CodeBlock } from '../../parts/copy.tsx';
import { Badge, DefinitionList, Icon } from '../../parts/display.tsx';
import { List, LoadedRows, usePages } from '../../parts/list.tsx';
import { Dialog } from '../../parts/overlays.tsx';
import { EmptyState, Loaded } from '../../parts/states.tsx';
import { Time, useNowMs } from '../../parts/time.tsx';
import { load } from '../../queries.ts';
import { ENDPOINT } from './texts.ts';

/** Failed is only the last attempt of a message. */
function Outcome({ succeeded, next_attempt_at: next }: WebhookAttempt) {
  const now = useNowMs();
  if (succeeded) return <Badge tone="good">Delivered</Badge>;
  if (next === null) return <Badge tone="bad">Failed</Badge>;
  return Date.parse(next) > now ? <Badge tone="warn">{ENDPOINT.retrying}</Badge> : <Badge>Retried</Badge>;
}

const statusOf = ({ status }: WebhookAttempt): string => (status === null ? 'No response' : `HTTP ${status}`);

function Message({ endpointId, attempt }: { endpointId: string; attempt: WebhookAttempt }) {
  const input = { params: { id: attempt.message }, query: { endpoint: endpointId } };
  const query = load(['webhooks', 'message', endpointId, attempt.message], 'GET /v1/webhook_messages/{id}', input);
  return <Loaded query={query}>{({ payload }) => <CodeBlock code={formatJson(payload)} label="Payload" />}</Loaded>;
}

interface AttemptDialogProps {
  endpointId: string;
  isActive: boolean;
  attempt: WebhookAttempt;
  onClose: () => void;
}

function AttemptDialog({ endpointId, isActive, attempt, onClose }: AttemptDialogProps) {
  const { message, type, answer } = attempt;
  return (
    <Dialog
      onClose={onClose}
      title={type}
      wide
      actions={
        isActive && (
          <ActionButton
            kind="primary"
            icon="again"
            label={ENDPOINT.resend}
            run={() =>
              call('POST /v1/webhook_endpoints/{id}/replay', { params: { id: endpointId }, body: { message } })
            }
            topics={['webhooks']}
            done="The message is being resent."
            onDone={onClose}
          />
        )
      }
    >
      <div className="stack">
        <DefinitionList
          items={[
            ['Time', <Time key="at" at={attempt.created_at} style="dateTime" />],
            ['Message ID', <code key="id">{message}</code>],
            [statusOf(attempt), <Outcome key="outcome" {...attempt} />],
            ['Duration', formatDuration(attempt.duration_ms)],
            ['Error', attempt.error],
            [
              'Next attempt',
              attempt.next_attempt_at && <Time key="next" at={attempt.next_attempt_at} style="dateTime" />,
            ],
          ]}
        />
        <Message endpointId={endpointId} attempt={attempt} />
        {answer !== null && answer !== '' && <CodeBlock code={formatJson(answer)} label="Response (first KB)" />}
        {answer === '' && <p className="hint">The response was empty.</p>}
      </div>
    </Dialog>
  );
}

/** The delivery attempts of one endpoint. */
export function Attempts({ endpointId, isActive }: { endpointId: string; isActive: boolean }) {
  const [shown, setShown] = useState<WebhookAttempt | null>(null);
  const pages = usePages({
    key: ['webhooks', 'attempts', endpointId],
    fetch: (after, signal) =>
      call(
        'GET /v1/webhook_endpoints/{id}/attempts',
        { params: { id: endpointId }, query: { limit: undefined, starting_after: after ?? undefined } },
        signal,
      ),
    rowsOf: ({ data }) => data,
    isPolled: true,
  });
  return (
    <>
      <LoadedRows pages={pages} empty={<EmptyState title="No deliveries yet">Send a test to see one.</EmptyState>}>
        {(rows) => (
          <List
            label={ENDPOINT.attempts}
            rows={rows}
            render={(attempt) => (
              <button type="button" className="row" onClick={() => setShown(attempt)}>
                <Outcome {...attempt} />
                <span className="row-text">
                  <code>{attempt.type}</code>
                  <span className="hint">
                    {statusOf(attempt)} · {formatDuration(attempt.duration_ms)}
                  </span>
                </span>
                <span className="hint row-end">
                  <Time at={attempt.created_at} />
                </span>
                <Icon name="next" />
              </button>
            )}
          />
        )}
      </LoadedRows>
      {shown !== null && (
        <AttemptDialog endpointId={endpointId} isActive={isActive} attempt={shown} onClose={() => setShown(null)} />
      )}
    </>
  );
}
