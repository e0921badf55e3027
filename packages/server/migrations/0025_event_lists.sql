-- The touchpoint's name when the event was matched. Null in events that an earlier version accepted.
alter table touchpoint_events add column touchpoint_name text;

-- The list of events by status, touchpoint and reference (events/store/list.ts). Both indexes leave out accepted events, so
-- that accepting writes to neither; processing adds one entry to each. They start without the organization, because ids of
-- touchpoints are unique: an entry is shorter, and the planner cannot prefer to filter the primary key.
-- Each index is built in one scan of the table, during which it cannot be written to: about two seconds per million rows.
create index touchpoint_events_touchpoint on touchpoint_events (touchpoint_id, status, id) where settled_at is not null;
create index touchpoint_events_reference on touchpoint_events
  ((request -> 'reference' ->> 'id'), touchpoint_id, status, id)
  where settled_at is not null and (request -> 'reference' ->> 'id') is not null;
