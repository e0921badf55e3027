-- Texts wait while the account that sends them cannot. Nodes of the previous version ignore this: they retry each text on its own,
-- and give up after eight hours.

-- One row for each account that cannot send. Not of one organization, because organizations may share the account.
create table carrier_holds (
  -- A hash of the carrier, its credentials and its sender: once these change, nothing is held.
  account text collate "C" primary key,
  fault text not null,
  -- The carrier's own words.
  message text not null,
  -- Whether the carrier accepts texts at first, and reports the fault later.
  is_reported boolean not null,
  started_at timestamptz not null,
  probes integer not null default 0,
  -- The first text after this time is sent, to find out whether the account works.
  next_probe_at timestamptz not null,
  probe_organization_id text collate "C",
  probe_message_id text collate "C"
);

-- Account faults that owners were notified about. The console shows them.
create table carrier_notices (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  fault text not null,
  account text collate "C" not null,
  message text not null,
  started_at timestamptz not null,
  last_at timestamptz not null,
  notified_at timestamptz not null,
  -- Null: the account still has the fault.
  ended_at timestamptz,
  primary key (organization_id, environment, fault)
);
create index carrier_notices_account on carrier_notices (account) where ended_at is null;

create trigger carrier_notices_inserted after insert on carrier_notices
  referencing new table as changed for each statement execute function tell_console('organization');
create trigger carrier_notices_updated after update on carrier_notices
  referencing new table as changed for each statement execute function tell_console('organization');

alter table messages
  -- The account that sent the text, or that holds it.
  add column account text collate "C",
  -- Attempts that failed because of the account. They do not count as attempts of the text.
  add column held_attempts smallint not null default 0,
  -- Texts that the carrier accepted before this one and did not deliver, so that this one was planned automatically.
  add column resends smallint not null default 0,
  -- Not validated, because every row satisfies the narrower condition it replaces.
  drop constraint messages_held_for_check,
  add constraint messages_held_for_check check (
    held_for in ('quiet_hours', 'recent_text', 'recording', 'daily_limit', 'texts_paused', 'carrier_account')
  ) not valid;
-- Texts that wait for an account. Built in one scan of the table, during which no messages can be written: about a second per
-- million.
create index messages_held on messages (organization_id, account)
  where status = 'scheduled' and held_for = 'carrier_account';
