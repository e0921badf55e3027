-- An Idempotency-Key may contain a customer's data, so only its hash is stored. The column is renamed, so that a node of an earlier
-- version fails (500, and binds nothing) instead of missing a bound key and running a request twice.
alter table idempotency_keys alter column key type bytea using substr(sha256(convert_to(key, 'UTF8')), 1, 16);
alter table idempotency_keys rename column key to key_hash;
