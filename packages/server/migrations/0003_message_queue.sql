-- Claims jump from organization to organization, and read only what they take.
create index messages_scheduled on messages (organization_id, environment, due_at) where status = 'scheduled';
drop index messages_due, messages_replies;

-- Begins with the intro: without statistics, in a new database, a lookup by organization and id could take this index for as good as
-- the primary key, and then read all messages of the organization.
create unique index messages_of_intro on messages (intro_id, organization_id, purpose, channel, round) nulls not distinct;
drop index messages_intro;
alter index messages_of_intro rename to messages_intro;
