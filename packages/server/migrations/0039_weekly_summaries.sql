-- The weekly summary for owners, and the version of the touchpoint that an intro was created with. Nodes of the previous version
-- send no summaries and store no version; their intros are assigned to a version by time.

-- One row per organization and week, whichever node plans it: each owner gets one email.
create table weekly_summaries (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  -- The Monday on which it is sent, in the organization's time zone.
  week text collate "C" not null,
  -- The figures. Null: there was nothing to send.
  figures json,
  created_at timestamptz not null,
  primary key (organization_id, environment, week)
);

alter table owner_letters
  -- The owner and the week of a summary.
  add column member_id text collate "C",
  add column week text collate "C",
  -- Written when the mail server asks for the content: from then on, only the server knows whether it accepted the email.
  add column handed_over_at timestamptz;

-- When an owner turned the summary off.
alter table members add column weekly_summary_off_at timestamptz;

-- Null in intros without a touchpoint, and in those of earlier versions.
alter table intros add column touchpoint_version integer;
