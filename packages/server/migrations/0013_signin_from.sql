-- From where a link was asked for, as a hash: whoever asks for somebody else's letters uses up none but their own few.
alter table signin_links add column asked_from bytea;
