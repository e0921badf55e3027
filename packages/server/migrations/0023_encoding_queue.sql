alter table recordings
  -- Attempts that the encoder itself ended. `attempts` counts claims, so that a late worker changes nothing.
  add column failures smallint not null default 0,
  -- Claims whose worker died. They say nothing about the take.
  add column worker_deaths smallint not null default 0,
  -- CPU time of all attempts.
  add column cpu_ms integer not null default 0,
  -- Larger or longer than 30 seconds of 1080p. Null until the file has been inspected.
  add column heavy boolean,
  -- When the next attempt is due. Null before the first one.
  add column retry_at timestamptz;

-- When each organization last got an encoder: the one that waits longest is next.
create table encoding_turns (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  claimed_at timestamptz not null,
  primary key (organization_id, environment)
);
