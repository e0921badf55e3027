-- Domains of organizations for the links of recipients. Nodes of the previous version do not serve them: add domains once all
-- nodes are upgraded. They present every intro with its link on PUBLIC_URL, which works for intros with a domain, too.

-- The host of the recipient's link; null for that of PUBLIC_URL.
alter table intros add column link_host text;

-- Not checked for existing rows, which would lock the table while it is read.
alter table links
  drop constraint links_kind_check,
  add constraint links_kind_check check (kind in ('record', 'page', 'short')) not valid;

create table link_domains (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  -- In lower case and ASCII, without a port.
  host text collate "C" not null,
  -- What the owner of the domain publishes to prove that it is theirs.
  challenge text not null,
  state text not null check (state in ('pending', 'verified', 'active', 'failing', 'removed')),
  created_at timestamptz not null,
  -- From then on, requests for the host get the pages of this organization, even after the domain was removed.
  verified_at timestamptz,
  active_at timestamptz,
  failing_since timestamptz,
  checked_at timestamptz,
  -- The next check; null when there is none.
  check_at timestamptz,
  failure_code text,
  failure_message text,
  primary key (organization_id, id),
  check (state in ('pending', 'removed') or verified_at is not null),
  check ((state = 'failing') = (failing_since is not null))
);
create unique index link_domains_host on link_domains (organization_id, environment, host);
-- A host belongs to one organization. A claim that is not verified yet keeps no one from verifying theirs.
create unique index link_domains_owner on link_domains (host) where verified_at is not null;
create index link_domains_due on link_domains (check_at) where check_at is not null;
