-- Every table that grows with use leads its keys with the organization, so that tenants can be spread over a distributed
-- PostgreSQL later (docs/decisions/0004). Ids are text in byte order: "C" keeps their order by creation on every server.

create table organizations (
  id text collate "C" primary key,
  name text not null,
  industry text not null check (industry in ('exterior_remodeling', 'real_estate')),
  lanes text[] not null default '{}',
  timezone text not null,
  created_at timestamptz not null
);

create table members (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  external_id text,
  first_name text not null,
  last_name text not null,
  email text not null,
  phone text,
  lanes text[] not null default '{}',
  role text not null check (role in ('owner', 'manager', 'member')),
  active boolean not null default true,
  created_at timestamptz not null,
  primary key (organization_id, id)
);
-- Secondary indexes of the two small tables lead with what they look for. Led by the organization they would also do, badly,
-- for a look-up by id; a plan made while the tables were small could pick them, and is kept for as long as its connection.
create unique index members_external_id on members (external_id, organization_id, environment);
create index members_email on members (lower(email), organization_id, id);

create table touchpoints (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  slug text collate "C" not null,
  name text not null,
  context text not null check (context in ('appointment', 'status', 'milestone', 'none')),
  lane text check (lane in ('retail', 'insurance')),
  position integer not null,
  active boolean not null default true,
  delivery text not null check (delivery in ('integration', 'service')),
  days_to_record integer not null check (days_to_record between 1 and 365),
  page_title text not null,
  script text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (organization_id, id)
);
create unique index touchpoints_slug on touchpoints (slug, organization_id, environment);

create table api_keys (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  name text not null,
  -- SHA-256 of the key; the key itself is shown once and never kept.
  hash bytea not null,
  ending text not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (organization_id, id)
);
-- The one look-up that knows no organization yet. Not unique, so that the table can be spread or copied to every node.
create index api_keys_hash on api_keys (hash);

-- What a key was bound to by a 2xx. Remembered as long as what it created.
create table idempotency_keys (
  organization_id text collate "C" not null,
  environment text not null,
  key text collate "C" not null,
  fingerprint bytea not null,
  object_id text collate "C",
  -- The original answer; null for touchpoint events, whose receipt is made again from the event.
  response text,
  primary key (organization_id, environment, key)
);

-- No foreign keys from the two tables that every request appends to: what they name is resolved in the statement that
-- inserts them, and members and touchpoints are never deleted. A key check would lock the member's row for each event.
create table touchpoint_events (
  organization_id text collate "C" not null,
  environment text not null,
  id text collate "C" not null,
  status text not null check (status in ('accepted', 'processed', 'failed')),
  touchpoint_id text collate "C" not null,
  member_id text collate "C" not null,
  -- The body as it was sent; json, not jsonb, keeps the order of the caller's fields.
  request json not null,
  created_at timestamptz not null,
  settled_at timestamptz,
  intro_id text collate "C",
  error_code text,
  error_message text,
  primary key (organization_id, id),
  -- So that statements under load can ask for the time instead of the status, see below.
  check ((status = 'accepted') = (settled_at is null))
);
-- Small while the workers keep up: what the sweeper looks through, and where the oldest waiting event stands. Statements that
-- know their events' ids say `settled_at is null` instead: this index would look cheap to them, and be read whole.
create index touchpoint_events_accepted on touchpoint_events (created_at) where status = 'accepted';

create table intros (
  organization_id text collate "C" not null,
  environment text not null,
  id text collate "C" not null,
  status text not null check (status in ('requested', 'ready', 'sent', 'cancelled', 'expired')),
  version integer not null default 1,
  event_id text collate "C",
  touchpoint_slug text collate "C",
  member_id text collate "C" not null,
  recipient_first_name text not null,
  recipient_last_name text,
  recipient_phone text not null,
  reference json,
  reference_id text,
  context json,
  script text,
  -- Told apart from a script that is null: `instructions` was sent, or made by a touchpoint.
  instructed boolean not null,
  responsibility text not null check (responsibility in ('integration', 'service')),
  metadata json not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  recorded_at timestamptz,
  sent_at timestamptz,
  opened_at timestamptz,
  watched_at timestamptz,
  cancelled_at timestamptz,
  primary key (organization_id, id)
);
-- One event makes one intro, whatever happens between the two.
create unique index intros_event on intros (organization_id, event_id) where event_id is not null;
create index intros_status on intros (organization_id, status, id);
create index intros_member on intros (organization_id, member_id, id);
create index intros_reference on intros (organization_id, reference_id, id) where reference_id is not null;
create index intros_expiry on intros (expires_at) where status in ('requested', 'ready');

-- Losing the buckets in a crash fills them: the limits are a courtesy to neighbours, not a ledger.
create unlogged table rate_buckets (
  organization_id text collate "C" not null,
  key_id text collate "C" not null,
  kind text not null check (kind in ('read', 'write')),
  tokens double precision not null,
  refilled_at timestamptz not null,
  primary key (organization_id, key_id, kind)
);

-- Takes tokens from a bucket that all nodes share, on the database's clock so that they agree on the time. At least `demand`
-- is asked for, up to `ahead` is taken beyond it while the bucket is well filled; what is not there is not granted.
create function take_tokens(
  organization text, key text, bucket text, per_second double precision, burst double precision,
  demand integer, ahead integer, out granted integer, out remaining double precision
) language plpgsql as $$
declare
  -- Nodes lease ahead of need; an eighth of the rest keeps what an idle node holds back small near the end.
  rest_per_lease constant integer := 8;
begin
  insert into rate_buckets values (organization, key, bucket, burst, clock_timestamp()) on conflict do nothing;
  select least(burst, b.tokens + per_second * greatest(0, extract(epoch from clock_timestamp() - b.refilled_at)))
    into remaining
    from rate_buckets b where b.organization_id = organization and b.key_id = key and b.kind = bucket for update;
  granted := least(floor(remaining), greatest(demand, least(ahead, floor(remaining / rest_per_lease))));
  remaining := remaining - granted;
  update rate_buckets b set tokens = remaining, refilled_at = clock_timestamp()
    where b.organization_id = organization and b.key_id = key and b.kind = bucket;
end $$;
