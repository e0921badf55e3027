import { secondsOverdue } from '../delivery/index.ts';
import { countWaiting, oldestAcceptedAgeS } from '../events/index.ts';
import { countWaitingWebhooks } from '../webhooks/index.ts';
import type { Core } from './core.ts';

export function registerGauges({ metrics, db, clock }: Core): void {
  metrics.gauge('foreword_queue_depth', 'Events that wait to be processed.', () => countWaiting(db.pool));
  metrics.gauge('foreword_oldest_accepted_event_seconds', 'Age of the oldest event that still waits.', () =>
    oldestAcceptedAgeS(db.pool, clock()),
  );
  metrics.gauge('foreword_webhooks_waiting', 'Webhooks that wait to be sent or are under way.', () =>
    countWaitingWebhooks(db),
  );
  metrics.gauge('foreword_oldest_due_message_seconds', 'How long the oldest message is overdue.', () =>
    secondsOverdue(db, clock()),
  );
}
