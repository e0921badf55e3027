-- Without failures for lack of a provider, which are no problem of the member: there, every message would enter the index.
drop index messages_member_not_reached;
create index messages_member_not_reached on messages (organization_id, intro_id)
  where audience = 'member' and status in ('failed', 'undelivered') and error_code not in ('no_text_provider', 'no_email_provider');
