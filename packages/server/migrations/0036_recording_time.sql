-- Deadlines in minutes: an intro for "On my way" is useless a day later. Nodes of the previous version know only days_to_record,
-- so a trigger keeps both columns equal: it sets the minutes after a change in days, and rounds the days up after any other.
alter table touchpoints add column minutes_to_record integer;
update touchpoints set minutes_to_record = days_to_record * 1440;
alter table touchpoints
  alter column minutes_to_record set not null,
  add check (minutes_to_record between 5 and 525600);

create function keep_recording_time() returns trigger language plpgsql as $$
begin
  if new.minutes_to_record is null then
    new.minutes_to_record := new.days_to_record * 1440;
  elsif tg_op = 'UPDATE' and new.minutes_to_record = old.minutes_to_record and new.days_to_record <> old.days_to_record then
    new.minutes_to_record := new.days_to_record * 1440;
  end if;
  new.days_to_record := ceil(new.minutes_to_record / 1440.0);
  return new;
end $$;
create trigger touchpoints_recording_time before insert or update on touchpoints
  for each row execute function keep_recording_time();
