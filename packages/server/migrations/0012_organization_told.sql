-- Open consoles show its name, its logo and its times on every page.
create function tell_console_of_organization() returns trigger language plpgsql as $$
begin
  perform pg_notify('foreword_console', id || ' organization') from changed;
  return null;
end $$;
create trigger organizations_updated after update on organizations referencing new table as changed
  for each statement execute function tell_console_of_organization();
