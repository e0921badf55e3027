-- Where an organization wants to be told what happens.
create table webhook_endpoints (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  url text not null,
  events text[] not null check (cardinality(events) > 0),
  active boolean not null default true,
  -- Why the service turned it off; null when its owner did, or nobody.
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  -- Sealed with a key that is not here. The previous one signs as well until it expires.
  secret bytea not null,
  previous_secret bytea,
  previous_secret_expires_at timestamptz,
  -- The first failure since the last success.
  failing_since timestamptz,
  created_at timestamptz not null,
  primary key (organization_id, id),
  check (disabled_reason is null or not active),
  check ((previous_secret is null) = (previous_secret_expires_at is null))
);

-- What is told, written in the transaction of the change. One message for all endpoints that want it.
create table webhook_messages (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  type text not null,
  -- As it is signed and sent: text, not json, so that not a byte of it changes.
  payload text not null,
  created_at timestamptz not null,
  primary key (organization_id, id)
);
create index webhook_messages_age on webhook_messages (created_at);

create table webhook_deliveries (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  message_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  -- Grows whenever a worker takes it: one that was given up for dead can no longer settle it.
  claim integer not null default 0,
  failures smallint not null default 0,
  -- The next attempt; while one is under way, when it is given up for dead.
  due_at timestamptz,
  created_at timestamptz not null,
  primary key (organization_id, message_id, endpoint_id),
  check ((status = 'pending') = (due_at is not null))
);
-- Where workers look: by endpoint, so that ten thousand that wait for one do not stand before those of another.
create index webhook_deliveries_waiting on webhook_deliveries (organization_id, endpoint_id, due_at) where due_at is not null;
create index webhook_deliveries_failed on webhook_deliveries (organization_id, endpoint_id, created_at) where status = 'failed';

create table webhook_attempts (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  endpoint_id text collate "C" not null,
  id text collate "C" not null,
  message_id text collate "C" not null,
  type text not null,
  succeeded boolean not null,
  status smallint,
  error text,
  duration_ms integer not null,
  answer text,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  primary key (organization_id, endpoint_id, id)
);
create index webhook_attempts_age on webhook_attempts (created_at);
