-- The organization's own note about an endpoint.
alter table webhook_endpoints add column description text;
