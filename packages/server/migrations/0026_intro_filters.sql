-- Filters of GET /v1/intros. Each index is built in one scan of the table, during which no intros can be written: about a second
-- per million intros, and three for the second index.

-- By touchpoint, with or without a status. Without one, all five ranges are read side by side, as for members. Replaces the index
-- without the status.
create index intros_touchpoint_status on intros (organization_id, touchpoint_slug, status, id);
drop index intros_touchpoint;

-- By metadata. Contains each pair together with its organization, so that no search reads the entries of others. Without the
-- list of pending entries, which every search would read and which some inserts would have to move into the index.
create index intros_metadata on intros
  using gin (jsonb_set('{}', array[organization_id], metadata::jsonb) jsonb_path_ops) with (fastupdate = off)
  where metadata::text <> '{}';
