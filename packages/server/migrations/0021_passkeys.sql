-- Passkeys: a second factor for signing in to the console.
create table passkeys (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  member_id text collate "C" not null,
  -- Chosen by the member, to recognize it.
  name text not null,
  credential_id bytea not null,
  public_key bytea not null,
  -- How often the authenticator says it was used. A lower number than the last one reveals a copy; many always send 0.
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (organization_id, id)
);
create index passkeys_member on passkeys (organization_id, member_id, id);
create unique index passkeys_credential on passkeys (organization_id, member_id, credential_id);

alter table console_sessions
  -- When a passkey confirmed the sign-in. Null without one.
  add column second_factor_at timestamptz,
  -- What the session's authenticator has to sign next, once.
  add column challenge bytea,
  add column challenge_for text check (challenge_for in ('add', 'use')),
  add column challenge_expires_at timestamptz;

-- From when owners and managers need a passkey. Null: they do not.
alter table organizations add column second_factor_from timestamptz;
