-- Both columns keep their defaults on nodes of the previous version, which know one carrier and never fail over.

-- Attempts of a message that certainly sent nothing. Another carrier may get it only if all attempts did.
alter table messages add column unsent_attempts smallint not null default 0;

-- The next attempt is for the second carrier.
alter table messages add column uses_fallback boolean not null default false;
