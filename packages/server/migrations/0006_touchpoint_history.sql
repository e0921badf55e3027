-- Touchpoints are edited by several people: each change leaves a trace, and is made from a version that is named.
alter table touchpoints add column version integer not null default 1;

create table touchpoint_changes (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  touchpoint_id text collate "C" not null,
  -- Null: a command of the operator.
  member_id text collate "C",
  kind text not null check (kind in ('created', 'copied', 'changed', 'reset', 'undone')),
  -- The one that this change led to.
  version integer not null,
  -- [{field, before, after}]
  fields jsonb not null,
  -- The change that this one took back.
  undoes text collate "C",
  -- The slug of the touchpoint that this one was copied from.
  copy_of text collate "C",
  created_at timestamptz not null,
  primary key (organization_id, id)
);
create index touchpoint_changes_touchpoint on touchpoint_changes (organization_id, touchpoint_id, id);
