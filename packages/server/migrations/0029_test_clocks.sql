-- Organizations whose clock is ahead of the real time, for tests. Nodes of the previous version know no test clocks: they send
-- these organizations' messages as usual.
create table test_clocks (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  offset_seconds integer not null check (offset_seconds between 0 and 34560000),
  -- In real time, like every time in this table.
  started_at timestamptz not null,
  advanced_at timestamptz not null,
  primary key (organization_id, environment)
);
