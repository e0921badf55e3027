-- Remembers which keyword texts a carrier has reported, so that a repeated report is applied and answered only once, on any node.
-- Rows have no organization, because a text to a shared number may concern several or none. Nodes of the previous version remember
-- reports in memory.
create table received_texts (
  carrier text collate "C" not null,
  -- The carrier's ID of the report.
  id text collate "C" not null,
  received_at timestamptz not null,
  primary key (carrier, id)
);
create index received_texts_received on received_texts (received_at);
