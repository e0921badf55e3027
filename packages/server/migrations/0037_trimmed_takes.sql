alter table recordings
  -- The part of the take that the member keeps. Null: all of it.
  add column trim_start_ms integer,
  add column trim_end_ms integer;
