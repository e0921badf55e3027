-- The database alone must open no link. Earlier versions stored links in three places; what they stored needs the server key
-- to convert, so the service does that in batches. The partial indexes are its list of work, and stay empty afterwards.
-- Each index is built in one scan of its table, during which it cannot be written to: about a second per million rows.

-- The text with marks in place of link tokens. Not the same column: an earlier version compares `body` with what the carrier
-- has, and would send a message again.
alter table messages add column wording text;
create index messages_clear on messages (organization_id, id)
  where body is not null and status not in ('scheduled', 'sending');

alter table webhook_messages alter column payload drop not null, add column sealed_payload bytea;
create index webhook_messages_clear on webhook_messages (organization_id, id) where payload is not null;
alter table webhook_attempts add column sealed_answer bytea;
create index webhook_attempts_clear on webhook_attempts (organization_id, endpoint_id, id) where answer is not null;

create index idempotency_keys_linked on idempotency_keys (organization_id, environment, key)
  where response ~ '"delivery":\{"responsibility":"[a-z]+","recipient_url":"[^"]';

-- A node of an earlier version would send a sealed payload as an empty body. It raises the claim by one, later versions by
-- two. Without the row it goes on to the next message.
create function refuse_sealed_webhook() returns trigger language plpgsql as $$
begin
  if exists (
    select from webhook_messages
    where organization_id = new.organization_id and id = new.message_id and payload is null
  ) then
    return null;
  end if;
  return new;
end $$;
create trigger webhook_deliveries_sealed before update on webhook_deliveries for each row
  when (new.claim = old.claim + 1 and old.status = 'pending')
  execute function refuse_sealed_webhook();
