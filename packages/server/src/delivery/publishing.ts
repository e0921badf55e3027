import type { IntroEvents } from '../intros/index.ts';
import { type DomainEvent, publish } from '../webhooks/index.ts';
import type { OptOutEvent } from './consent/opt-outs.ts';
import type { PublishEvents } from './queue/outcomes.ts';

const toDomainEvent = ({ tenant, type, phone, optedOutAt }: OptOutEvent): DomainEvent => ({
  tenant,
  type,
  data: () => ({ object: 'recipient', phone, opted_out_at: optedOutAt.toISOString() }),
});

/** Publishes delivery's events as webhooks. */
export const createEventPublisher =
  (introEvents: IntroEvents): PublishEvents =>
  (tx, events, now) =>
    publish(
      tx,
      events.map((event) =>
        event.type === 'recipient.opted_out' ? toDomainEvent(event) : introEvents.toDomainEvent(tx, event),
      ),
      now,
    );
