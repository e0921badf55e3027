-- When an owner or manager dismissed the setup checklist of the overview. Nodes of the previous version never read it.
alter table organizations add column setup_dismissed_at timestamptz;
