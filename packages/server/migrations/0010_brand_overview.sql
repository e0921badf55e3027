-- Counts its changes, so that of two people who edit the same one the second is told.
alter table organizations add column version integer not null default 1;
