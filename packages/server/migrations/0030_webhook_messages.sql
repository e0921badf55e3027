-- Test messages have a header that says so. Nodes of the previous version send them without it.
alter table webhook_messages add column is_test boolean not null default false;

-- For the list of an endpoint's messages of one type, in store/messages.ts: a rare type is not found by scanning all messages.
-- Messages are never updated, so the index costs one entry each.
create index webhook_messages_type on webhook_messages (organization_id, type, id);
