-- The organization's website, which recipient pages link to. Nodes of the previous version ignore it.
alter table organizations add column website text;
