-- A STOP to the number that organizations share answers only what came from there.
alter table messages add column by_own_account boolean not null default false;

-- Which numbers know an organization's texts, and whom a reply to the shared number answers. The table that holds who may
-- text next forgets: a text that is refused takes with it that there were others before.
create index messages_texted on messages (address, organization_id, status)
  where channel = 'text' and accepted_at is not null;
