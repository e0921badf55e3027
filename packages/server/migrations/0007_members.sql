-- When somebody has left: since when the pages of their videos show the organization's card instead. Null: the video.
alter table members add column pages_replaced_at timestamptz;
