-- Whether an agent that connects through /mcp may change something with the key. Without a condition on the scope: nodes of the
-- previous version change scopes and know nothing of this column. A scope that allows no change stays in force anyway.
alter table api_keys add column agent_writes boolean not null default false;
