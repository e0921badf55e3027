-- The brand on every page. The colour is what was chosen; what is readable on which ground is worked out when it is shown.
alter table organizations
  add column accent text check (accent ~ '^#[0-9a-f]{6}$'),
  add column office_phone text,
  add column license text,
  -- Names an object in the store, as members.photo does.
  add column logo text;

alter table members
  add column title text,
  add column photo text,
  -- The pace of the teleprompter, kept from the last recording.
  add column words_per_minute smallint check (words_per_minute between 60 and 220);

-- The page's call to action. Read when the page is shown, so that a mended address mends the pages that are out.
alter table touchpoints
  add column action_label text,
  add column action_url text check (action_url ~ '^https?://'),
  add constraint touchpoints_action check ((action_label is null) = (action_url is null));

alter table intros
  -- The take that is shown; a later one replaces it once it is ready.
  add column recording_id text collate "C",
  add column watched_percent smallint not null default 0 check (watched_percent between 0 and 100);

-- One take: first an upload that grows, then what the media worker makes of it.
create table recordings (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  intro_id text collate "C" not null,
  status text not null check (status in ('uploading', 'uploaded', 'processing', 'ready', 'refused', 'discarded')),
  media_type text not null,
  -- Null until the recorder knows how long the take became.
  upload_length integer,
  upload_offset integer not null default 0,
  -- The objects that hold the original, in order: each piece that came in is one.
  parts text[] not null default '{}',
  progress smallint not null default 0 check (progress between 0 and 100),
  -- At the video until it is ready, at the preview from then on.
  attempts smallint not null default 0,
  refusal_code text,
  refusal_message text,
  width integer,
  height integer,
  duration_ms integer,
  bytes integer,
  has_audio boolean,
  has_captions boolean not null default false,
  has_preview boolean not null default false,
  created_at timestamptz not null,
  -- The last sign of life of whoever works on it: the upload, then the media worker.
  touched_at timestamptz not null,
  received_at timestamptz,
  ready_at timestamptz,
  original_deleted_at timestamptz,
  -- When somebody next asks whether its files are still needed; null while it is under way.
  files_look_at timestamptz,
  deleted_at timestamptz,
  primary key (organization_id, id)
);
create index recordings_intro on recordings (organization_id, intro_id, id);
-- What the sweepers look through: takes under way, files that may be of no more use, videos without a preview, originals that
-- are kept.
create index recordings_under_way on recordings (touched_at) where status in ('uploading', 'uploaded', 'processing');
create index recordings_files on recordings (files_look_at) where deleted_at is null and files_look_at is not null;
create index recordings_unpreviewed on recordings (touched_at) where status = 'ready' and not has_preview and attempts < 5;
create index recordings_originals on recordings (received_at) where original_deleted_at is null and status in ('ready', 'refused', 'discarded');

-- Which intro a link opens. Only the hash of its token is here, and the token is made with a key that is not: whoever reads
-- this table can open nothing.
create table links (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  intro_id text collate "C" not null,
  kind text not null check (kind in ('record', 'page')),
  hash bytea not null,
  primary key (organization_id, intro_id, kind)
);
-- Whoever follows a link has not said yet to whom it belongs. Not unique, as with the keys.
create index links_hash on links (hash);

-- Tells a server with another key before it gives out links that nobody else can read.
create table server_key (
  only_one boolean primary key default true check (only_one),
  fingerprint bytea not null
);
