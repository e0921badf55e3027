-- Whether the member had signed in before in the browser that requested the link. Strangers' requests have their own limit.
alter table signin_links add column from_known_browser boolean not null default false;
