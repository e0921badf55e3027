-- The audit log: who did what to which object, and from where. It has no names, phone numbers or values: those are read from
-- the objects, so that an erased person is also gone from here. Nodes of the previous version write no entries.
create table audit_entries (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  -- The time of the database, which all nodes share.
  at timestamptz not null default now(),
  action text collate "C" not null,
  actor_type text not null check (actor_type in ('member', 'key', 'operator', 'system')),
  actor_id text collate "C",
  object_id text collate "C",
  related_id text collate "C",
  -- Names of the changed fields.
  fields text[] not null default '{}',
  -- Why a sign-in failed.
  reason text,
  ip text,
  user_agent text,
  request_id text collate "C",
  primary key (organization_id, id)
);
create index audit_entries_newest on audit_entries (organization_id, environment, at, id);
create index audit_entries_actor on audit_entries (organization_id, environment, actor_id, at, id) where actor_id is not null;
create index audit_entries_object on audit_entries (organization_id, environment, object_id, at, id) where object_id is not null;
create index audit_entries_action on audit_entries (organization_id, environment, action, at, id);
create index audit_entries_related on audit_entries (organization_id, related_id) where related_id is not null;
create index audit_entries_request on audit_entries (organization_id, request_id) where request_id is not null;

-- Null: the default, a year.
alter table organizations add column audit_days integer check (audit_days between 90 and 3650);

-- Rejects changes to entries by every role. Only remove_audit_entries deletes, and nothing within the shortest retention.
create function protect_audit_entries() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if current_setting('foreword.audit_retention', true) = 'on' and old.at < now() - interval '90 days' then
      return old;
    end if;
  end if;
  raise exception 'audit_entries is append-only: % is not allowed', lower(tg_op)
    using errcode = 'insufficient_privilege';
end $$;
create trigger audit_entries_append_only before update or delete on audit_entries
  for each row execute function protect_audit_entries();
create trigger audit_entries_no_truncate before truncate on audit_entries
  for each statement execute function protect_audit_entries();

-- Deletes the oldest entries of an organization: everything before a day in the past. A role without DELETE on the table may
-- execute it, because it runs with the rights of its owner. It sets the parameter in its body, since only a superuser may
-- create a function with a SET clause for a parameter that PostgreSQL does not know.
create function remove_audit_entries(organization text, place text, before timestamptz) returns integer
language plpgsql security definer
set search_path from current as $$
declare removed integer;
begin
  perform set_config('foreword.audit_retention', 'on', true);
  delete from audit_entries where organization_id = organization and environment = place and at < before;
  get diagnostics removed = row_count;
  perform set_config('foreword.audit_retention', 'off', true);
  return removed;
end $$;
