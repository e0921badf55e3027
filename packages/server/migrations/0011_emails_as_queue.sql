-- The emails to owners are their own queue: when the next attempt is due, as long as the email is scheduled.
alter table owner_emails add column due_at timestamptz not null default now();
create index owner_emails_due on owner_emails ((purpose = 'weekly_summary'), due_at) where status = 'scheduled';

-- The tables of pg-boss, which is no longer used. They may belong to another role, and then do no harm.
do $$
begin
  drop schema if exists pgboss cascade;
exception when insufficient_privilege then null;
end $$;
