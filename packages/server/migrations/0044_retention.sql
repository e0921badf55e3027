-- How long each organization keeps its data. Nodes of the previous version apply their fixed periods, which are the defaults.
create table retention_settings (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  rule text collate "C" not null,
  days integer not null check (days between 1 and 3650),
  -- The longer period that applies for a day after the change.
  earlier_days integer check (earlier_days between 1 and 3650),
  changed_at timestamptz not null,
  primary key (organization_id, environment, rule)
);

-- Nothing removed these before. Their defaults take effect a day after the upgrade, so that an operator can choose longer periods.
insert into retention_settings (organization_id, environment, rule, days, earlier_days, changed_at)
select o.id, 'test', d.rule, d.days, 3650, now()
from organizations o cross join (values ('intros', 1460), ('events', 400), ('messages', 1460)) as d (rule, days);

-- The age of a stored response. Existing ones count from the upgrade, because nothing says when they were stored.
alter table idempotency_keys add column created_at timestamptz not null default now();
-- Keys of events have no response, so accepting an event does not touch this index.
create index idempotency_keys_stored on idempotency_keys (organization_id, environment, created_at) where response is not null;

-- Videos that still have files.
create index recordings_kept on recordings (organization_id, ready_at) where deleted_at is null and status = 'ready';
