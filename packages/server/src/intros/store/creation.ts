import type { CreateIntro, Language } from '@foreword/contract';
import type pg from 'pg';
import { FIND_BOUND_KEY, type Keyed } from '../../idempotency/index.ts';
import { RESOLVE_MEMBER, toSelector } from '../../members/index.ts';
import type { Tenant } from '../../tables.ts';
import type { IntroRow } from '../store.ts';

/** The NOTIFY channel that wakes the workers that send messages. */
export const MESSAGES_DUE = 'foreword_messages';

/**
 * Part of the statements that insert intros as `inserted`: schedules each member's notification without another round trip.
 * `messages` belongs to delivery, which imports this module and so cannot export the fragment. Message ids derive from intro ids.
 */
const INSERT_MEMBER_NOTIFICATION = `
notifications as (
  insert into messages (organization_id, environment, id, intro_id, audience, purpose, status, due_at, created_at)
  select organization_id, environment, 'msg_' || substr(id, 5), id, 'member', 'ask', 'scheduled', created_at, created_at
  from inserted
), woken as materialized (
  select hint('${MESSAGES_DUE}', '') from inserted limit 1
)`;

/** The columns an insert provides, with JSON columns as values to serialize. The others have defaults. */
export type NewIntroRow = Omit<
  IntroRow,
  | 'version'
  | 'recorded_at'
  | 'sent_at'
  | 'opened_at'
  | 'watched_at'
  | 'cancelled_at'
  | 'recording_id'
  | 'watched_percent'
  | 'delivery_error_code'
  | 'delivery_error_message'
  | 'member_opened_at'
  | 'cancelled_by'
  | 'watched_times'
  | 'link_generation'
  | 'taken_down_at'
  | 'taken_down_by'
  | 'likeness_withdrawn_at'
  | 'declined_generation'
  | 'erasure_id'
  | 'erased_at'
  | 'link_host'
>;

const NEW_INTRO_COLUMNS = {
  organization_id: 'text',
  environment: 'text',
  id: 'text',
  status: 'text',
  event_id: 'text',
  touchpoint_slug: 'text',
  touchpoint_version: 'integer',
  member_id: 'text',
  recipient_first_name: 'text',
  recipient_last_name: 'text',
  recipient_phone: 'text',
  recipient_language: 'text',
  reference: 'json',
  reference_id: 'text',
  context: 'json',
  script: 'text',
  script_language: 'text',
  instructed: 'boolean',
  responsibility: 'text',
  metadata: 'json',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
} as const satisfies Record<keyof NewIntroRow, string>;

const names = Object.keys(NEW_INTRO_COLUMNS).join(', ');
const typed = Object.entries(NEW_INTRO_COLUMNS)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ');

const INSERT = {
  name: 'insert intros',
  text: `
with inserted as (
  insert into intros (${names}) select ${names} from json_to_recordset($1::json) as x(${typed})
  returning organization_id, environment, id, created_at
), ${INSERT_MEMBER_NOTIFICATION}
select count(*) from woken`,
};

/** Inserts a batch of intros inside the caller's transaction. */
export async function insertIntros(client: pg.Pool | pg.ClientBase, rows: NewIntroRow[]): Promise<void> {
  if (rows.length > 0) await client.query({ ...INSERT, values: [JSON.stringify(rows)] });
}

export interface KeyedIntro {
  /** Its hash. */
  readonly key: Buffer;
  readonly fingerprint: Buffer;
  readonly response: string;
  readonly row: NewIntroRow;
}

// Keys are bound in sorted order, so that two batches with common keys cannot deadlock.
const INSERT_KEYED = {
  name: 'insert keyed intros',
  text: `
with input as (
  select x.*, k.key_hash, k.fingerprint, k.response
  from json_to_recordset($1::json) as x(${typed})
  join json_to_recordset($2::json)
    as k(id text, key_hash bytea, fingerprint bytea, response text) using (id)
), bound as (
  insert into idempotency_keys (organization_id, environment, key_hash, fingerprint, object_id, response)
  select organization_id, environment, key_hash, fingerprint, id, response from input
  order by organization_id, environment, key_hash
  on conflict do nothing
  returning object_id
), inserted as (
  insert into intros (${names}) select ${names} from input where id in (select object_id from bound)
  returning organization_id, environment, id, created_at
), ${INSERT_MEMBER_NOTIFICATION}
select id, (select count(*) from woken) from inserted`,
};

/** Inserts intros and binds their keys in one statement. Returns the inserted ids; another request had bound the other keys. */
export async function insertKeyedIntros(pool: pg.Pool | pg.ClientBase, intros: KeyedIntro[]): Promise<Set<string>> {
  const keys = intros.map(({ key, fingerprint, response, row }) => ({
    id: row.id,
    key_hash: `\\x${key.toString('hex')}`,
    fingerprint: `\\x${fingerprint.toString('hex')}`,
    response,
  }));
  const rows = intros.map(({ row }) => row);
  const result = await pool.query<{ id: string }>({
    ...INSERT_KEYED,
    values: [JSON.stringify(rows), JSON.stringify(keys)],
  });
  return new Set(result.rows.map(({ id }) => id));
}

/** The data that decides a request to create an intro. */
export interface CreationLookup {
  readonly bound_fingerprint: Buffer | null;
  readonly bound_id: string | null;
  readonly bound_response: string | null;
  readonly member_ids: string[] | null;
  readonly member_external_id: string | null;
  readonly member_first_name: string | null;
  readonly member_last_name: string | null;
  /** Without a number, and emails bounce. */
  readonly member_unreachable: boolean;
  readonly organization_language: Language;
  readonly recipient_opted_out: boolean;
  /** The number opted out before its data was erased. */
  readonly erased_opted_out: boolean;
  readonly has_webhooks: boolean;
  /** Null without a test clock. */
  readonly clock_offset_s: number | null;
}

const LOOK_UP = {
  name: 'look up for intros',
  text: `
select k.fingerprint as bound_fingerprint, k.object_id as bound_id, k.response as bound_response, m.ids as member_ids,
  who.external_id as member_external_id, who.first_name as member_first_name, who.last_name as member_last_name,
  coalesce(who.phone is null and who.bounced_email = lower(who.email), false) as member_unreachable,
  (select language from organizations where id = i.organization_id) as organization_language,
  exists (
    select from opt_outs
    where organization_id = i.organization_id and environment = i.environment and phone = i.phone offset 0
  ) as recipient_opted_out,
  exists (
    select from erased_opt_outs
    where organization_id = i.organization_id and environment = i.environment and phone_hash = i.phone_hash offset 0
  ) as erased_opted_out,
  exists (select from webhook_endpoints where organization_id = i.organization_id and active offset 0) as has_webhooks,
  (
    select offset_seconds from test_clocks where organization_id = i.organization_id and environment = i.environment
  ) as clock_offset_s
from unnest($1::text[], $2::text[], $3::bytea[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bytea[]) with ordinality
  as i(organization_id, environment, key_hash, member_id, member_external_id, member_email, phone, phone_hash, n)
${FIND_BOUND_KEY}
${RESOLVE_MEMBER}
left join lateral (
  select external_id, first_name, last_name, phone, email, bounced_email from members
  where organization_id = i.organization_id and id = m.ids[1] offset 0
) who on true
order by i.n`,
};

/** One result per request, in the same order. */
export async function lookUpForCreation(
  pool: pg.Pool,
  items: Keyed<CreateIntro>[],
  hashOf: (tenant: Tenant, phone: string) => Buffer,
): Promise<CreationLookup[]> {
  const selectors = items.map(({ body }) => toSelector(body.member));
  const { rows } = await pool.query<CreationLookup>({
    ...LOOK_UP,
    values: [
      items.map(({ tenant }) => tenant.organizationId),
      items.map(({ tenant }) => tenant.environment),
      items.map(({ key }) => key),
      selectors.map(({ id }) => id),
      selectors.map(({ externalId }) => externalId),
      selectors.map(({ email }) => email),
      items.map(({ body }) => body.recipient.phone),
      items.map(({ tenant, body }) => hashOf(tenant, body.recipient.phone)),
    ],
  });
  return rows;
}
