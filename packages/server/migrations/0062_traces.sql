-- The trace of each event and intro whose request was traced. Later work on the object, in any process, continues this trace. The
-- table stays empty while traces are off.
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
