/** The NOTIFY channel that wakes the workers that send messages. */
export const MESSAGES_DUE = 'foreword_messages';

/**
 * Part of the statements that insert intros as `inserted`: schedules each member's notification without another round trip.
 * `messages` belongs to delivery, which imports this module and so cannot export the fragment. Message ids derive from intro ids.
 */
export const INSERT_MEMBER_NOTIFICATION = `
notifications as (
  insert into messages (organization_id, environment, id, intro_id, audience, purpose, status, due_at, created_at)
  select organization_id, environment, 'msg_' || substr(id, 5), id, 'member', 'ask', 'scheduled', created_at, created_at
  from inserted
), woken as materialized (
  select pg_notify('${MESSAGES_DUE}', '') from inserted limit 1
)`;
