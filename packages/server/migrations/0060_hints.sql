-- PostgreSQL commits transactions that NOTIFY one after another. Statements that process events or handle requests therefore only
-- report a hint to their own client, and the service passes hints on twice a second (src/platform/hints.ts, ADR 0069). INFO is
-- always sent to the client, and by default never written to the server's log.
create function hint(channel text, payload text) returns void language plpgsql as $$
begin
  raise info using errcode = 'WH001', message = channel || ' ' || payload;
end $$;

create function hint_console() returns trigger language plpgsql as $$
begin
  perform hint('foreword_console', organization_id || ' ' || tg_argv[0]) from changed group by organization_id;
  return null;
end $$;

drop trigger intros_inserted on intros;
drop trigger intros_updated on intros;
create trigger intros_inserted after insert on intros referencing new table as changed
  for each statement execute function hint_console('intros');
create trigger intros_updated after update on intros referencing new table as changed
  for each statement execute function hint_console('intros');

-- An event that created an intro needs no hint of its own.
create function hint_console_of_events() returns trigger language plpgsql as $$
begin
  perform hint('foreword_console', organization_id || ' intros')
    from changed where status <> 'processed' group by organization_id;
  return null;
end $$;

drop trigger touchpoint_events_updated on touchpoint_events;
drop function tell_console_of_events();
create trigger touchpoint_events_updated after update on touchpoint_events referencing new table as changed
  for each statement execute function hint_console_of_events();

-- A take that is being processed is updated twice a second. Open consoles need only its next state.
create function hint_console_of_takes() returns trigger language plpgsql as $$
begin
  perform hint('foreword_console', c.organization_id || ' intros')
    from changed c join before b on b.organization_id = c.organization_id and b.id = c.id and b.status <> c.status
    group by c.organization_id;
  return null;
end $$;

drop trigger recordings_updated on recordings;
drop function tell_console_of_takes();
create trigger recordings_updated after update on recordings referencing new table as changed old table as before
  for each statement execute function hint_console_of_takes();
