-- Members decline an intro or hand it over with a text, recipients reply with one, and members answer those replies. Nodes of the
-- previous version ignore such texts. They would send an answer as the text with the link, so turn on `forwards_replies` only when
-- all nodes are upgraded.

alter table intro_replies
  -- The recipient replied to the text. Otherwise, on the page.
  add column by_text boolean not null default false,
  drop constraint intro_replies_type_check,
  -- Not validated, because the old values are all allowed.
  add constraint intro_replies_type_check
    check (type in ('confirm', 'reschedule', 'thanks', 'question', 'message')) not valid;

-- The member did it with a text.
alter table intro_declines add column by_text boolean not null default false;
alter table intro_reassignments add column by_text boolean not null default false;

-- Members answer replies through the service, and never see the number of the recipient in a message.
alter table delivery_settings add column forwards_replies boolean not null default false;

-- What members answered to the replies of recipients.
create table intro_answers (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  intro_id text collate "C" not null,
  -- The first answer of an intro has the number 1.
  number smallint not null,
  member_id text collate "C" not null,
  -- Null: erased.
  message text,
  created_at timestamptz not null,
  primary key (organization_id, intro_id, number)
);

-- The numbered list that a member got last, so that "NO 2" means what the member read.
create table listed_intros (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  member_id text collate "C" not null,
  number smallint not null,
  intro_id text collate "C" not null,
  listed_at timestamptz not null,
  primary key (organization_id, member_id, number)
);
create index listed_intros_intro on listed_intros (organization_id, intro_id);

alter table messages
  drop constraint messages_purpose_check,
  add constraint messages_purpose_check
    check (purpose in ('ask', 'remind', 'remind_last', 'remind_by_hand', 'deliver', 'reply', 'answer')) not valid;
-- Also finds answers that are due. Built in one scan of the table, during which no messages can be written: about a second per
-- million.
drop index messages_replies;
create index messages_replies on messages (organization_id, status)
  where purpose in ('reply', 'answer') and status in ('scheduled', 'dropped');
