-- For those who connect a system of theirs: which key is in use, and what was asked with it.

-- To a minute: nodes write what they saw together, never on a request's path.
alter table api_keys add column last_used_at timestamptz;

-- What was asked under /v1, for a week. Written in batches after the answers went out, so that a crash loses the last half
-- second of it. Numbers and secrets in it are masked before they come here.
create table request_log (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  -- The request id of the answer. It sorts by time, so that a span of time is a span of keys.
  id text collate "C" not null,
  key_id text collate "C" not null,
  method text not null,
  path text collate "C" not null,
  query text,
  status smallint not null,
  error_code text,
  duration_ms real not null,
  body text,
  -- As it came; larger than what is kept when that was cut.
  body_bytes integer not null,
  -- Of errors only.
  answer text,
  object_id text collate "C",
  created_at timestamptz not null,
  primary key (organization_id, id)
);
create index request_log_age on request_log (created_at);
create index request_log_errors on request_log (organization_id, id) where status >= 400;
create index request_log_object on request_log (organization_id, object_id, id) where object_id is not null;

-- How many of a busy hour were not kept.
create table request_log_gaps (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  hour timestamptz not null,
  requests integer not null,
  primary key (organization_id, environment, hour)
);
create index request_log_gaps_age on request_log_gaps (hour);
