-- What a person at the console does with an intro: hands it to somebody else, reminds, sends again, looks for it.

alter table intros
  -- Grows whenever somebody else is to record: the link of whoever had it before opens nothing any more.
  add column link_generation smallint not null default 0;

-- Who was to record before. One row for each time that it changed.
create table intro_reassignments (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  intro_id text collate "C" not null,
  -- The one of the link from then on.
  generation smallint not null,
  from_member_id text collate "C" not null,
  to_member_id text collate "C" not null,
  by_member_id text collate "C" not null,
  -- When the one before had the recorder open.
  opened_at timestamptz,
  created_at timestamptz not null,
  primary key (organization_id, intro_id, generation)
);

alter table messages
  -- The same word once more: to the next member, or because somebody asked for it.
  add column round smallint not null default 0,
  drop constraint messages_purpose_check,
  add constraint messages_purpose_check check (purpose in ('ask', 'remind', 'remind_last', 'remind_by_hand', 'deliver'));
drop index messages_intro;
create unique index messages_intro on messages (organization_id, intro_id, purpose, channel, round) nulls not distinct;

-- Without a state all five are read side by side, which is as quick; with one, a member's list no longer skips what it does
-- not show.
drop index intros_member;
create index intros_member on intros (organization_id, member_id, status, id);
create index intros_touchpoint on intros (organization_id, touchpoint_slug, id);
-- A name is looked for by how it begins. In the order of bytes, so that a beginning is one stretch of the index.
create index intros_first_name on intros (organization_id, lower(recipient_first_name) collate "C");
-- With the first name, so that both together are found in the index alone, whichever of them was begun with.
create index intros_last_name on intros (organization_id, lower(recipient_last_name) collate "C",
    lower(recipient_first_name) collate "C")
  where recipient_last_name is not null;
create index intros_number on intros (organization_id, recipient_phone collate "C");

create index touchpoint_events_failed on touchpoint_events (organization_id, id) where status = 'failed';

-- What was told of one object. Messages from before this version name none, and are forgotten within a month.
alter table webhook_messages add column object_id text collate "C";
create index webhook_messages_object on webhook_messages (organization_id, object_id, id) where object_id is not null;
create index webhook_attempts_message on webhook_attempts (organization_id, message_id, id);

-- Tells the consoles that are open, once for each organization and statement. What it was they ask for themselves.
create function tell_console() returns trigger language plpgsql as $$
begin
  perform pg_notify('foreword_console', organization_id || ' ' || tg_argv[0]) from changed group by organization_id;
  return null;
end $$;

create trigger intros_inserted after insert on intros referencing new table as changed
  for each statement execute function tell_console('intros');
create trigger intros_updated after update on intros referencing new table as changed
  for each statement execute function tell_console('intros');
create trigger touchpoints_inserted after insert on touchpoints referencing new table as changed
  for each statement execute function tell_console('touchpoints');
create trigger touchpoints_updated after update on touchpoints referencing new table as changed
  for each statement execute function tell_console('touchpoints');
create trigger members_inserted after insert on members referencing new table as changed
  for each statement execute function tell_console('members');
create trigger members_updated after update on members referencing new table as changed
  for each statement execute function tell_console('members');
create trigger webhook_endpoints_inserted after insert on webhook_endpoints referencing new table as changed
  for each statement execute function tell_console('webhooks');
create trigger webhook_endpoints_updated after update on webhook_endpoints referencing new table as changed
  for each statement execute function tell_console('webhooks');
create trigger webhook_endpoints_deleted after delete on webhook_endpoints referencing old table as changed
  for each statement execute function tell_console('webhooks');

-- Events that made an intro are told by that.
create function tell_console_of_events() returns trigger language plpgsql as $$
begin
  perform pg_notify('foreword_console', organization_id || ' intros')
    from changed where status <> 'processed' group by organization_id;
  return null;
end $$;
create trigger touchpoint_events_updated after update on touchpoint_events referencing new table as changed
  for each statement execute function tell_console_of_events();

-- A take that is being worked on is touched twice a second; only its next state is news.
create function tell_console_of_takes() returns trigger language plpgsql as $$
begin
  perform pg_notify('foreword_console', c.organization_id || ' intros')
    from changed c join before b on b.organization_id = c.organization_id and b.id = c.id and b.status <> c.status
    group by c.organization_id;
  return null;
end $$;
create trigger recordings_updated after update on recordings referencing new table as changed old table as before
  for each statement execute function tell_console_of_takes();
