-- Members can decline an intro, or hand it over. Nodes of the previous version ignore both tables and the column: until they are
-- upgraded, they show a declined intro as waiting for the member, and a link that was replaced as unknown.

create table intro_declines (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  intro_id text collate "C" not null,
  -- The intro's link generation: after a reassignment, the next member may decline too.
  generation integer not null,
  member_id text collate "C" not null,
  reason text not null check (reason in ('not_meeting', 'away', 'details_wrong', 'other')),
  message text,
  created_at timestamptz not null,
  primary key (organization_id, intro_id, generation)
);
-- The newest declines of an organization.
create index intro_declines_newest on intro_declines (organization_id, environment, created_at);
-- Those of a member in the last hour.
create index intro_declines_member on intro_declines (organization_id, member_id, created_at);

-- The link generation whose member declined. Earlier than link_generation: the intro was reassigned since.
alter table intros add column declined_generation integer;

-- Links that stopped working when their intro was reassigned. They say who records the intro now.
create table replaced_links (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  intro_id text collate "C" not null,
  generation integer not null,
  hash bytea not null,
  primary key (organization_id, intro_id, generation)
);
create index replaced_links_hash on replaced_links (hash);
