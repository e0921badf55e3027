-- Until a table is analyzed for the first time, the planner takes every organization for a small part of it. A connection that opened in
-- the first minute of a busy installation then looked up each intro by reading all intros of its organization. Before version 18,
-- PostgreSQL cannot be told, and does so until its first analyze.
do $$
begin
  if current_setting('server_version_num')::int >= 180000 then
    perform pg_restore_attribute_stats(
      'schemaname', n.nspname::text, 'relname', c.relname::text, 'attname', a.attname::text, 'inherited', false,
      'null_frac', 0::real, 'n_distinct', 1::real)
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attname in ('organization_id', 'environment')
    where n.nspname = current_schema() and c.relkind = 'r' and c.relname <> 'organizations'
      and not exists (select from pg_stats s where s.schemaname = n.nspname and s.tablename = c.relname and s.attname = a.attname);
  end if;
end $$;
