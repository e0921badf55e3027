-- How a member hears of something to record. A text needs a number; without one it is an e-mail.
alter table members
  add column notify_by text not null default 'text' check (notify_by in ('text', 'email', 'both'));

alter table touchpoints
  -- Liquid, as the script is. Null: the service's own words.
  add column text_message text,
  add column reminds boolean not null default true;

alter table intros
  add column delivery_error_code text,
  add column delivery_error_message text,
  add column member_opened_at timestamptz,
  -- Whose word it was: the id of the key.
  add column cancelled_by text,
  -- Percent → when that much was first watched.
  add column watched_times jsonb not null default '{}';

-- What an organization sets for its messages; one without a row has the usual.
create table delivery_settings (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  -- Minutes of the recipient's day between which texts may come.
  texts_from smallint not null default 480,
  texts_until smallint not null default 1260,
  -- The organization's own account with the carrier, sealed. Null: the one of the service.
  twilio_account bytea,
  updated_at timestamptz not null,
  primary key (organization_id, environment),
  check (texts_from >= 0 and texts_from < texts_until and texts_until <= 1440)
);

-- One row for each message to a person; the table is its own queue. Address and words are filled in when it is taken to be
-- sent: until then names, numbers and wishes may change.
create table messages (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  intro_id text collate "C" not null,
  audience text not null check (audience in ('member', 'recipient')),
  purpose text not null check (purpose in ('ask', 'remind', 'remind_last', 'deliver')),
  -- Null until it is chosen.
  channel text check (channel in ('text', 'email')),
  status text not null
    check (status in ('scheduled', 'sending', 'accepted', 'delivered', 'undelivered', 'failed', 'dropped')),
  due_at timestamptz not null,
  -- What it waited for last, by a rule of ours, and until when.
  held_for text check (held_for in ('quiet_hours', 'recent_text', 'recording')),
  held_until timestamptz,
  attempts smallint not null default 0,
  -- Perhaps the carrier has it: it is asked before anything is sent again.
  in_doubt boolean not null default false,
  claimed_at timestamptz,
  address text,
  subject text,
  body text,
  segments smallint,
  carrier text,
  carrier_id text,
  error_code text,
  error_message text,
  created_at timestamptz not null,
  accepted_at timestamptz,
  settled_at timestamptz,
  primary key (organization_id, id)
);
-- However often a step is taken, its message is there once for each channel.
create unique index messages_intro on messages (organization_id, intro_id, purpose, channel) nulls not distinct;
create index messages_due on messages (due_at) where status = 'scheduled';
create index messages_claimed on messages (claimed_at) where status = 'sending';
create index messages_waiting on messages (organization_id, address) where status = 'scheduled' and purpose = 'deliver';

-- Letters to owners about the set-up of their organization, written in the transaction of what they tell. A queue of its own:
-- they belong to no intro, and know their address and words from the start.
create table owner_letters (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  address text not null,
  subject text not null,
  body text not null,
  status text not null check (status in ('scheduled', 'sending', 'accepted', 'failed')),
  due_at timestamptz not null,
  attempts smallint not null default 0,
  claimed_at timestamptz,
  carrier text,
  error_message text,
  created_at timestamptz not null,
  settled_at timestamptz,
  primary key (organization_id, id)
);
create index owner_letters_due on owner_letters (due_at) where status = 'scheduled';
create index owner_letters_claimed on owner_letters (claimed_at) where status = 'sending';

-- Which text went last to a number, for each touchpoint. Whoever writes here first may send; the row's lock decides between
-- two workers. The touchpoint is empty for texts that have none, of which any number may come.
create table texted_numbers (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  phone text collate "C" not null,
  touchpoint text collate "C" not null,
  message_id text collate "C" not null,
  texted_at timestamptz not null,
  primary key (organization_id, environment, phone, touchpoint)
);
-- A reply to a number that organizations share does not say whom it answers; it may even come before the first text. Intros
-- that the service does not bring pay nothing for the index.
create index texted_numbers_phone on texted_numbers (phone);
create index intros_phone on intros (recipient_phone) where responsibility = 'service';

-- What people said about being texted: only ever appended to.
create table consents (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  phone text collate "C" not null,
  kind text not null check (kind in ('opt_out', 'opt_in')),
  source text not null check (source in ('text', 'page', 'carrier', 'operator')),
  said text,
  created_at timestamptz not null,
  primary key (organization_id, id)
);

-- What follows from it: who is not texted now.
create table opt_outs (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  phone text collate "C" not null,
  source text not null check (source in ('text', 'page', 'carrier', 'operator')),
  opted_out_at timestamptz not null,
  primary key (organization_id, environment, phone)
);
