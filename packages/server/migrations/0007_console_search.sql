-- As people type names on a phone: without case, accents and punctuation. `foldName` of the contract does the same.
create function search_name(name text) returns text immutable parallel safe language sql
return lower(regexp_replace(normalize(name, NFKD), '[ -/:-@\[-`{-~\u00b7\u02bb\u02bc\u0300-\u036f\u2010-\u2019]+', '', 'g'));

-- Names are searched by their beginning: in byte order, that is one range of the index. With the first name, so that a search for both
-- reads only this index.
create index intros_search_last_name on intros (
  organization_id, search_name(recipient_last_name) collate "C", search_name(recipient_first_name) collate "C")
  where recipient_last_name is not null;
create index intros_search_first_name on intros (organization_id, search_name(recipient_first_name) collate "C");
drop index intros_first_name, intros_last_name;
-- For the last digits of a number.
create index intros_phone_end on intros (organization_id, reverse(recipient_phone) collate "C");

-- What the team has to do something about. Most intros never enter these indexes.
create index intros_declined on intros (organization_id, id) where status = 'requested' and declined_generation is not null;
create index intros_unsent on intros (organization_id, status, id) where delivery_error_code is not null;
create index messages_member_not_reached on messages (organization_id, intro_id)
  where audience = 'member' and purpose = 'ask' and status in ('failed', 'undelivered');

alter table intro_replies
  -- When someone marked the reply as done, or the member answered it.
  add column settled_at timestamptz,
  -- That member.
  add column settled_by text collate "C";
create index intro_replies_waiting on intro_replies (organization_id, intro_id)
  where settled_at is null and type in ('reschedule', 'question', 'message');

alter table intros
  -- The last correction of the recipient's number, by a member or an API key.
  add column phone_corrected_at timestamptz,
  add column phone_corrected_by text collate "C";

-- The primary key comes last: see 0003_queues.sql.
do $$ begin
  if not exists (select from intros) then
    alter table intros drop constraint intros_pkey, add constraint intros_pkey primary key (organization_id, id);
  end if;
end $$;
