-- What has to be sent next. A row is inserted once, changed in place while its message is sent (the indexes have none of these columns,
-- so that PostgreSQL writes none of them), and becomes the next reminder or leaves when the outcome is known. Address and text are filled
-- in when the message is claimed: they must be durable before a carrier gets it.
create table message_queue (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  -- The message that is sent next.
  id text collate "C" not null,
  intro_id text collate "C" not null,
  audience text not null check (audience in ('member', 'recipient')),
  purpose text not null check (purpose in ('ask', 'remind', 'remind_last', 'remind_by_hand', 'deliver', 'reply', 'answer')),
  round smallint not null default 0,
  -- Null: it is chosen when the message is sent.
  planned_channel text check (planned_channel in ('text', 'email')),
  channel text check (channel in ('text', 'email')),
  due_at timestamptz not null,
  -- When a worker claimed it, in the time of the database. Null: it waits.
  claimed_at timestamptz,
  -- The step that follows this one, as the last claim planned it.
  next_purpose text check (next_purpose in ('remind', 'remind_last')),
  next_at timestamptz,
  -- What it waited for last, and until when.
  held_for text check (held_for in ('quiet_hours', 'recent_text', 'recording', 'daily_limit', 'texts_paused', 'carrier_account',
    'opt_out_question')),
  held_until timestamptz,
  attempts smallint not null default 0,
  -- Attempts that failed because of the account. They do not count as attempts of the text.
  held_attempts smallint not null default 0,
  -- Attempts that certainly sent nothing. The second carrier may get the message only if all attempts did.
  unsent_attempts smallint not null default 0,
  -- The next attempt is for the second carrier.
  uses_fallback boolean not null default false,
  -- The carrier may have it: the carrier is asked before anything is sent again.
  in_doubt boolean not null default false,
  -- Texts that the carrier accepted before this one and did not deliver, so that this one was planned automatically.
  resends smallint not null default 0,
  address text,
  subject text,
  -- With marks in place of link tokens.
  body text,
  segments smallint,
  carrier text,
  by_own_account boolean not null default false,
  -- The account that sends the text, or that holds it.
  account text collate "C",
  error_message text,
  created_at timestamptz not null,
  check ((next_purpose is null) = (next_at is null))
) with (fillfactor = 50);

-- A message that was sent before, but not accepted, has the channel of that attempt; its reminder has a row of its own.
insert into message_queue (organization_id, environment, id, intro_id, audience, purpose, round, planned_channel, channel, due_at,
  claimed_at, held_for, held_until, attempts, held_attempts, unsent_attempts, uses_fallback, in_doubt, resends, address, subject, body,
  segments, carrier, by_own_account, account, error_message, created_at)
select organization_id, environment, id, intro_id, audience, purpose, round, channel, channel, due_at,
  case status when 'sending' then coalesce(claimed_at, now()) end, held_for, held_until, attempts, held_attempts, unsent_attempts,
  uses_fallback, in_doubt, resends, address, subject, body, segments, carrier, by_own_account, account, error_message, created_at
from messages where status in ('scheduled', 'sending');
delete from messages where status in ('scheduled', 'sending');

-- Claims jump from organization to organization, and read only what they take and what others have claimed. Begins with the environment:
-- a plan that was made while the queue was short could take it for a lookup by organization and id, and read the whole organization.
create index message_queue_due on message_queue (environment, organization_id, due_at);
create index message_queue_held on message_queue (organization_id) where held_for = 'carrier_account';
alter table message_queue add primary key (organization_id, id);
-- However often a step is repeated, it waits once for each channel. This index comes last and has no organization, so that a plan that was
-- made while the queue was short takes it for lookups by intro, and the primary key for lookups by id. Ids of intros are unique.
create unique index message_queue_intro on message_queue (intro_id, purpose, planned_channel, round) nulls not distinct;

-- The record of what was sent, or why not. A row is written once the outcome is known, and changes only with a delivery report.
drop index messages_scheduled, messages_claimed, messages_deliveries, messages_held, messages_intro, messages_texted;
alter table messages
  drop column claimed_at, drop column in_doubt, drop column held_attempts, drop column unsent_attempts, drop column uses_fallback,
  drop constraint messages_status_check,
  add check (status in ('accepted', 'delivered', 'undelivered', 'failed', 'dropped')) not valid;
create index messages_intro on messages (intro_id);
-- Which organizations have texted a number, and whom a reply to the shared number answers.
create index messages_texted on messages (address, organization_id) where channel = 'text' and accepted_at is not null;

create view all_messages as
select organization_id, environment, id, intro_id, audience, purpose, round, coalesce(channel, planned_channel) as channel,
  case when claimed_at is null then 'scheduled' else 'sending' end as status, due_at, held_for, held_until, next_purpose, next_at,
  attempts, held_attempts, unsent_attempts, uses_fallback, in_doubt, resends, address, subject, body, segments, carrier, by_own_account, account,
  null::text as carrier_id, null::text as error_code, error_message, created_at, null::timestamptz as accepted_at,
  null::timestamptz as settled_at
from message_queue
union all
select organization_id, environment, id, intro_id, audience, purpose, round, channel, status, due_at, held_for, held_until, null, null,
  attempts, 0::smallint, 0::smallint, false, false, resends, address, subject, body, segments, carrier, by_own_account, account, carrier_id,
  error_code, error_message, created_at, accepted_at, settled_at
from messages;
