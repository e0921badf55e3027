-- Removes what only databases of the first versions needed, and names things after what they hold.

drop trigger touchpoints_recording_time on touchpoints;
drop function keep_recording_time();
alter table touchpoints drop column days_to_record;

drop index idempotency_keys_linked;

-- The text with marks in place of link tokens is the only one that is stored.
alter table messages drop column body;
alter table messages rename column wording to body;
drop index messages_replies;
create index messages_replies on messages (organization_id, due_at)
  where purpose in ('reply', 'answer') and status = 'scheduled';

drop trigger webhook_deliveries_sealed on webhook_deliveries;
drop function refuse_sealed_webhook();
alter table webhook_messages drop column payload, alter column sealed_payload set not null;
alter table webhook_attempts drop column answer;

alter table delivery_settings drop column earlier_countries;

-- An email is sent by its job, so it needs neither a claim nor a due time.
alter table owner_letters drop constraint owner_letters_status_check;
update owner_letters set status = 'scheduled' where status = 'sending';
alter table owner_letters
  add constraint owner_letters_status_check check (status in ('scheduled', 'accepted', 'failed')),
  drop column claimed_at,
  drop column due_at,
  alter column purpose drop default;

update touchpoint_events e set touchpoint_name = t.name from touchpoints t
where e.touchpoint_name is null and t.organization_id = e.organization_id and t.id = e.touchpoint_id;
alter table touchpoint_events alter column touchpoint_name set not null;

-- A take without a member belongs to the one who had its intro when the upload started.
update recordings r set member_id = coalesce((
  select a.from_member_id from intro_reassignments a
  where a.organization_id = r.organization_id and a.intro_id = r.intro_id and a.created_at > r.created_at
  order by a.generation limit 1
), i.member_id)
from intros i
where r.member_id is null and i.organization_id = r.organization_id and i.id = r.intro_id;
alter table recordings alter column member_id set not null;

alter table owner_letters rename to owner_emails;
alter table encoding_turns rename to encoding_claims;
do $$
declare
  c record;
begin
  for c in
    select conrelid::regclass as "table", conname as name from pg_constraint
    where conrelid in ('owner_emails'::regclass, 'encoding_claims'::regclass)
  loop
    execute format('alter table %s rename constraint %I to %I', c."table", c.name,
      regexp_replace(c.name, '^(owner_letters|encoding_turns)', c."table"::text));
  end loop;
end $$;

alter table signin_links rename column asked_from to requested_from;
alter table recordings rename column files_look_at to files_check_at;

alter index intros_number rename to intros_recipient_phone;
alter index messages_waiting rename to messages_deliveries;
alter index recordings_files rename to recordings_file_checks;
alter index recordings_kept rename to recordings_ready;
alter index recordings_under_way rename to recordings_in_flight;
alter index recordings_unpreviewed rename to recordings_without_preview;
alter index webhook_deliveries_waiting rename to webhook_deliveries_due;

alter function tell_console() rename to notify_console;
alter function tell_console_of_organization() rename to notify_console_of_organization;
alter function tell_console_of_sessions() rename to notify_console_of_sessions;

-- Conditions that were only checked for new rows.
alter table intro_replies validate constraint intro_replies_type_check;
alter table links validate constraint links_kind_check;
alter table messages validate constraint messages_held_for_check;
alter table messages validate constraint messages_purpose_check;
