-- The home of a member begins with what is to be recorded, by deadline. The condition stands in the statement letter for letter.
create index intros_to_record on intros (organization_id, member_id, expires_at, id) where status = 'requested';
