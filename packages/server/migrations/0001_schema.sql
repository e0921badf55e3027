-- Conventions:
-- * The keys of every table that grows with use start with the organization, so that tenants can be divided over several
--   databases. Secondary indexes of small tables start with what they look up: a plan that was made while the table was small,
--   and is kept for the life of a connection, could otherwise scan all entries of an organization.
-- * `environment` separates test data from live data. There is only "test" so far.
-- * Ids are text in byte order ("C"), which sorts them by creation on every server.
-- * Personal tokens and secrets are stored as hashes, or encrypted with a key that is not in the database.

-- == Organizations and their members ==

-- A tenant, with the brand that its pages show.
create table organizations (
  id text collate "C" primary key,
  name text not null,
  industry text not null check (industry in ('exterior_remodeling', 'real_estate')),
  lanes text[] not null default '{}',
  timezone text not null,
  created_at timestamptz not null,
  -- As chosen. The page computes colors that are readable.
  accent text check (accent ~ '^#[0-9a-f]{6}$'),
  office_phone text,
  license text,
  -- The key of an object, as members.photo.
  logo text,
  -- Counts changes, so that an edit of an outdated version is rejected.
  version integer not null default 1,
  website text,
  -- From when owners and managers need a passkey. Null: they do not.
  second_factor_from timestamptz,
  -- Labels of the reply buttons. Null: the default.
  reply_confirm text,
  reply_reschedule text,
  reply_thanks text,
  reply_question text,
  -- When an owner or manager dismissed the setup checklist.
  setup_dismissed_at timestamptz,
  language text not null default 'en' check (language in ('en', 'es')),
  -- Null: the default, a year.
  audit_days integer check (audit_days between 90 and 3650)
);

-- People of an organization. They are deactivated, never deleted.
create table members (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  external_id text,
  first_name text not null,
  last_name text not null,
  email text not null,
  phone text,
  lanes text[] not null default '{}',
  role text not null check (role in ('owner', 'manager', 'member')),
  active boolean not null default true,
  created_at timestamptz not null,
  title text,
  photo text,
  -- The pace of the teleprompter in the last recording.
  words_per_minute smallint check (words_per_minute between 60 and 220),
  -- A text needs a number; without one it becomes an email.
  notify_by text not null default 'text' check (notify_by in ('text', 'email', 'both')),
  -- Since when the pages of a member who left show the organization's card. Null: the video.
  pages_replaced_at timestamptz,
  -- When an owner turned the weekly summary off.
  weekly_summary_off_at timestamptz,
  -- The member withdrew the consent to the use of their likeness, and has not given it again.
  likeness_withdrawn_at timestamptz,
  -- The address that bounces, in lower case. It counts only while it is the member's address.
  bounced_email text,
  email_bounced_at timestamptz,
  email_bounce_reason text,
  -- When a person last said that the address works: bounces of emails from before do not count.
  email_confirmed_at timestamptz,
  -- Null: pages in Spanish show `title`.
  title_es text,
  primary key (organization_id, id)
);
create index members_email on members (lower(email), organization_id, id);
create unique index members_external_id on members (external_id, organization_id, environment);
-- Members without consent, whose work is checked again.
create index members_withdrawn on members (organization_id, id) where likeness_withdrawn_at is not null;

-- The moments for which an organization wants intros. Never deleted.
create table touchpoints (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  slug text collate "C" not null,
  name text not null,
  context text not null check (context in ('appointment', 'status', 'milestone', 'none')),
  lane text check (lane in ('retail', 'insurance')),
  position integer not null,
  active boolean not null default true,
  delivery text not null check (delivery in ('integration', 'service')),
  page_title text not null,
  script text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- The button on the page. It is read when the page is shown, so a fixed URL fixes pages that were sent.
  action_label text,
  action_url text check (action_url ~ '^https?://'),
  -- A Liquid template, as the script. Null: the default text.
  text_message text,
  reminds boolean not null default true,
  -- Counts changes, so that an edit of an outdated version is rejected.
  version integer not null default 1,
  shows_action boolean not null default true,
  minutes_to_record integer not null check (minutes_to_record between 5 and 525600),
  -- For recipients who read Spanish. Null: the default, or the English label.
  script_es text,
  page_title_es text,
  text_message_es text,
  action_label_es text,
  primary key (organization_id, id),
  constraint touchpoints_action check ((action_label is null) = (action_url is null))
);
create unique index touchpoints_slug on touchpoints (slug, organization_id, environment);

-- The history of touchpoints. Each change names the version that it led to, so that an edit of an outdated version is
-- rejected.
create table touchpoint_changes (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  touchpoint_id text collate "C" not null,
  -- Null: a command of the operator.
  member_id text collate "C",
  kind text not null check (kind in ('created', 'copied', 'changed', 'reset', 'undone')),
  version integer not null,
  -- [{field, before, after}]
  fields jsonb not null,
  -- The change that this one undid.
  undoes text collate "C",
  -- The slug of the touchpoint that this one was copied from.
  copy_of text collate "C",
  created_at timestamptz not null,
  primary key (organization_id, id)
);
create index touchpoint_changes_touchpoint on touchpoint_changes (organization_id, touchpoint_id, id);

-- == API keys and requests ==

-- The key itself is shown once. `hash` is its SHA-256.
create table api_keys (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  name text not null,
  hash bytea not null,
  ending text not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  -- To the minute. Nodes write it together, never while a request waits.
  last_used_at timestamptz,
  -- Null: never.
  expires_at timestamptz,
  -- Addresses and networks such as 203.0.113.0/24. Null: any.
  allowed_ips text[],
  -- When the owners were notified that the key is about to expire.
  expiry_notified_at timestamptz,
  scope text not null default 'full' check (scope in ('full', 'events', 'read')),
  -- Whether the key may get the recording links of members.
  recording_links boolean not null default false,
  -- Whether an agent that connects through /mcp may change something with the key.
  agent_writes boolean not null default false,
  primary key (organization_id, id),
  constraint api_keys_recording_links_check check (scope = 'full' or not recording_links)
);
create index api_keys_expiring on api_keys (expires_at)
  where expires_at is not null and revoked_at is null and expiry_notified_at is null;
-- Finds the organization of a request. Not unique, so that the table can be spread or copied to every database.
create index api_keys_hash on api_keys (hash);

-- What a request with a 2xx response created, so that a repeated request creates nothing. Never deleted; only stored
-- responses are, after a while.
create table idempotency_keys (
  organization_id text collate "C" not null,
  environment text not null,
  key text collate "C" not null,
  fingerprint bytea not null,
  object_id text collate "C",
  -- Null for events, whose response is made again from the event, and once it was removed.
  response text,
  created_at timestamptz not null default now(),
  primary key (organization_id, environment, key)
);
-- Events store no response, so accepting one touches neither of these indexes.
create index idempotency_keys_object on idempotency_keys (organization_id, object_id) where response is not null;
create index idempotency_keys_stored on idempotency_keys (organization_id, environment, created_at)
  where response is not null;

-- Unlogged, because losing the buckets in a crash only fills them.
create unlogged table rate_buckets (
  organization_id text collate "C" not null,
  key_id text collate "C" not null,
  kind text not null check (kind in ('read', 'write')),
  tokens double precision not null,
  refilled_at timestamptz not null,
  primary key (organization_id, key_id, kind)
);

-- Takes tokens from a bucket that all nodes share, on the database's clock so that they agree on the time. Takes up to
-- `demand`, and while the bucket is well filled up to `ahead`. `granted` may be less than `demand`.
create function take_tokens(
  organization text, key text, bucket text, per_second double precision, burst double precision,
  demand integer, ahead integer, out granted integer, out remaining double precision
) language plpgsql as $$
declare
  -- Nodes lease ahead of need; an eighth of the rest keeps what an idle node holds back small near the end.
  rest_per_lease constant integer := 8;
begin
  insert into rate_buckets values (organization, key, bucket, burst, clock_timestamp()) on conflict do nothing;
  select least(burst, b.tokens + per_second * greatest(0, extract(epoch from clock_timestamp() - b.refilled_at)))
    into remaining
    from rate_buckets b where b.organization_id = organization and b.key_id = key and b.kind = bucket for update;
  granted := least(floor(remaining), greatest(demand, least(ahead, floor(remaining / rest_per_lease))));
  remaining := remaining - granted;
  update rate_buckets b set tokens = remaining, refilled_at = clock_timestamp()
    where b.organization_id = organization and b.key_id = key and b.kind = bucket;
end $$;

-- Requests under /v1. Written in batches after the responses, so a crash loses the last half second. Phone numbers and
-- secrets are masked.
create table request_log (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  -- The id of the request. It sorts by time.
  id text collate "C" not null,
  key_id text collate "C" not null,
  method text not null,
  path text collate "C" not null,
  query text,
  status smallint not null,
  error_code text,
  duration_ms real not null,
  body text,
  -- The size of the whole body, which may be larger than what is stored.
  body_bytes integer not null,
  -- Only of errors.
  answer text,
  object_id text collate "C",
  created_at timestamptz not null,
  primary key (organization_id, id)
);
create index request_log_errors on request_log (organization_id, id) where status >= 400;
create index request_log_object on request_log (organization_id, object_id, id) where object_id is not null;

-- How many requests of a busy hour are not in the log.
create table request_log_gaps (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  hour timestamptz not null,
  requests integer not null,
  primary key (organization_id, environment, hour)
);

-- == Signing in to the console ==

-- Links that sign a member in, once. Only hashes are stored.
create table signin_links (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  member_id text collate "C" not null,
  hash bytea not null,
  -- The browser that requested it. Null: the operator's command created it.
  browser_hash bytea,
  next_path text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  -- A hash of the network. Each network has its own limit, so strangers cannot use up a member's.
  requested_from bytea,
  -- Whether the member had signed in before in the browser that requested it. Others have their own limit.
  from_known_browser boolean not null default false,
  primary key (organization_id, id)
);
create index signin_links_expired on signin_links (expires_at);
create index signin_links_hash on signin_links (hash);
create index signin_links_member on signin_links (organization_id, member_id, created_at);

-- Who is signed in to the console. Only hashes of the cookies are stored.
create table console_sessions (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  member_id text collate "C" not null,
  hash bytea not null,
  -- The one before the last rotation, which requests in flight still send.
  previous_hash bytea,
  previous_until timestamptz,
  device text not null,
  created_at timestamptz not null,
  rotated_at timestamptz not null,
  seen_at timestamptz not null,
  ended_at timestamptz,
  -- When a passkey confirmed the sign-in. Null without one.
  second_factor_at timestamptz,
  -- What the session's authenticator has to sign next, once.
  challenge bytea,
  challenge_for text check (challenge_for in ('add', 'use')),
  challenge_expires_at timestamptz,
  primary key (organization_id, id)
);
create index console_sessions_hash on console_sessions (hash);
create index console_sessions_member on console_sessions (organization_id, member_id, id);
create index console_sessions_previous on console_sessions (previous_hash) where previous_hash is not null;
create index console_sessions_seen on console_sessions (seen_at);

-- A second factor for signing in to the console.
create table passkeys (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  member_id text collate "C" not null,
  -- Chosen by the member.
  name text not null,
  credential_id bytea not null,
  public_key bytea not null,
  -- How often the authenticator was used. A lower number than the last one reveals a copy; many always send 0.
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (organization_id, id)
);
create unique index passkeys_credential on passkeys (organization_id, member_id, credential_id);
create index passkeys_member on passkeys (organization_id, member_id, id);

-- == Events and intros ==

-- Events as they were received: the table is the queue of the workers. Without foreign keys, because a key check would lock
-- the member's row for each event. The statement that inserts an event resolves its member and touchpoint.
create table touchpoint_events (
  organization_id text collate "C" not null,
  environment text not null,
  id text collate "C" not null,
  status text not null check (status in ('accepted', 'processed', 'failed')),
  touchpoint_id text collate "C" not null,
  member_id text collate "C" not null,
  -- The body as it was sent. json, not jsonb, keeps the order of the caller's fields.
  request json not null,
  created_at timestamptz not null,
  -- Set when the status is no longer accepted. Statements that know their events' ids use it instead of the status: the
  -- index below would look cheap to them, and be read whole.
  settled_at timestamptz,
  intro_id text collate "C",
  error_code text,
  error_message text,
  -- When the event was matched.
  touchpoint_name text not null,
  erasure_id text collate "C",
  primary key (organization_id, id),
  check ((status = 'accepted') = (settled_at is null))
);
-- Small while the workers keep up.
create index touchpoint_events_accepted on touchpoint_events (created_at) where status = 'accepted';
create index touchpoint_events_erasure on touchpoint_events (organization_id, erasure_id, id) where erasure_id is not null;
create index touchpoint_events_failed on touchpoint_events (organization_id, id) where status = 'failed';
-- Both indexes of the event list leave out accepted events, so that accepting writes to neither. They start without the
-- organization, because ids of touchpoints are unique: entries are shorter, and the planner cannot prefer to filter the
-- primary key.
create index touchpoint_events_reference on touchpoint_events ((request -> 'reference' ->> 'id'), touchpoint_id, status, id)
  where settled_at is not null and (request -> 'reference' ->> 'id') is not null;
create index touchpoint_events_touchpoint on touchpoint_events (touchpoint_id, status, id) where settled_at is not null;

-- A request to record a video for a recipient, and what became of it.
create table intros (
  organization_id text collate "C" not null,
  environment text not null,
  id text collate "C" not null,
  status text not null check (status in ('requested', 'ready', 'sent', 'cancelled', 'expired')),
  version integer not null default 1,
  event_id text collate "C",
  touchpoint_slug text collate "C",
  member_id text collate "C" not null,
  recipient_first_name text not null,
  recipient_last_name text,
  recipient_phone text not null,
  reference json,
  reference_id text,
  context json,
  script text,
  -- Whether there are instructions, whose script may be null.
  instructed boolean not null,
  responsibility text not null check (responsibility in ('integration', 'service')),
  metadata json not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  recorded_at timestamptz,
  sent_at timestamptz,
  opened_at timestamptz,
  watched_at timestamptz,
  cancelled_at timestamptz,
  -- The take that is shown. A later one replaces it once it is ready.
  recording_id text collate "C",
  watched_percent smallint not null default 0 check (watched_percent between 0 and 100),
  delivery_error_code text,
  delivery_error_message text,
  member_opened_at timestamptz,
  -- The member or API key.
  cancelled_by text,
  -- Percent → when that much was first watched.
  watched_times jsonb not null default '{}',
  -- Increases with each reassignment, so that the link of the previous member stops working.
  link_generation smallint not null default 0,
  taken_down_at timestamptz,
  -- A member or an API key. Null: the operator.
  taken_down_by text collate "C",
  -- The link generation whose member declined. Earlier than link_generation: the intro was reassigned since.
  declined_generation integer,
  -- At creation. Null without a touchpoint.
  touchpoint_version integer,
  -- As sent with the intro, or the organization's language when it was created.
  recipient_language text not null default 'en' check (recipient_language in ('en', 'es')),
  -- English although the recipient's language is Spanish: the touchpoint had no Spanish script.
  script_language text not null default 'en' check (script_language in ('en', 'es')),
  erasure_id text collate "C",
  erased_at timestamptz,
  -- When the member's withdrawal of consent closed the intro or took its page down.
  likeness_withdrawn_at timestamptz,
  -- The link domain of the recipient's link, decided when the video is ready. Null: that of PUBLIC_URL.
  link_host text,
  primary key (organization_id, id)
);
-- Open intros, the most urgent first.
create index intros_due on intros (organization_id, coalesce(expires_at, 'infinity'::timestamptz), id)
  where status in ('requested', 'ready');
create index intros_erasure on intros (organization_id, erasure_id, id) where erasure_id is not null;
-- One event creates at most one intro.
create unique index intros_event on intros (organization_id, event_id) where event_id is not null;
create index intros_expiry on intros (expires_at) where status in ('requested', 'ready');
-- Names are searched by their beginning: in byte order, that is one range of the index.
create index intros_first_name on intros (organization_id, lower(recipient_first_name) collate "C");
-- With the first name, so that a search for both reads only this index.
create index intros_last_name on intros (
  organization_id, lower(recipient_last_name) collate "C", lower(recipient_first_name) collate "C")
  where recipient_last_name is not null;
create index intros_member on intros (organization_id, member_id, status, id);
-- Contains each pair together with its organization, so that no search reads the entries of others. Without a list of
-- pending entries, which every search would read and some inserts would have to move into the index.
create index intros_metadata on intros using gin (jsonb_set('{}', array[organization_id], metadata::jsonb) jsonb_path_ops)
  with (fastupdate = off)
  where metadata::text <> '{}';
-- For replies to a number that organizations share, which may even arrive before the first text. Intros that the service
-- does not deliver cost nothing here.
create index intros_phone on intros (recipient_phone) where responsibility = 'service';
create index intros_recipient_phone on intros (organization_id, recipient_phone collate "C");
create index intros_reference on intros (organization_id, reference_id, id) where reference_id is not null;
create index intros_status on intros (organization_id, status, id);
-- A member's home page. The statement repeats the condition literally.
create index intros_to_record on intros (organization_id, member_id, expires_at, id) where status = 'requested';
create index intros_touchpoint_status on intros (organization_id, touchpoint_slug, status, id);

-- One row for each time that an intro was given to another member.
create table intro_reassignments (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  intro_id text collate "C" not null,
  -- The link generation from then on.
  generation smallint not null,
  from_member_id text collate "C" not null,
  to_member_id text collate "C" not null,
  -- Who decided it: a member, or an integration with a key.
  by_member_id text collate "C",
  -- When the previous member opened the recorder.
  opened_at timestamptz,
  created_at timestamptz not null,
  by_key_id text collate "C",
  -- The member handed it over with a text.
  by_text boolean not null default false,
  primary key (organization_id, intro_id, generation)
);
create index intro_reassignments_from on intro_reassignments (organization_id, from_member_id);

-- Members decline an intro at most once per link generation: after a reassignment, the next member may decline, too.
create table intro_declines (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  intro_id text collate "C" not null,
  generation integer not null,
  member_id text collate "C" not null,
  reason text not null check (reason in ('not_meeting', 'away', 'details_wrong', 'other')),
  message text,
  created_at timestamptz not null,
  -- The member declined with a text.
  by_text boolean not null default false,
  primary key (organization_id, intro_id, generation)
);
create index intro_declines_member on intro_declines (organization_id, member_id, created_at);
create index intro_declines_newest on intro_declines (organization_id, environment, created_at);

-- Replies of recipients.
create table intro_replies (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  intro_id text collate "C" not null,
  -- Starts with 1.
  number smallint not null,
  type text not null check (type in ('confirm', 'reschedule', 'thanks', 'question', 'message')),
  -- Of the button when the recipient tapped it.
  label text not null,
  message text,
  created_at timestamptz not null,
  -- The recipient replied to the text. Otherwise, on the page.
  by_text boolean not null default false,
  primary key (organization_id, intro_id, number)
);
create index intro_replies_newest on intro_replies (organization_id, environment, created_at);

-- What members answered to the replies of recipients.
create table intro_answers (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  intro_id text collate "C" not null,
  -- Starts with 1.
  number smallint not null,
  member_id text collate "C" not null,
  -- Null: erased.
  message text,
  created_at timestamptz not null,
  primary key (organization_id, intro_id, number)
);

-- == Links ==

-- Which intro a link opens. Contains hashes of tokens, which derive from a key that is not in the database: the database
-- alone opens no link.
create table links (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  intro_id text collate "C" not null,
  -- short: another link to the page, for a link domain.
  kind text not null check (kind in ('record', 'page', 'short')),
  hash bytea not null,
  primary key (organization_id, intro_id, kind)
);
-- Not unique, as api_keys_hash.
create index links_hash on links (hash);

-- Links that stopped working when their intro was reassigned. They say who records the intro now.
create table replaced_links (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  intro_id text collate "C" not null,
  generation integer not null,
  hash bytea not null,
  primary key (organization_id, intro_id, generation)
);
create index replaced_links_hash on replaced_links (hash);

-- Domains of organizations for the links of recipients.
create table link_domains (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  -- In lower case and ASCII, without a port.
  host text collate "C" not null,
  -- What the owner of the domain publishes to prove that it is theirs.
  challenge text not null,
  state text not null check (state in ('pending', 'verified', 'active', 'failing', 'removed')),
  created_at timestamptz not null,
  -- From then on, requests for the host get the pages of this organization, even after the domain was removed.
  verified_at timestamptz,
  active_at timestamptz,
  failing_since timestamptz,
  checked_at timestamptz,
  -- The next check. Null: none.
  check_at timestamptz,
  failure_code text,
  failure_message text,
  primary key (organization_id, id),
  check (state in ('pending', 'removed') or verified_at is not null),
  check ((state = 'failing') = (failing_since is not null))
);
create index link_domains_due on link_domains (check_at) where check_at is not null;
create unique index link_domains_host on link_domains (organization_id, environment, host);
-- A host belongs to one organization. An unverified claim keeps no one from verifying theirs.
create unique index link_domains_owner on link_domains (host) where verified_at is not null;

-- == Recordings ==

-- One row for each take: first an upload that grows, then what the media worker makes of it.
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
  -- The objects that hold the original, in order: one for each piece that arrived.
  parts text[] not null default '{}',
  progress smallint not null default 0 check (progress between 0 and 100),
  -- Counts claims, so that a late worker changes nothing: first for the video, then for the preview.
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
  -- The last sign of life: of the upload, then of the media worker.
  touched_at timestamptz not null,
  received_at timestamptz,
  ready_at timestamptz,
  original_deleted_at timestamptz,
  -- When a worker next checks whether the files are still needed. Null while the take is processed.
  files_check_at timestamptz,
  deleted_at timestamptz,
  -- Created by the test helper, not recorded by the member.
  simulated boolean not null default false,
  -- Attempts that the encoder itself ended.
  failures smallint not null default 0,
  -- Claims whose worker died. They say nothing about the take.
  worker_deaths smallint not null default 0,
  -- CPU time of all attempts.
  cpu_ms integer not null default 0,
  -- Larger or longer than 30 seconds of 1080p. Null until the file has been inspected.
  heavy boolean,
  -- When the next attempt is due. Null before the first one.
  retry_at timestamptz,
  -- The part of the take that the member keeps. Null: all of it.
  trim_start_ms integer,
  trim_end_ms integer,
  -- Who is in it.
  member_id text collate "C" not null,
  primary key (organization_id, id)
);
-- Files that may no longer be needed.
create index recordings_file_checks on recordings (files_check_at) where deleted_at is null and files_check_at is not null;
create index recordings_in_flight on recordings (touched_at) where status in ('uploading', 'uploaded', 'processing');
create index recordings_intro on recordings (organization_id, intro_id, id);
-- Originals that are still stored.
create index recordings_originals on recordings (received_at)
  where original_deleted_at is null and status in ('ready', 'refused', 'discarded');
-- Videos that still have files.
create index recordings_ready on recordings (organization_id, ready_at) where deleted_at is null and status = 'ready';
create index recordings_without_preview on recordings (touched_at)
  where status = 'ready' and not has_preview and attempts < 5;

-- When each organization last got an encoder: the one that has waited longest is next.
create table encoding_claims (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  claimed_at timestamptz not null,
  primary key (organization_id, environment)
);

-- The text with which each member agreed to the use of their face and voice. Never deleted. Without a text: the member
-- withdrew the consent without having given it.
create table likeness_consents (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  member_id text collate "C" not null,
  version text collate "C",
  language text,
  text text,
  given_at timestamptz,
  given_by text check (given_by in ('recording', 'console')),
  withdrawn_at timestamptz,
  -- The member who withdrew it. Null: the operator.
  withdrawn_by text collate "C",
  primary key (organization_id, id)
);
-- A version is agreed to once.
create unique index likeness_consents_given on likeness_consents (organization_id, member_id, version)
  where withdrawn_at is null;
create index likeness_consents_member on likeness_consents (organization_id, member_id, id);

-- The work that a withdrawal of consent causes: intros to close, and files to delete.
create table likeness_removals (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  member_id text collate "C" not null,
  withdrawn_at timestamptz not null,
  withdrawn_by text collate "C",
  -- Who records the open intros instead. Null: they are closed.
  reassign_to text collate "C",
  -- When the worker that does it last reported progress.
  claimed_at timestamptz,
  finished_at timestamptz,
  closed integer not null default 0,
  reassigned integer not null default 0,
  taken_down integer not null default 0,
  videos integer not null default 0,
  primary key (organization_id, member_id, withdrawn_at)
);
create index likeness_removals_pending on likeness_removals (withdrawn_at) where finished_at is null;

-- == Texts and emails ==

-- An organization without a row has the defaults.
create table delivery_settings (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  -- Minutes of the recipient's day between which texts may arrive.
  texts_from smallint not null default 480,
  texts_until smallint not null default 1260,
  -- The organization's own account with the carrier, encrypted. Null: that of the service.
  twilio_account bytea,
  updated_at timestamptz not null,
  -- The countries that the owner chose. Null: the organization's own.
  countries text[],
  texts_test_recordings boolean not null default false,
  -- Set by the operator. Null: the defaults.
  daily_texts integer check (daily_texts >= 0),
  daily_texts_per_member integer check (daily_texts_per_member >= 0),
  daily_texts_per_recipient integer check (daily_texts_per_recipient >= 0),
  texts_paused_at timestamptz,
  texts_paused_for text check (texts_paused_for in ('burst', 'failures')),
  texts_resumed_at timestamptz,
  -- Members answer replies through the service, and never see the number of the recipient in a message.
  forwards_replies boolean not null default false,
  primary key (organization_id, environment),
  check (texts_from >= 0 and texts_from < texts_until and texts_until <= 1440),
  check ((texts_paused_at is null) = (texts_paused_for is null))
);

-- Texts and emails about intros: the table is their queue. Address and text are filled in when a message is sent, because
-- names, numbers and settings may change until then.
create table messages (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  intro_id text collate "C" not null,
  audience text not null check (audience in ('member', 'recipient')),
  purpose text not null check (purpose in ('ask', 'remind', 'remind_last', 'remind_by_hand', 'deliver', 'reply', 'answer')),
  -- Null until it is chosen.
  channel text check (channel in ('text', 'email')),
  status text not null check (status in ('scheduled', 'sending', 'accepted', 'delivered', 'undelivered', 'failed', 'dropped')),
  due_at timestamptz not null,
  -- What it waited for last, and until when.
  held_for text check (held_for in ('quiet_hours', 'recent_text', 'recording', 'daily_limit', 'texts_paused', 'carrier_account')),
  held_until timestamptz,
  attempts smallint not null default 0,
  -- The carrier may have it: the carrier is asked before anything is sent again.
  in_doubt boolean not null default false,
  claimed_at timestamptz,
  address text,
  subject text,
  segments smallint,
  carrier text,
  carrier_id text,
  error_code text,
  error_message text,
  created_at timestamptz not null,
  accepted_at timestamptz,
  settled_at timestamptz,
  -- Counts repeated messages: to the next member, or by hand. The number of the reply or answer for messages about these.
  round smallint not null default 0,
  -- Sent through the organization's own account. A STOP to the shared number concerns only texts from there.
  by_own_account boolean not null default false,
  -- With marks in place of link tokens.
  body text,
  -- The account that sent the text, or that holds it.
  account text collate "C",
  -- Attempts that failed because of the account. They do not count as attempts of the text.
  held_attempts smallint not null default 0,
  -- Texts that the carrier accepted before this one and did not deliver, so that this one was planned automatically.
  resends smallint not null default 0,
  -- Attempts that certainly sent nothing. The second carrier may get the message only if all attempts did.
  unsent_attempts smallint not null default 0,
  -- The next attempt is for the second carrier.
  uses_fallback boolean not null default false,
  primary key (organization_id, id)
);
create index messages_claimed on messages (claimed_at) where status = 'sending';
create index messages_deliveries on messages (organization_id, address) where status = 'scheduled' and purpose = 'deliver';
create index messages_due on messages (due_at) where status = 'scheduled';
-- Texts that wait for an account.
create index messages_held on messages (organization_id, account)
  where status = 'scheduled' and held_for = 'carrier_account';
-- However often a step is repeated, its message exists once for each channel.
create unique index messages_intro on messages (organization_id, intro_id, purpose, channel, round) nulls not distinct;
-- The due messages about replies, for organizations with a test clock.
create index messages_replies on messages (organization_id, due_at)
  where purpose in ('reply', 'answer') and status = 'scheduled';
-- Which organizations have texted a number, and whom a reply to the shared number answers.
create index messages_texted on messages (address, organization_id, status)
  where channel = 'text' and accepted_at is not null;

-- The last text to a number for each touchpoint. Only the worker that writes the row sends; the row lock decides between
-- two. The touchpoint is empty for texts without one.
create table texted_numbers (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  phone text collate "C" not null,
  touchpoint text collate "C" not null,
  message_id text collate "C" not null,
  texted_at timestamptz not null,
  primary key (organization_id, environment, phone, touchpoint)
);
-- A reply to a number that organizations share does not say whom it answers.
create index texted_numbers_phone on texted_numbers (phone);

-- Texts handed to a carrier on one local day. The subject is '' for the whole organization, a member's id, or a recipient's
-- number.
create table text_counts (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  subject text collate "C" not null,
  day date not null,
  sent integer not null default 0,
  failed integer not null default 0,
  -- Whether the owners were notified that the limit is reached.
  notified boolean not null default false,
  primary key (organization_id, environment, subject, day)
);

-- Numbers that a carrier reports as unable to receive texts. No later text is sent to them until one that is sent by hand
-- arrives, the number texts us, or 90 days have passed.
create table flagged_numbers (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  phone text collate "C" not null,
  failure text not null check (failure in ('invalid_number', 'unreachable_number')),
  flagged_at timestamptz not null,
  primary key (organization_id, environment, phone)
);
-- A text to the shared number lifts the flags of all organizations.
create index flagged_numbers_phone on flagged_numbers (phone);

-- What people said about being texted. Rows are only appended.
create table consents (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  phone text collate "C" not null,
  kind text not null check (kind in ('opt_out', 'opt_in')),
  source text not null check (source in ('text', 'page', 'carrier', 'operator', 'team')),
  said text,
  created_at timestamptz not null,
  -- The member who undid an opt-out for the recipient.
  by_member text collate "C",
  primary key (organization_id, id)
);

-- Numbers that are not texted, as `consents` leaves them.
create table opt_outs (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  phone text collate "C" not null,
  source text not null check (source in ('text', 'page', 'carrier', 'operator')),
  opted_out_at timestamptz not null,
  primary key (organization_id, environment, phone)
);

-- Keyword texts that a carrier has reported, so that a repeated report is applied and answered only once. Without an
-- organization: a text to a shared number may concern several or none.
create table received_texts (
  carrier text collate "C" not null,
  -- The carrier's id of the report.
  id text collate "C" not null,
  received_at timestamptz not null,
  primary key (carrier, id)
);
create index received_texts_received on received_texts (received_at);

-- The numbered list that a member got last, so that "NO 2" means what the member read.
create table listed_intros (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  member_id text collate "C" not null,
  number smallint not null,
  intro_id text collate "C" not null,
  listed_at timestamptz not null,
  primary key (organization_id, member_id, number)
);
create index listed_intros_intro on listed_intros (organization_id, intro_id);

-- Accounts that cannot send: their texts wait. Organizations may share an account.
create table carrier_holds (
  -- A hash of the carrier, its credentials and its sender: once these change, nothing is held.
  account text collate "C" primary key,
  fault text not null,
  -- In the carrier's words.
  message text not null,
  -- The carrier accepts texts at first, and reports the fault later.
  is_reported boolean not null,
  started_at timestamptz not null,
  probes integer not null default 0,
  -- The first text after this time is sent, to find out whether the account works.
  next_probe_at timestamptz not null,
  probe_organization_id text collate "C",
  probe_message_id text collate "C"
);

-- Account faults that owners were notified about. The console shows them.
create table carrier_notices (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  fault text not null,
  account text collate "C" not null,
  message text not null,
  started_at timestamptz not null,
  last_at timestamptz not null,
  notified_at timestamptz not null,
  -- Null: the account still has the fault.
  ended_at timestamptz,
  primary key (organization_id, environment, fault)
);
create index carrier_notices_account on carrier_notices (account) where ended_at is null;

-- Emails to owners and managers, stored in the transaction that causes them. Each has a job that sends it.
create table owner_emails (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  address text not null,
  subject text not null,
  body text not null,
  status text not null check (status in ('scheduled', 'accepted', 'failed')),
  attempts smallint not null default 0,
  carrier text,
  error_message text,
  created_at timestamptz not null,
  settled_at timestamptz,
  purpose text not null,
  -- The owner and the week of a summary.
  member_id text collate "C",
  week text collate "C",
  -- When the mail server asked for the content of a summary: from then on, only the server knows whether it accepted the
  -- email.
  handed_over_at timestamptz,
  primary key (organization_id, id)
);

-- One row per organization and week, whichever node plans it, so that each owner gets one email.
create table weekly_summaries (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  -- The Monday on which it is sent, in the organization's time zone.
  week text collate "C" not null,
  -- Null: there was nothing to send.
  figures json,
  created_at timestamptz not null,
  primary key (organization_id, environment, week)
);

-- == Webhooks ==

-- Where an organization receives webhooks.
create table webhook_endpoints (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  url text not null,
  events text[] not null check (cardinality(events) > 0),
  active boolean not null default true,
  -- Why the service turned it off. Null: a user did, or it is on.
  disabled_reason text check (disabled_reason in ('gone', 'failing')),
  -- Encrypted. The previous one signs as well until it expires.
  secret bytea not null,
  previous_secret bytea,
  previous_secret_expires_at timestamptz,
  -- The first failure since the last success.
  failing_since timestamptz,
  created_at timestamptz not null,
  description text,
  primary key (organization_id, id),
  check (disabled_reason is null or not active),
  check ((previous_secret is null) = (previous_secret_expires_at is null))
);

-- Webhooks, stored in the transaction of the change: one message for all endpoints that subscribe to it.
create table webhook_messages (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  type text not null,
  created_at timestamptz not null,
  -- The event or intro. Null: it is about no object.
  object_id text collate "C",
  -- Encrypted, because it contains links. The text as it is signed and sent, to the byte.
  sealed_payload bytea not null,
  -- Sent with a header that says so.
  is_test boolean not null default false,
  primary key (organization_id, id)
);
create index webhook_messages_object on webhook_messages (organization_id, object_id, id) where object_id is not null;
-- The messages of a rare type. Messages are never moved, so the index costs one entry each.
create index webhook_messages_type on webhook_messages (organization_id, type, id);

-- One row for each message and endpoint: the queue of the senders.
create table webhook_deliveries (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  message_id text collate "C" not null,
  endpoint_id text collate "C" not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  -- Increases with each claim, so that a sender that counts as dead can no longer settle the delivery.
  claim integer not null default 0,
  failures smallint not null default 0,
  -- The next attempt. During one: when its sender counts as dead.
  due_at timestamptz,
  created_at timestamptz not null,
  primary key (organization_id, message_id, endpoint_id),
  check ((status = 'pending') = (due_at is not null))
);
-- By endpoint, so that a long queue of one endpoint does not delay another.
create index webhook_deliveries_due on webhook_deliveries (organization_id, endpoint_id, due_at) where due_at is not null;
create index webhook_deliveries_failed on webhook_deliveries (organization_id, endpoint_id, created_at)
  where status = 'failed';

-- What each endpoint answered.
create table webhook_attempts (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  endpoint_id text collate "C" not null,
  id text collate "C" not null,
  message_id text collate "C" not null,
  type text not null,
  succeeded boolean not null,
  status smallint,
  error text,
  duration_ms integer not null,
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  -- The beginning of the response, encrypted because it may repeat the payload.
  sealed_answer bytea,
  primary key (organization_id, endpoint_id, id)
);
create index webhook_attempts_message on webhook_attempts (organization_id, message_id, id);

-- == Privacy ==

-- How long an organization keeps its data. Rules without a row have the default.
create table retention_settings (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  rule text collate "C" not null,
  days integer not null check (days between 1 and 3650),
  -- The longer period that applies for a day after the change.
  earlier_days integer check (earlier_days between 1 and 3650),
  changed_at timestamptz not null,
  primary key (organization_id, environment, rule)
);

-- Requests to erase a recipient. A row holds the progress of the work and becomes the receipt. It does not identify the
-- person: the number is encrypted, and deleted once the work is done.
create table recipient_erasures (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  status text not null check (status in ('processing', 'completed')),
  sealed_phone bytea,
  -- How many rows or files of each kind were erased.
  removed jsonb not null default '{}',
  opt_out_kept boolean not null default false,
  -- Where the worker continues. Everything is done twice, the second time for what was in flight.
  pass smallint not null default 1,
  step text collate "C" not null,
  position text collate "C" not null default '',
  -- In real time, as accepted_at.
  due_at timestamptz,
  accepted_at timestamptz not null default clock_timestamp(),
  created_at timestamptz not null,
  completed_at timestamptz,
  primary key (organization_id, id),
  check ((status = 'completed') = (completed_at is not null)),
  check ((status = 'processing') = (due_at is not null)),
  check ((status = 'processing') = (sealed_phone is not null))
);
create index recipient_erasures_due on recipient_erasures (due_at) where status = 'processing';

-- Opt-outs of erased numbers, by a keyed hash. A new event or intro for the number moves its row back to opt_outs.
create table erased_opt_outs (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  phone_hash bytea not null,
  source text not null check (source in ('text', 'page', 'carrier', 'operator')),
  opted_out_at timestamptz not null,
  primary key (organization_id, environment, phone_hash)
);

-- The audit log: who did what to which object, and from where. It has no names, phone numbers or values: those are read
-- from the objects, so that an erased person is also gone from here.
create table audit_entries (
  organization_id text collate "C" not null,
  environment text not null check (environment = 'test'),
  id text collate "C" not null,
  -- The time of the database, which all nodes share.
  at timestamptz not null default now(),
  action text collate "C" not null,
  actor_type text not null check (actor_type in ('member', 'key', 'operator', 'system')),
  actor_id text collate "C",
  object_id text collate "C",
  related_id text collate "C",
  -- Names of the changed fields.
  fields text[] not null default '{}',
  -- Why a sign-in failed.
  reason text,
  ip text,
  user_agent text,
  request_id text collate "C",
  primary key (organization_id, id)
);
create index audit_entries_action on audit_entries (organization_id, environment, action, at, id);
create index audit_entries_actor on audit_entries (organization_id, environment, actor_id, at, id)
  where actor_id is not null;
create index audit_entries_newest on audit_entries (organization_id, environment, at, id);
create index audit_entries_object on audit_entries (organization_id, environment, object_id, at, id)
  where object_id is not null;
create index audit_entries_related on audit_entries (organization_id, related_id) where related_id is not null;
create index audit_entries_request on audit_entries (organization_id, request_id) where request_id is not null;

-- Rejects changes to entries by every role. Only remove_audit_entries deletes, and nothing within the shortest retention.
create function protect_audit_entries() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' then
    if current_setting('foreword.audit_retention', true) = 'on' and old.at < now() - interval '90 days' then
      return old;
    end if;
  end if;
  raise exception 'audit_entries is append-only: % is not allowed', lower(tg_op)
    using errcode = 'insufficient_privilege';
end $$;
create trigger audit_entries_append_only before update or delete on audit_entries
  for each row execute function protect_audit_entries();
create trigger audit_entries_no_truncate before truncate on audit_entries
  for each statement execute function protect_audit_entries();

-- Deletes the entries of an organization from before a day. A role without DELETE on the table may execute it, because it
-- runs with the rights of its owner. It sets the parameter in its body, since only a superuser may create a function with a
-- SET clause for a parameter that PostgreSQL does not know.
create function remove_audit_entries(organization text, place text, before timestamptz) returns integer
language plpgsql security definer
set search_path from current as $$
declare removed integer;
begin
  perform set_config('foreword.audit_retention', 'on', true);
  delete from audit_entries where organization_id = organization and environment = place and at < before;
  get diagnostics removed = row_count;
  perform set_config('foreword.audit_retention', 'off', true);
  return removed;
end $$;

-- == Operation ==

-- The key with which links are made and secrets encrypted, by fingerprint. A server with another key refuses to start.
create table server_key (
  only_one boolean primary key default true check (only_one),
  fingerprint bytea not null,
  -- Announced by a rotation, which any node without this key refuses.
  next_fingerprint bytea,
  next_refused_by text,
  -- When everything stored was encrypted with the current key. Null: not since the last rotation.
  reencrypted_at timestamptz
);

-- Keys from before a rotation, encrypted with the current one: links that were sent derive from them.
create table previous_server_keys (
  fingerprint bytea primary key,
  sealed_key bytea not null,
  -- Objects with ids from this time on use the next key.
  used_until timestamptz not null
);

-- Organizations whose clock is ahead of the real time, for tests.
create table test_clocks (
  organization_id text collate "C" not null references organizations (id),
  environment text not null check (environment = 'test'),
  offset_seconds integer not null check (offset_seconds between 0 and 34560000),
  -- In real time.
  started_at timestamptz not null,
  advanced_at timestamptz not null,
  primary key (organization_id, environment)
);

-- The trace of each event and intro whose request was traced. Later work on the object, in any process, continues it. Empty
-- while traces are off.
create table traces (
  organization_id text collate "C" not null,
  environment text not null,
  object_id text collate "C" not null,
  trace_id text collate "C" not null,
  span_id text collate "C" not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (organization_id, object_id)
);
create index traces_age on traces (created_at);

-- == Open consoles: one notification for each organization and statement, after which they read what changed ==

-- PostgreSQL commits transactions that NOTIFY one after another. Statements that process events or handle requests therefore
-- only report a hint to their own client, and the service passes hints on twice a second (src/platform/hints.ts). INFO is
-- always sent to the client, and by default never written to the server's log.
create function hint(channel text, payload text) returns void language plpgsql as $$
begin
  raise info using errcode = 'WH001', message = channel || ' ' || payload;
end $$;

create function hint_console() returns trigger language plpgsql as $$
begin
  perform hint('foreword_console', organization_id || ' ' || tg_argv[0]) from changed group by organization_id;
  return null;
end $$;
create trigger intros_inserted after insert on intros referencing new table as changed
  for each statement execute function hint_console('intros');
create trigger intros_updated after update on intros referencing new table as changed
  for each statement execute function hint_console('intros');

-- An event that created an intro needs no hint of its own.
create function hint_console_of_events() returns trigger language plpgsql as $$
begin
  perform hint('foreword_console', organization_id || ' intros')
    from changed where status <> 'processed' group by organization_id;
  return null;
end $$;
create trigger touchpoint_events_updated after update on touchpoint_events referencing new table as changed
  for each statement execute function hint_console_of_events();

-- A take that is being processed is updated twice a second. Open consoles need only its next state.
create function hint_console_of_takes() returns trigger language plpgsql as $$
begin
  perform hint('foreword_console', c.organization_id || ' intros')
    from changed c join before b on b.organization_id = c.organization_id and b.id = c.id and b.status <> c.status
    group by c.organization_id;
  return null;
end $$;
create trigger recordings_updated after update on recordings referencing new table as changed old table as before
  for each statement execute function hint_console_of_takes();

-- For changes that are rare.
create function notify_console() returns trigger language plpgsql as $$
begin
  perform pg_notify('foreword_console', organization_id || ' ' || tg_argv[0]) from changed group by organization_id;
  return null;
end $$;
create trigger members_inserted after insert on members referencing new table as changed
  for each statement execute function notify_console('members');
create trigger members_updated after update on members referencing new table as changed
  for each statement execute function notify_console('members');
create trigger touchpoints_inserted after insert on touchpoints referencing new table as changed
  for each statement execute function notify_console('touchpoints');
create trigger touchpoints_updated after update on touchpoints referencing new table as changed
  for each statement execute function notify_console('touchpoints');
create trigger webhook_endpoints_inserted after insert on webhook_endpoints referencing new table as changed
  for each statement execute function notify_console('webhooks');
create trigger webhook_endpoints_updated after update on webhook_endpoints referencing new table as changed
  for each statement execute function notify_console('webhooks');
create trigger webhook_endpoints_deleted after delete on webhook_endpoints referencing old table as changed
  for each statement execute function notify_console('webhooks');
create trigger delivery_settings_inserted after insert on delivery_settings referencing new table as changed
  for each statement execute function notify_console('organization');
create trigger delivery_settings_updated after update on delivery_settings referencing new table as changed
  for each statement execute function notify_console('organization');
create trigger carrier_notices_inserted after insert on carrier_notices referencing new table as changed
  for each statement execute function notify_console('organization');
create trigger carrier_notices_updated after update on carrier_notices referencing new table as changed
  for each statement execute function notify_console('organization');

create function notify_console_of_organization() returns trigger language plpgsql as $$
begin
  perform pg_notify('foreword_console', id || ' organization') from changed;
  return null;
end $$;
create trigger organizations_updated after update on organizations referencing new table as changed
  for each statement execute function notify_console_of_organization();

-- Every node ends the live updates of a session as soon as it ends.
create function notify_console_of_sessions() returns trigger language plpgsql as $$
begin
  perform pg_notify('foreword_console', new.organization_id || ' sessions');
  return null;
end $$;
create trigger console_sessions_ended after update of ended_at on console_sessions for each row
  when (old.ended_at is null and new.ended_at is not null)
  execute function notify_console_of_sessions();
