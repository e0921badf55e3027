-- Hides the button on the recipient's page and keeps its label and URL.
alter table touchpoints add column shows_action boolean not null default true;
