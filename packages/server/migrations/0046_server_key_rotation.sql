-- Rotation of the server key. The key of new links and encrypted values is the one in server_key, and earlier keys stay here,
-- encrypted with it, because links that were sent derive from them. Nodes of the previous version know one key only: all nodes
-- have to be upgraded before a rotation.
alter table server_key
  -- Announced: every node that does not have this key refuses the rotation.
  add column next_fingerprint bytea,
  add column next_refused_by text,
  -- When everything stored was encrypted with the current key. Null: not since the last rotation.
  add column reencrypted_at timestamptz;

create table previous_server_keys (
  fingerprint bytea primary key,
  sealed_key bytea not null,
  -- Objects with ids from this time on use the next key.
  used_until timestamptz not null
);
