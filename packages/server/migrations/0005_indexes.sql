-- An event's outcome is written beside the event on its page, and changes no index: each page keeps half of itself free for it, indexes
-- tell failed events apart by their error code, and the columns that it changes follow the request, so that the log contains only them.
-- The table is written once more, because a column cannot move.
drop index touchpoint_events_failed, touchpoint_events_reference, touchpoint_events_touchpoint;
alter table touchpoint_events
  set (fillfactor = 50),
  add column moved_status text generated always as (status) stored,
  alter column error_code type text using case when status = 'failed' then coalesce(error_code, 'processing_failed') end;
alter table touchpoint_events alter column moved_status drop expression, drop column status;
alter table touchpoint_events rename column moved_status to status;
alter table touchpoint_events
  alter column status set not null,
  add check (status = case when settled_at is null then 'accepted' when error_code is null then 'processed' else 'failed' end);
create index touchpoint_events_failed on touchpoint_events (organization_id, id) where error_code is not null;
create index touchpoint_events_failed_touchpoint on touchpoint_events (touchpoint_id, id) where error_code is not null;
-- They start without the organization, because ids of touchpoints are unique: entries are shorter, and the planner cannot prefer to
-- filter the primary key.
create index touchpoint_events_reference on touchpoint_events ((request -> 'reference' ->> 'id'), touchpoint_id, id)
  where (request -> 'reference' ->> 'id') is not null;
create index touchpoint_events_touchpoint on touchpoint_events (touchpoint_id, id) where error_code is null;

-- Open intros are also sorted by deadline in each organization and by status in each member, and numbers are looked up in each
-- organization.
drop index intros_expiry, intros_to_record, intros_phone;
