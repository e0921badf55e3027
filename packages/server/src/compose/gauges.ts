import { secondsOverdue } from '../delivery/index.ts';
import { countWaiting, oldestAcceptedAgeS } from '../events/index.ts';
import { countWaitingWebhooks } from '../webhooks/index.ts';
import type { Core } from './core.ts';

export function registerGauges({ metrics, db, clock }: Core): void {
  metrics.gauge('foreword_queue_depth', 'Events waiting to be processed.', () => countWaiting(db.pool));
  metrics.gauge('foreword_oldest_accepted_event_seconds', 'Age of the oldest waiting event.', () =>
    oldestAcceptedAgeS(db.pool, clock()),
  );
  metrics.gauge('foreword_webhooks_waiting', 'Webhooks waiting to be sent or in flight.', () =>
    countWaitingWebhooks(db),
  );
  metrics.gauge('foreword_oldest_due_message_seconds', 'Seconds since the oldest unsent message was due.', () =>
    secondsOverdue(db, clock()),
  );
}
