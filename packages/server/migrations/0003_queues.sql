-- Claims jump from organization to organization, and read only what they take.
create index messages_scheduled on messages (organization_id, environment, due_at) where status = 'scheduled';
drop index messages_due, messages_replies;

-- Begins with the intro: without statistics, in a new database, a lookup by organization and id could take this index for as good as
-- the primary key, and then read all messages of the organization.
create unique index messages_of_intro on messages (intro_id, organization_id, purpose, channel, round) nulls not distinct;
drop index messages_intro;
alter index messages_of_intro rename to messages_intro;

-- PostgreSQL plans a lookup by key once, while the table is new and all its indexes look alike, and then takes the one that was created
-- last. So the primary key comes last. A table with rows has statistics, and can stay as it is.
do $$
declare
  one record;
  is_empty boolean;
begin
  for one in
    select conrelid::regclass as name, conname, pg_get_constraintdef(oid) as definition from pg_constraint
    where contype = 'p' and conrelid::regclass::text in ('audit_entries', 'consents', 'console_sessions', 'intros',
      'likeness_consents', 'link_domains', 'opt_outs', 'passkeys', 'recordings', 'signin_links', 'touchpoint_changes',
      'webhook_attempts')
  loop
    execute format('select not exists (select from %s)', one.name) into is_empty;
    if is_empty then
      execute format('alter table %s drop constraint %I, add constraint %2$I %s', one.name, one.conname, one.definition);
    end if;
  end loop;
end $$;

-- The queue of the workers. A row of it is small and has one index, unlike the event, whose indexes would all have to learn each change.
create table waiting_events (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  event_id text collate "C" not null,
  primary key (organization_id, environment, event_id)
);
insert into waiting_events select organization_id, environment, id from touchpoint_events where status = 'accepted';
drop index touchpoint_events_accepted;

create function queue_events() returns trigger language plpgsql as $$
begin
  insert into waiting_events select organization_id, environment, id from added where status = 'accepted';
  if found then perform hint('foreword_events', ''); end if;
  return null;
end $$;
create trigger touchpoint_events_inserted after insert on touchpoint_events referencing new table as added
  for each statement execute function queue_events();
