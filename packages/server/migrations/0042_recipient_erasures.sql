-- Requests to erase a recipient. A row holds the progress of the work and becomes the receipt. It does not identify the person:
-- the number is encrypted, and deleted once the work is done. Nodes of the previous version neither accept nor process erasures; they show
-- no video of an erased intro, because it has no recording anymore.
create table recipient_erasures (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  status text not null check (status in ('processing', 'completed')),
  sealed_phone bytea,
  -- How many rows or files of each kind were erased.
  removed jsonb not null default '{}',
  opt_out_kept boolean not null default false,
  -- Where the worker continues: everything is done twice, the second time for what was in flight.
  pass smallint not null default 1,
  step text collate "C" not null,
  position text collate "C" not null default '',
  -- In real time.
  due_at timestamptz,
  accepted_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (organization_id, id),
  check ((status = 'completed') = (completed_at is not null)),
  check ((status = 'processing') = (due_at is not null)),
  check ((status = 'processing') = (sealed_phone is not null))
);
create index recipient_erasures_due on recipient_erasures (due_at) where status = 'processing';

-- Opt-outs of erased numbers, by a keyed hash. A new event or intro for the number moves its row back to opt_outs.
create table erased_opt_outs (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  phone_hash bytea not null,
  source text not null check (source in ('text', 'page', 'carrier', 'operator')),
  opted_out_at timestamptz not null,
  primary key (organization_id, environment, phone_hash)
);

alter table intros add column erasure_id text collate "C", add column erased_at timestamptz;
create index intros_erasure on intros (organization_id, erasure_id, id) where erasure_id is not null;
alter table touchpoint_events add column erasure_id text collate "C";
create index touchpoint_events_erasure on touchpoint_events (organization_id, erasure_id, id) where erasure_id is not null;

-- Events store no response, so this index is small. It is built in one scan of the keys.
create index idempotency_keys_object on idempotency_keys (organization_id, object_id) where response is not null;
