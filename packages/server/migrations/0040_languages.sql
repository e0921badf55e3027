-- The language of recipients and of the organization's screens. Nodes of the previous version write English texts and ignore the
-- columns, so English is right for their rows.
alter table organizations
  add column language text not null default 'en' check (language in ('en', 'es'));

alter table intros
  -- As sent with the intro, or the organization's language when it was created.
  add column recipient_language text not null default 'en' check (recipient_language in ('en', 'es')),
  -- English although the recipient's language is Spanish: the touchpoint had no Spanish script.
  add column script_language text not null default 'en' check (script_language in ('en', 'es'));

-- Null: the default text is used.
alter table touchpoints
  add column script_es text,
  add column page_title_es text,
  add column text_message_es text;
