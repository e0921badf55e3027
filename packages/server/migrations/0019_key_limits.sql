-- A key may expire, and may be limited to networks such as 203.0.113.0/24. Null: it never expires and works from everywhere.
alter table api_keys
  add column expires_at timestamptz,
  add column allowed_ips text[],
  -- When the owners were notified that the key is about to expire.
  add column expiry_notified_at timestamptz;
create index api_keys_expiring on api_keys (expires_at)
  where expires_at is not null and revoked_at is null and expiry_notified_at is null;
