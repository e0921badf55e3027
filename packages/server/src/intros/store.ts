import { type Selectable, type SelectQueryBuilder, sql } from 'kysely';
import type pg from 'pg';
import type { Queryable } from '../platform/db.ts';
import type { IntroTable, Tables, Tenant } from '../tables.ts';
import { INSERT_MEMBER_NOTIFICATION } from './first-word.ts';
import { expiryOfReady, MOVES } from './rules.ts';

export type IntroRow = Selectable<IntroTable>;

export interface MemberNames {
  readonly member_external_id: string | null;
  readonly member_first_name: string;
  readonly member_last_name: string;
}

/** An intro with what of its member stands in the answer. */
export type IntroWithMember = IntroRow & MemberNames & { readonly recipient_opted_out: boolean };

/** As it goes into the database: json columns hold what is to be written there. */
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
>;

const NEW_INTRO_COLUMNS = {
  organization_id: 'text',
  environment: 'text',
  id: 'text',
  status: 'text',
  event_id: 'text',
  touchpoint_slug: 'text',
  member_id: 'text',
  recipient_first_name: 'text',
  recipient_last_name: 'text',
  recipient_phone: 'text',
  reference: 'json',
  reference_id: 'text',
  context: 'json',
  script: 'text',
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
with made as (
  insert into intros (${names}) select ${names} from json_to_recordset($1::json) as x(${typed})
  returning organization_id, environment, id, created_at
), ${INSERT_MEMBER_NOTIFICATION}
select count(*) from told`,
};

/** Many at once, inside the caller's transaction. */
export async function insertIntros(client: pg.ClientBase, rows: NewIntroRow[]): Promise<void> {
  if (rows.length > 0) await client.query({ ...INSERT, values: [JSON.stringify(rows)] });
}

export interface KeyedIntro {
  readonly key: string;
  readonly fingerprint: Buffer;
  readonly response: string;
  readonly row: NewIntroRow;
}

// Keys are taken in one order by everybody, so that two batches that share some cannot wait for each other.
const INSERT_KEYED = {
  name: 'insert keyed intros',
  text: `
with input as (
  select x.*, k.key, decode(k.fingerprint, 'hex') as fingerprint, k.response
  from json_to_recordset($1::json) as x(${typed})
  join json_to_recordset($2::json) as k(id text, key text, fingerprint text, response text) using (id)
), bound as (
  insert into idempotency_keys (organization_id, environment, key, fingerprint, object_id, response)
  select organization_id, environment, key, fingerprint, id, response from input
  order by organization_id, environment, key
  on conflict do nothing
  returning object_id
), made as (
  insert into intros (${names}) select ${names} from input where id in (select object_id from bound)
  returning organization_id, environment, id, created_at
), ${INSERT_MEMBER_NOTIFICATION}
select id, (select count(*) from told) from made`,
};

/** Intros and their keys in one statement. Gives the ids that won their key; the others came second somewhere. */
export async function insertKeyedIntros(pool: pg.Pool | pg.ClientBase, intros: KeyedIntro[]): Promise<Set<string>> {
  const keys = intros.map(({ key, fingerprint, response, row }) => ({
    id: row.id,
    key,
    fingerprint: fingerprint.toString('hex'),
    response,
  }));
  const rows = intros.map(({ row }) => row);
  const result = await pool.query<{ id: string }>({
    ...INSERT_KEYED,
    values: [JSON.stringify(rows), JSON.stringify(keys)],
  });
  return new Set(result.rows.map(({ id }) => id));
}

/** The page is found first, by an index that has its order, and only then joined: joined first, all would be read and sorted. */
export function withMembers(db: Queryable<Tables>, page: IntroQuery) {
  return db
    .selectFrom(page.as('i'))
    .innerJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 'i.organization_id').onRef('m.id', '=', 'i.member_id'),
    )
    .selectAll('i')
    .select([
      'm.external_id as member_external_id',
      'm.first_name as member_first_name',
      'm.last_name as member_last_name',
    ])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('opt_outs as x')
          .select('x.phone')
          .whereRef('x.organization_id', '=', 'i.organization_id')
          .whereRef('x.environment', '=', 'i.environment')
          .whereRef('x.phone', '=', 'i.recipient_phone'),
      )
        .$castTo<boolean>()
        .as('recipient_opted_out'),
    )
    .orderBy('i.id', 'desc');
}

export type IntroQuery = SelectQueryBuilder<Tables, 'intros', IntroRow>;

export function ownIntros(db: Queryable<Tables>, tenant: Tenant, limit: number): IntroQuery {
  return db
    .selectFrom('intros')
    .selectAll()
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .limit(sql.lit(limit));
}

export async function findIntro(db: Queryable<Tables>, tenant: Tenant, id: string): Promise<IntroWithMember | null> {
  return (await withMembers(db, ownIntros(db, tenant, 1).where('id', '=', id)).executeTakeFirst()) ?? null;
}

/** Of an intro that is known to be there, what nobody needs a member's name for. */
export function requireIntro(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
): Promise<Pick<IntroRow, 'script' | 'recipient_phone'>> {
  return db
    .selectFrom('intros')
    .select(['script', 'recipient_phone'])
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
}

/** For the operator, who knows no organization: each one is asked by its key, for there is no index of ids alone. */
export async function findIntroAcrossTenants(db: Queryable<Tables>, id: string): Promise<IntroWithMember | null> {
  const found = await db
    .selectFrom('organizations as o')
    .innerJoin('intros as i', 'i.organization_id', 'o.id')
    .select(['i.organization_id', 'i.environment'])
    .where('i.id', '=', id)
    .executeTakeFirst();
  if (found === undefined) return null;
  return findIntro(db, { organizationId: found.organization_id, environment: found.environment }, id);
}

/**
 * Of the take that is shown: whether this one was received after it. Received, not begun: whoever sends last means it. A scalar,
 * because two workers may be here at once, and a join would look at the take that was shown before the first of them was done.
 */
const isReceivedLater = (recordingId: string) => sql<boolean>`coalesce((
  select (take.received_at, take.id) > (shown.received_at, shown.id)
  from recordings take, recordings shown
  where take.organization_id = intros.organization_id and take.id = ${recordingId}
    and shown.organization_id = intros.organization_id and shown.id = intros.recording_id), true)`;

/** False when the intro is closed or sent, or shows a take that was received later. */
export async function moveToReady(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
  recordingId: string,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('intros')
    .set({
      status: MOVES.record.to,
      recording_id: recordingId,
      recorded_at: now,
      expires_at: expiryOfReady(now),
      version: sql`version + 1`,
    })
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('status', 'in', MOVES.record.from)
    .where(isReceivedLater(recordingId))
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** False when the intro was not in a state that can be cancelled, or is not there. */
export async function moveToCancelled(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
  by: string,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('intros')
    .set({ status: MOVES.cancel.to, cancelled_at: now, cancelled_by: by, expires_at: null, version: sql`version + 1` })
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('status', 'in', MOVES.cancel.from)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** By the caller's word, so only where the caller delivers. */
export async function moveToSentByCaller(
  db: Queryable<Tables>,
  tenant: Tenant,
  id: string,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('intros')
    .set({ status: MOVES.send.to, sent_at: now, expires_at: null, version: sql`version + 1` })
    .where('organization_id', '=', tenant.organizationId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('status', 'in', MOVES.send.from)
    .where('responsibility', '=', 'integration')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** The due ones of every organization, in small batches; several workers share them out by the rows they lock. */
export async function moveToExpired(
  db: Queryable<Tables>,
  now: Date,
  limit: number,
): Promise<Pick<IntroRow, 'organization_id' | 'environment' | 'id'>[]> {
  // The states stand in the text: as parameters they would not prove to the planner that the partial index will do.
  const open = sql<boolean>`status in (${sql.join(MOVES.expire.from.map((status) => sql.lit(status)))})`;
  const due = db
    .selectFrom('intros')
    .select(['organization_id', 'id'])
    .where(open)
    .where('expires_at', '<=', now)
    .orderBy('expires_at')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  return db
    .with('due', () => due)
    .updateTable('intros as i')
    .from('due')
    .set({ status: MOVES.expire.to, version: sql`i.version + 1` })
    .whereRef('i.organization_id', '=', 'due.organization_id')
    .whereRef('i.id', '=', 'due.id')
    .where('i.status', 'in', MOVES.expire.from)
    .returning(['i.organization_id', 'i.environment', 'i.id'])
    .execute();
}
