import type { CreateIntro } from '@foreword/contract';
import type pg from 'pg';
import { inputRows, planned } from '../../db/statements.ts';
import { FIND_BOUND_KEY, type Keyed } from '../../http/idempotency/index.ts';
import { RESOLVE_MEMBER, toSelector } from '../../members/index.ts';
import type { CreationContext, Failure, NewIntroRow } from '../decision.ts';
import { INSERTED_FIELDS, INTRO_FIELDS } from '../fields.ts';

/** The NOTIFY channel that wakes the workers that send messages. */
export const MESSAGES_DUE = 'foreword_messages';

/** The first message about an intro. */
export const notificationIdOf = (introId: string): string => `msg_${introId.slice(4)}`;

/**
 * Part of the statement that inserts intros as `inserted`: queues each member's notification without another round trip.
 * `message_queue` belongs to delivery, which imports this module and so cannot export the fragment.
 */
const INSERT_MEMBER_NOTIFICATION = `
notifications as (
  insert into message_queue (organization_id, environment, id, intro_id, audience, purpose, due_at, created_at)
  select organization_id, environment, 'msg_' || substr(id, 5), id, 'member', 'ask', created_at, created_at
  from inserted where $2
), woken as materialized (
  select hint('${MESSAGES_DUE}', '') from inserted where $2 limit 1
)`;

const names = INSERTED_FIELDS.join(', ');
type Inserted = (typeof INSERTED_FIELDS)[number];
const TYPES = Object.fromEntries(INSERTED_FIELDS.map((name) => [name, INTRO_FIELDS[name].insert])) as Record<
  Inserted,
  string
>;
const FAILURES = inputRows('f', { organization_id: 'text', event_id: 'text', code: 'text', message: 'text' }, 3);
const INTROS = inputRows('x', { ...TYPES, key_hash: 'bytea', fingerprint: 'bytea', response: 'text' }, FAILURES.next);

// Keys are bound in sorted order, so that two batches with common keys cannot deadlock, and events are updated in the order in which an
// erasure locks them. They are joined by place: a connection may keep a plan that it made while the table was small, and a join by id
// would read all of it.
const WRITE = planned(`
with input as (
  select * from ${INTROS.text}
), bound as (
  insert into idempotency_keys (organization_id, environment, key_hash, fingerprint, object_id, response)
  select organization_id, environment, key_hash, fingerprint, id, response from input where key_hash is not null
  order by organization_id, environment, key_hash
  on conflict do nothing
  returning object_id
), inserted as (
  insert into intros (${names}) select ${names} from input where key_hash is null or id in (select object_id from bound)
  returning organization_id, environment, id, event_id, created_at
), ${INSERT_MEMBER_NOTIFICATION}, found as materialized (
  select o.*, e.place
  from (
    select organization_id, event_id, id as intro_id, null as code, null as message from inserted
    where event_id is not null
    union all
    select organization_id, event_id, null, code, message from ${FAILURES.text}
    order by event_id
  ) o
  cross join lateral (
    select ctid as place from touchpoint_events
    where organization_id = o.organization_id and id = o.event_id and settled_at is null
    offset 0
  ) e
), settled as (
  update touchpoint_events e
  set status = case when f.code is null then 'processed' else 'failed' end,
    intro_id = f.intro_id, error_code = f.code, error_message = f.message, settled_at = $1
  from found f where e.ctid = f.place and e.settled_at is null
  returning 1
)
select array(select id from inserted) as inserted, (select count(*)::int from settled) as settled,
  (select count(*) from woken)`);

/** The key of a request to POST /v1/intros. */
export interface KeyToBind {
  /** Its hash. */
  readonly key: Buffer;
  readonly fingerprint: Buffer;
  readonly response: string;
}

interface FailedEvent extends Failure {
  readonly organization_id: string;
  readonly event_id: string;
}

/**
 * Inserts intros, binds their keys, and settles the events that they and the failures are for. Returns the inserted ids: other
 * requests had bound the other keys. `queues`: also queues the members' notifications.
 */
export async function writeIntros(
  client: Pick<pg.ClientBase, 'query'>,
  intros: readonly { readonly row: NewIntroRow; readonly key?: KeyToBind | undefined }[],
  failures: readonly FailedEvent[],
  now: Date,
  { queues }: { readonly queues: boolean },
): Promise<Set<string>> {
  const rows = intros.map(({ row, key }) =>
    key === undefined ? row : { ...row, key_hash: key.key, fingerprint: key.fingerprint, response: key.response },
  );
  const result = await client.query<{ inserted: string[]; settled: number }>(WRITE, [
    now,
    queues,
    ...FAILURES.values(failures),
    ...INTROS.values(rows),
  ]);
  const [{ inserted, settled } = { inserted: [], settled: 0 }] = result.rows;
  const events = intros.filter(({ row }) => row.event_id !== null).length + failures.length;
  if (settled !== events) throw new Error(`settling ${events} events updated ${settled} rows`);
  return new Set(inserted);
}

/**
 * Adds what creating an intro depends on to rows with an organization, a phone number and a member. `offset 0` forces one lookup by
 * key for each row (see intros/events/store/acceptance.ts).
 */
export const inContext = (rows: string, columns = ''): string => `
select i.*, ${columns} m.active and m.likeness_withdrawn_at is null as member_active,
  m.first_name as member_first_name, m.last_name as member_last_name, o.*,
  exists (
    select from opt_outs
    where organization_id = i.organization_id and environment = i.environment and phone = i.phone offset 0
  ) as recipient_opted_out
from (${rows}) i
left join lateral (
  select active, likeness_withdrawn_at, external_id, first_name, last_name, phone, email, bounced_email from members
  where organization_id = i.organization_id and id = i.member_id offset 0
) m on true
cross join lateral (
  select name as organization_name, language as organization_language,
    exists (
      select from erased_opt_outs where organization_id = i.organization_id and environment = i.environment offset 0
    ) as has_erased_opt_outs,
    exists (select from webhook_endpoints where organization_id = i.organization_id offset 0) as has_webhooks,
    (
      select offset_seconds from test_clocks where organization_id = i.organization_id and environment = i.environment
    ) as clock_offset_s
  from organizations where id = i.organization_id offset 0
) o`;

/** A request with its key. It has a member only if `members` is 1. */
export interface KeyedContext extends CreationContext {
  readonly bound_fingerprint: Buffer | null;
  readonly bound_id: string | null;
  readonly bound_response: string | null;
  /** Number of members that the request could mean. */
  readonly members: number;
  readonly member_external_id: string | null;
  /** Without a number, and emails bounce. */
  readonly member_unreachable: boolean;
}

const LOOK_UP = planned(`${inContext(
  `
  select i.organization_id, i.environment, i.phone, i.n, m.ids[1] as member_id, coalesce(cardinality(m.ids), 0) as members,
    k.fingerprint as bound_fingerprint, k.object_id as bound_id, k.response as bound_response
  from unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[]) with ordinality
    as i(organization_id, environment, key_hash, member_id, member_external_id, member_email, phone, n)
  ${FIND_BOUND_KEY}
  ${RESOLVE_MEMBER}`,
  `m.external_id as member_external_id,
  coalesce(m.phone is null and m.bounced_email = lower(m.email), false) as member_unreachable,`,
)}
order by i.n`);

/** One result per request, in the same order. */
export async function lookUpForCreation(
  db: Pick<pg.ClientBase, 'query'>,
  items: readonly Pick<Keyed<CreateIntro>, 'tenant' | 'key' | 'body'>[],
): Promise<KeyedContext[]> {
  const selectors = items.map(({ body }) => toSelector(body.member));
  const { rows } = await db.query<KeyedContext>(LOOK_UP, [
    items.map(({ tenant }) => tenant.organizationId),
    items.map(({ tenant }) => tenant.environment),
    items.map(({ key }) => key),
    selectors.map(({ id }) => id),
    selectors.map(({ externalId }) => externalId),
    selectors.map(({ email }) => email),
    items.map(({ body }) => body.recipient.phone),
  ]);
  return rows;
}
