import pg from 'pg';
import { EVENT_BODY } from '../load.ts';

/** The busy organization has this many members and 60% of the rows; fifty small ones share the rest. */
const MEMBERS = 200;
const SMALL_ORGANIZATIONS = 50;
const MEMBERS_OF_SMALL = 4;

/** The format of platform/ids.ts: ten characters of time, the version with a counter of zero, thirteen random characters. */
const ID_FUNCTION = `
create function bench_id(prefix text, at_ms bigint, chance text) returns text language sql immutable as $$
  select prefix || '_' || ${Array.from(
    { length: 10 },
    (_, i) => `substr('0123456789abcdefghjkmnpqrstvwxyz', ((at_ms >> ${45 - 5 * i}) & 31)::int + 1, 1)`,
  ).join(' || ')} || 'w00' || substr(md5(chance), 1, 13)
$$;
create function bench_pick(n bigint, salt int, choices int) returns int language sql immutable as $$
  select (hashint8extended(n, salt) & 2147483647)::int % choices
$$`;

// The existing organization has the touchpoints of its industry and one member; the new ones get the same.
const ORGANIZATIONS = `
create unlogged table places as
  select 0 as slot, o.id as organization_id, true as existing from organizations o
  union all
  select k, bench_id('org', 1700000000000 + k, 'org' || k), false from generate_series(1, ${SMALL_ORGANIZATIONS}) k;
insert into organizations (id, name, industry, lanes, timezone, created_at)
  select p.organization_id, 'Small ' || slot, o.industry, o.lanes, o.timezone, o.created_at
  from places p, (select * from organizations limit 1) o where not p.existing;
insert into touchpoints (organization_id, environment, id, slug, name, context, lane, position, active, delivery,
    minutes_to_record, page_title, script, created_at, updated_at)
  select p.organization_id, environment, bench_id('tch', 1700000000000 + position, p.slot || slug), slug, name, context, lane,
    position, active, delivery, minutes_to_record, page_title, script, created_at, updated_at
  from places p, touchpoints where not p.existing;
insert into members (organization_id, environment, id, external_id, first_name, last_name, email, role, created_at)
  select organization_id, 'test', bench_id('mem', 1700000000000 + j, slot || 'member' || j), 'bench_' || j, 'Sam', 'Lee',
    'sam' || j || '@bench.example', 'member', now()
  from places, generate_series(1, case when existing then ${MEMBERS} else ${MEMBERS_OF_SMALL} end) j;
alter table places add member_ids text[], add touchpoint_id text;
update places p set
  member_ids = (select array_agg(id) from members m where m.organization_id = p.organization_id and external_id like 'bench%'),
  touchpoint_id = (select id from touchpoints t where t.organization_id = p.organization_id and slug = 'new_appointment');
analyze places`;

/** One event in this many failed and has no intro. */
const FAILED = 101;

// A year of rows, evenly distributed. Statuses: 5 % requested, 5 % ready, 70 % sent, 15 % cancelled, 5 % expired.
const sourcesOf = (total: number) => `
create unlogged table sources as
  select n, p.organization_id, p.touchpoint_id,
    p.member_ids[1 + bench_pick(n, 1, cardinality(p.member_ids))] as member_id,
    bench_id('evt', at_ms, 'evt' || n) as event_id, bench_id('int', at_ms + 5, 'int' || n) as intro_id,
    to_timestamp(at_ms / 1000.0) as created_at, n % ${FAILED} = 0 as failed,
    case when state < 5 then 'requested' when state < 10 then 'ready' when state < 80 then 'sent'
      when state < 95 then 'cancelled' else 'expired' end as status
  from (
    select n, case when n % 10 < 6 then 0 else 1 + (n / 10) % ${SMALL_ORGANIZATIONS} end as slot,
      bench_pick(n, 2, 100) as state,
      floor(extract(epoch from now()) * 1000)::bigint - (${total} - n) * 31536000000 / ${total} as at_ms
    from generate_series(1::bigint, ${total}) n
    offset 0
  ) s join places p using (slot)`;

const EVENTS = `
insert into touchpoint_events (organization_id, environment, id, status, touchpoint_id, touchpoint_name, member_id, request,
    created_at, settled_at, intro_id, error_code)
  select organization_id, 'test', event_id, case when failed then 'failed' else 'processed' end, touchpoint_id,
    'New appointment', member_id, replace('${EVENT_BODY}', '"appt_8812"', '"appt_' || n / 2 || '"')::json, created_at,
    created_at + interval '20 ms', case when not failed then intro_id end, case when failed then 'processing_failed' end
  from sources`;

const KEYS = `
insert into idempotency_keys (organization_id, environment, key_hash, fingerprint, object_id)
  select organization_id, 'test', substr(sha256(('acme_crm:appt_' || n || ':new_appointment')::bytea), 1, 16), sha256(n::text::bytea),
    event_id
  from sources`;

/** As in a phone book: a few first names are common, most last names are rare. */
const FIRST_NAMES = `(array['Dana', 'Daniel', 'Maria', 'James', 'Olivia', 'Noah', 'Priya', 'Liam', 'Sofia', 'Lee', 'Ava', 'Chen',
  'Emma', 'Omar', 'Zoe', 'Ivan', 'Ruth', 'Hugo', 'Nia', 'Tom'])[1 + bench_pick(n, 3, 20)]`;
const LAST_NAMES = 20_000;
/** One row in this many uses a rare touchpoint and is of a rare branch. */
const RARE = 10_007;

// Two rows share each reference and each deal, like two events of one appointment. Nothing expires while the bench runs.
const INTROS = `
insert into intros (organization_id, environment, id, status, event_id, touchpoint_slug, member_id, recipient_first_name,
    recipient_last_name, recipient_phone, reference, reference_id, context, script, instructed, responsibility, metadata,
    created_at, expires_at, recorded_at, sent_at, cancelled_at)
  select organization_id, 'test', intro_id, status, event_id,
    case when n % ${RARE} = 0 then 'project_update' else 'new_appointment' end, member_id, ${FIRST_NAMES},
    initcap(translate(md5((n % ${LAST_NAMES})::text), '0123456789', 'ghijklmnop')), '+1' || 2000000000::bigint + bench_pick(n, 4, 799999999),
    json_build_object('source', 'acme_crm', 'type', 'appointment', 'id', 'appt_' || n / 2), 'appt_' || n / 2,
    '{"title":"Before we meet","appointment":{"starts_at":"2030-03-12T19:30:00.000Z","timezone":"America/Chicago"},"trade":"roofing","lane":null}',
    'Hi Dana, this is Sam. I am looking forward to seeing you on Tuesday; here is what we will look at together.', true,
    'integration', json_build_object('branch', case when n % ${RARE} = 0 then 'old' else 'north' end, 'deal', n / 2), created_at,
    case when status in ('requested', 'ready') then now() + interval '1 day' * (2 + n % 60) end,
    case when status in ('ready', 'sent') then created_at + interval '1 hour' end,
    case when status = 'sent' then created_at + interval '2 hours' end,
    case when status = 'cancelled' then created_at + interval '1 hour' end
  from sources where not failed`;

export const BIG_TABLES = ['touchpoint_events', 'idempotency_keys', 'intros'];

/** The primary keys and indexes of the big tables, as statements. */
const INDEXES = `
select conrelid::regclass::text as table, format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
    format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create
  from pg_constraint where conrelid::regclass::text = any($1) and contype in ('p', 'u')
union all
select indrelid::regclass::text, format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
  from pg_index i where indrelid::regclass::text = any($1) and not exists (select from pg_constraint where conindid = indexrelid)`;

/**
 * Truncates an empty table, because with `wal_level=minimal` its rows then need no log in the same transaction. Without triggers,
 * which would collect all rows.
 */
async function load(database: pg.Client, table: string, statement: string): Promise<void> {
  const { rowCount } = await database.query(`select from ${table} limit 1`);
  await database.query('begin');
  if (rowCount === 0) await database.query(`truncate ${table}`);
  await database.query(`alter table ${table} disable trigger user`);
  await database.query(statement);
  await database.query(`alter table ${table} enable trigger user`);
  await database.query('commit');
}

const SETTINGS = `set synchronous_commit = off; set maintenance_work_mem = '1GB'; set work_mem = '256MB';
  set synchronize_seqscans = off`;

/** Uses a second connection, because the machine has two cores. */
export async function writeRows(database: pg.Client, total: number): Promise<void> {
  const { host, port, user } = database;
  const other = new pg.Client({ host, port, user, database: database.database });
  await other.connect();
  // Loading can be repeated, so it does not need to be durable.
  for (const client of [database, other]) await client.query(SETTINGS);
  await database.query(ID_FUNCTION);
  await database.query(ORGANIZATIONS);
  await database.query(sourcesOf(total));
  const { rows: indexes } = await database.query<Record<'table' | 'drop' | 'create', string>>(INDEXES, [BIG_TABLES]);
  for (const { drop } of indexes) await database.query(drop);
  const fill = async (client: pg.Client, tables: Record<string, string>) => {
    for (const [table, statement] of Object.entries(tables)) await load(client, table, statement);
    for (const { create } of indexes.filter(({ table }) => table in tables)) await client.query(create);
  };
  await Promise.all([
    fill(database, { touchpoint_events: EVENTS, idempotency_keys: KEYS }),
    fill(other, { intros: INTROS }),
  ]);
  await other.end();
  await database.query('drop table sources, places; drop function bench_id, bench_pick');
  // So that autovacuum has nothing to do during the measurement.
  await database.query('vacuum analyze');
  await database.query('checkpoint');
}
