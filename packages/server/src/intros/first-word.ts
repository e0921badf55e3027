/** Wakes those who send. */
export const MESSAGES_DUE = 'foreword_messages';

/**
 * The first word to the member is written in the statement that writes the intro: none is forgotten, by whatever way intros
 * come, and it costs no round trip. The message takes the random part of the intro's id, which makes one for each.
 */
export const INSERT_MEMBER_NOTIFICATION = `
asked as (
  insert into messages (organization_id, environment, id, intro_id, audience, purpose, status, due_at, created_at)
  select organization_id, environment, 'msg_' || substr(id, 5), id, 'member', 'ask', 'scheduled', created_at, created_at from made
), told as materialized (
  select pg_notify('${MESSAGES_DUE}', '') from made limit 1
)`;
