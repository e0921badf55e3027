-- Every node ends the live updates of a session as soon as it ends. Earlier versions ignore the topic.
create function tell_console_of_sessions() returns trigger language plpgsql as $$
begin
  perform pg_notify('foreword_console', new.organization_id || ' sessions');
  return null;
end $$;
create trigger console_sessions_ended after update of ended_at on console_sessions for each row
  when (old.ended_at is null and new.ended_at is not null)
  execute function tell_console_of_sessions();
