-- Marks members whose email address bounces. The mark counts only while it is the member's address, so that a change of the
-- address by any version of the service ends it. Nodes of the previous version still send emails to marked addresses.
alter table members
  -- In lower case.
  add column bounced_email text,
  add column email_bounced_at timestamptz,
  add column email_bounce_reason text,
  -- When a person last said that the address works: bounces of emails from before no longer count.
  add column email_confirmed_at timestamptz;
