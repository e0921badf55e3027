-- Who is signed in to the console. Of what opens it only hashes are kept.

-- A link by which a member signs in, once, within a quarter of an hour.
create table signin_links (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  member_id text collate "C" not null,
  hash bytea not null,
  -- Of the browser that asked for it; null when the operator's command made it.
  browser_hash bytea,
  next_path text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (organization_id, id)
);
create index signin_links_hash on signin_links (hash);
create index signin_links_member on signin_links (organization_id, member_id, created_at);
create index signin_links_expired on signin_links (expires_at);

create table console_sessions (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  member_id text collate "C" not null,
  hash bytea not null,
  -- The one before the last change, which requests under way still carry.
  previous_hash bytea,
  previous_until timestamptz,
  device text not null,
  created_at timestamptz not null,
  rotated_at timestamptz not null,
  seen_at timestamptz not null,
  ended_at timestamptz,
  primary key (organization_id, id)
);
create index console_sessions_hash on console_sessions (hash);
create index console_sessions_previous on console_sessions (previous_hash) where previous_hash is not null;
create index console_sessions_member on console_sessions (organization_id, member_id, id);
create index console_sessions_seen on console_sessions (seen_at);
