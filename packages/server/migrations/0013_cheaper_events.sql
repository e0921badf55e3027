-- Events that were accepted together are one row of the queue: one to insert, to lock and to delete instead of up to 20, and workers read
-- fewer of the rows that were just deleted.
alter table waiting_events rename column event_id to oldest_id;
alter table waiting_events add column event_ids text[] collate "C";
update waiting_events set event_ids = array[oldest_id];
alter table waiting_events alter column event_ids set not null;

create or replace function queue_events() returns trigger language plpgsql as $$
begin
  insert into waiting_events
  select organization_id, environment, min(id), array_agg(id order by id) from added where status = 'accepted'
  group by organization_id, environment;
  if found then perform hint('foreword_events', ''); end if;
  return null;
end $$;

-- A pending list of at most 64 KB makes an insert a third cheaper; a search reads it in a fraction of a millisecond.
drop index intros_metadata;
create index intros_metadata on intros
  using gin (jsonb_set('{}', array[organization_id], metadata::jsonb) jsonb_path_ops) with (fastupdate = on, gin_pending_list_limit = 64)
  where metadata::text <> '{}';

-- Without a condition, which would read the request a second time.
drop index touchpoint_events_reference;
create index touchpoint_events_reference on touchpoint_events ((request #>> '{reference,id}'), touchpoint_id, id);
