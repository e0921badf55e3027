-- What the recipient tapped on the page, and when first: null before the first tap.
alter table intros add column clicked_times jsonb;
-- Whether the first text invites the recipient to save the number.
alter table touchpoints add column invites_to_save boolean not null default false;
