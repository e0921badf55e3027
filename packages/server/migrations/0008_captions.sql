-- What the captions of a take say, as the member chose. Null: the script if the voice fits it. Empty: none.
alter table recordings add column captions text;
-- The language of the member's recorder. Null: the organization's.
alter table members add column language text check (language in ('en', 'es'));
