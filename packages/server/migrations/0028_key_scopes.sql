-- Which operations a key may use, and whether it may also get the recording links of members. Nodes of the previous version
-- ignore both.
alter table api_keys
  add column scope text not null default 'full' check (scope in ('full', 'events', 'read')),
  add column recording_links boolean not null default false,
  add constraint api_keys_recording_links_check check (scope = 'full' or not recording_links);
