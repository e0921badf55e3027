-- The trace that an event or intro belongs to. Written only while traces are on, and only for sampled requests. What happens to
-- the object later, in any process, belongs to the same trace.
create table traces (
  organization_id text collate "C" not null,
  environment text not null,
  object_id text collate "C" not null,
  trace_id text collate "C" not null,
  span_id text collate "C" not null,
  created_at timestamp with time zone not null default clock_timestamp(),
  primary key (organization_id, object_id)
);

create index traces_age on traces (created_at);
