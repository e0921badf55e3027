-- Members consent to the use of their face and voice, and may withdraw it. Nodes of the previous version ignore the tables and
-- columns: until they are upgraded, they still create intros for a member who withdrew, which the worker of this version closes.

-- The consent text that each member agreed to, and when. Never deleted.
create table likeness_consents (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  member_id text collate "C" not null,
  -- Null in these columns: the member recorded before consents were stored.
  version text collate "C",
  language text,
  text text,
  given_at timestamptz,
  given_by text check (given_by in ('recording', 'console')),
  withdrawn_at timestamptz,
  -- The id of the member who withdrew it; null for the operator.
  withdrawn_by text collate "C",
  primary key (organization_id, id)
);
create index likeness_consents_member on likeness_consents (organization_id, member_id, id);
-- A version is agreed to once.
create unique index likeness_consents_given on likeness_consents (organization_id, member_id, version)
  where withdrawn_at is null;

-- The work that a withdrawal causes: intros to close, and files to delete.
create table likeness_removals (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  member_id text collate "C" not null,
  withdrawn_at timestamptz not null,
  withdrawn_by text collate "C",
  -- Who records the open intros instead. Null: they are closed.
  reassign_to text collate "C",
  -- When the worker that does it last reported progress.
  claimed_at timestamptz,
  finished_at timestamptz,
  closed integer not null default 0,
  reassigned integer not null default 0,
  taken_down integer not null default 0,
  videos integer not null default 0,
  primary key (organization_id, member_id, withdrawn_at)
);
create index likeness_removals_pending on likeness_removals (withdrawn_at) where finished_at is null;

alter table members add column likeness_withdrawn_at timestamptz;
create index members_withdrawn on members (organization_id, id) where likeness_withdrawn_at is not null;

-- When the withdrawal closed the intro or took its page down.
alter table intros add column likeness_withdrawn_at timestamptz;

-- The member in the take. Null in takes of earlier versions: the member who had the intro when the upload started.
alter table recordings add column member_id text collate "C";
create index intro_reassignments_from on intro_reassignments (organization_id, from_member_id);
