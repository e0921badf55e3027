-- A member may undo an opt-out for a recipient who asked for it: the log names the member. Nodes of the previous version only
-- append to the log, and write neither the new source nor the column. There are few consents, so checking them takes no time.
alter table consents
  add column by_member text collate "C",
  drop constraint consents_source_check,
  add constraint consents_source_check check (source in ('text', 'page', 'carrier', 'operator', 'team'));
