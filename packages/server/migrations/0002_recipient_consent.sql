-- Opt-outs come from more sources, have an id to page through them, and a question may hold texts to a number.
alter table consents
  drop constraint consents_kind_check,
  drop constraint consents_source_check,
  add check (kind in ('opt_out', 'opt_in', 'asked', 'answered')),
  add check (source in ('text', 'page', 'carrier', 'api', 'team', 'operator', 'import'));
create index consents_phone on consents (organization_id, environment, phone, id);

alter table opt_outs
  drop constraint opt_outs_source_check,
  add check (source in ('text', 'page', 'carrier', 'api', 'team', 'operator', 'import')),
  add column id text collate "C" not null default 'opt_' || substr(replace(gen_random_uuid()::text, '-', ''), 1, 26);
create index opt_outs_newest on opt_outs (organization_id, environment, opted_out_at, id);

alter table erased_opt_outs
  drop constraint erased_opt_outs_source_check,
  add check (source in ('text', 'page', 'carrier', 'api', 'team', 'operator', 'import'));

-- Not validated, which would read the whole table: the old check was stricter.
alter table messages
  drop constraint messages_held_for_check,
  add check (held_for in ('quiet_hours', 'recent_text', 'recording', 'daily_limit', 'texts_paused', 'carrier_account',
    'opt_out_question')) not valid;

-- Requests now store numbers without the zero that people dial inside a country. Numbers that opted out before stay opted out.
with spelled as (
  select o.*, regexp_replace(phone, '^\+(20|27|3[123]|4[01346]|49|5[138]|6[0136]|81|84|9[0-58]|2[1-6]\d|291|35[358]|359|37[347]|38\d|421|5[09]\d|686|8[58]\d|9[679]\d)0([1-9])', '+\1\2') as normal
  from opt_outs o
)
insert into opt_outs (organization_id, environment, phone, source, opted_out_at)
select organization_id, environment, normal, source, opted_out_at from spelled where normal <> phone
on conflict do nothing;
