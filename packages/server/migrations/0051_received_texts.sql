-- Texts with a keyword that a carrier reported, so that a repeated report is applied and answered once, on any node. Of no
-- organization: a text to a shared number concerns several or none. Nodes of the previous version remember them in memory.
create table received_texts (
  carrier text collate "C" not null,
  -- The carrier's ID of the report.
  id text collate "C" not null,
  received_at timestamptz not null,
  primary key (carrier, id)
);
create index received_texts_received on received_texts (received_at);
