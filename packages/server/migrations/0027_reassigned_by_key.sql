-- An integration can reassign intros, too: then `by_key_id` names its API key, and `by_member_id` is null.
alter table intro_reassignments
  alter column by_member_id drop not null,
  add column by_key_id text collate "C";
