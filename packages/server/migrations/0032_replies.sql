-- Replies of recipients, and pages that were taken down after they were sent. Nodes of the previous version ignore both: until
-- they are upgraded, they show the video of a page that was taken down, and offer no replies.

create table intro_replies (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  intro_id text collate "C" not null,
  -- The first reply of an intro has the number 1.
  number smallint not null,
  type text not null check (type in ('confirm', 'reschedule', 'thanks', 'question')),
  -- The label of the button when the recipient tapped it.
  label text not null,
  message text,
  created_at timestamptz not null,
  primary key (organization_id, intro_id, number)
);
-- The newest replies of an organization.
create index intro_replies_newest on intro_replies (organization_id, environment, created_at);

alter table intros
  add column taken_down_at timestamptz,
  -- A member or an API key. Null: the operator.
  add column taken_down_by text collate "C";

-- The labels of the reply buttons. Null: the default.
alter table organizations
  add column reply_confirm text,
  add column reply_reschedule text,
  add column reply_thanks text,
  add column reply_question text;

-- Not validated, because the old values are all allowed and checking every row would lock the table.
alter table messages
  drop constraint messages_purpose_check,
  add constraint messages_purpose_check
    check (purpose in ('ask', 'remind', 'remind_last', 'remind_by_hand', 'deliver', 'reply')) not valid;
-- Notifications of replies that are due, and those that a node of the previous version dropped. Built in one scan of the table,
-- during which no messages can be written: about a second per million.
create index messages_replies on messages (organization_id, status)
  where purpose = 'reply' and status in ('scheduled', 'dropped');
