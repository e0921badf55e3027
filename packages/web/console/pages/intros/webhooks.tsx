import type { ConsoleWebhook } from '@foreword/contract';
import { formatDuration } from '../../format.ts';
import { CodeBlock } from '../../parts/copy.tsx';
import { Badge, type Tone } from '../../parts/display.tsx';
import { ObjectLink } from '../../parts/object-link.tsx';
import { Moment } from '../../parts/time.tsx';
import { INTRO } from './texts.ts';

type Delivery = ConsoleWebhook['deliveries'][number];

const TONES: Record<Delivery['status'], Tone> = { pending: 'info', delivered: 'good', failed: 'bad' };

const Attempts = ({ delivery }: { delivery: Delivery }) => (
  <ul className="hint" aria-label={INTRO.attempts}>
    {delivery.attempts.length === 0 && <li>{INTRO.noAttempt}</li>}
    {delivery.attempts.map((attempt) => (
      <li key={attempt.id}>
        <Moment at={attempt.created_at} /> · {INTRO.attempt(attempt.status, attempt.error)} ·{' '}
        {formatDuration(attempt.duration_ms)}
      </li>
    ))}
  </ul>
);

const WebhookItem = ({ webhook }: { webhook: ConsoleWebhook }) => (
  <li className="list-row entry grid gap-8">
    <div className="wrap between middle gap-8">
      <code>{webhook.type}</code>
      <span className="hint">
        <Moment at={webhook.created_at} />
      </span>
    </div>
    {webhook.deliveries.map((delivery) => (
      <div key={delivery.endpoint_id}>
        <div className="wrap between middle gap-8">
          <span>
            {delivery.url === null ? (
              INTRO.deletedEndpoint
            ) : (
              <ObjectLink id={delivery.endpoint_id} name={delivery.url} />
            )}
          </span>
          <Badge tone={TONES[delivery.status]}>{INTRO.deliveryStatus[delivery.status]}</Badge>
        </div>
        <Attempts delivery={delivery} />
      </div>
    ))}
    <details>
      <summary>{INTRO.payload}</summary>
      <CodeBlock label={webhook.type} code={JSON.stringify(webhook.payload, null, 2)} />
    </details>
  </li>
);

export const WebhookList = ({ webhooks }: { webhooks: readonly ConsoleWebhook[] }) =>
  webhooks.length === 0 ? (
    <p className="hint">{INTRO.noWebhooks}</p>
  ) : (
    <ul className="list">
      {webhooks.map((webhook) => (
        <WebhookItem key={webhook.id} webhook={webhook} />
      ))}
    </ul>
  );
