-- Numbers that a carrier reports as unable to receive texts. Later texts to them are not sent until someone sends one by hand that
-- arrives, the number texts us, or 90 days have passed. Nodes of the previous version keep texting them.
create table flagged_numbers (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  phone text collate "C" not null,
  failure text not null check (failure in ('invalid_number', 'unreachable_number')),
  flagged_at timestamptz not null,
  primary key (organization_id, environment, phone)
);
-- A text to the number that organizations share lifts the flags of all of them.
create index flagged_numbers_phone on flagged_numbers (phone);
