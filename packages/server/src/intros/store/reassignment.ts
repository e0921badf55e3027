import { CompiledQuery, sql } from 'kysely';
import { type Db, forTenant, type Row, type Tenant, type Tx } from '../../db/tenancy.ts';
import { realTime } from '../../platform/clock.ts';
import type { IntroRow } from '../fields.ts';

export interface Reassignment {
  readonly introIds: readonly string[];
  /** The member who records the intros from now on. */
  readonly memberId: string;
  /** The id of the member or of the API key that decided it; null for the operator. */
  readonly by: string | null;
  /** If set, an intro must still be this member's. */
  readonly from?: string;
  /** The member handed them over with a text. */
  readonly byText?: boolean;
}

// Waits for an upload whose last part is being written, or for a retry: REASSIGN must see whether there is a complete take.
const LOCK = `
select r.id from intros i join recordings r on r.organization_id = i.organization_id and r.intro_id = i.id
where i.organization_id = $1 and i.environment = $2 and i.id = any($3::text[]) and i.status = 'requested'
  and r.status in ('uploading', 'refused')
order by i.id, r.id for update of i, r`;

// A complete take prevents the reassignment until it is processed.
const REASSIGN = `
with before as materialized (
  select i.organization_id, i.environment, i.id, i.member_id, i.member_opened_at
  from intros i
  where i.organization_id = $1 and i.environment = $2 and i.id = any($3::text[]) and i.status = 'requested' and i.member_id <> $4
    and ($8::text is null or i.member_id = $8)
    and (i.expires_at is null or i.expires_at > $6)
    and exists (
      select from members m
      where m.organization_id = i.organization_id and m.environment = i.environment and m.id = $4 and m.active
        and m.likeness_withdrawn_at is null
    ) and not exists (
      select from recordings r
      where r.organization_id = i.organization_id and r.intro_id = i.id and r.status in ('uploaded', 'processing')
    )
  order by i.id for update of i
), reassigned as (
  update intros i
  set member_id = $4, link_generation = i.link_generation + 1, member_opened_at = null, version = i.version + 1
  from before b where i.organization_id = b.organization_id and i.id = b.id
  returning i.organization_id, i.environment, i.id, i.link_generation, b.member_id as from_member_id, b.member_opened_at
), logged as (
  insert into intro_reassignments (organization_id, environment, intro_id, generation, from_member_id, to_member_id,
    by_member_id, by_key_id, opened_at, by_text, created_at)
  select organization_id, environment, id, link_generation, from_member_id, $4, $5, $7, member_opened_at, $9, $6 from reassigned
)
select id, link_generation as generation from reassigned order by id`;

export interface ReassignedIntro {
  readonly id: string;
  /** The generation of the new link. */
  readonly generation: number;
}

/** Gives the intros to another member. Returns those that could be reassigned. */
export async function reassignIntros(
  tx: Tx,
  { organizationId, environment }: Tenant,
  { introIds, memberId, by, from, byText = false }: Reassignment,
  now: Date,
): Promise<ReassignedIntro[]> {
  const key = [organizationId, environment, introIds];
  await tx.executeQuery(CompiledQuery.raw(LOCK, key));
  const [byMember, byKey] = by?.startsWith('mem_') ? [by, null] : [null, by];
  const reassign = CompiledQuery.raw(REASSIGN, [...key, memberId, byMember, now, byKey, from ?? null, byText]);
  return (await tx.executeQuery<ReassignedIntro>(reassign)).rows;
}

/** Everything that the words of intros with a touchpoint are rendered from. */
export const listTemplates = (tx: Tx, tenant: Tenant, introIds: readonly string[]) =>
  forTenant(tx, tenant)
    .selectFrom('intros', 'i')
    .innerJoin('touchpoints as t', (on) =>
      on
        .onRef('t.organization_id', '=', 'i.organization_id')
        .onRef('t.environment', '=', 'i.environment')
        .onRef('t.slug', '=', 'i.touchpoint_slug'),
    )
    .innerJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 'i.organization_id').onRef('m.id', '=', 'i.member_id'),
    )
    .innerJoin('organizations as o', 'o.id', 'i.organization_id')
    .select([
      'i.id',
      'i.recipient_first_name',
      'i.recipient_last_name',
      'i.recipient_language as language',
      'i.context',
    ])
    .select(['t.script', 't.script_es', 't.page_title', 't.page_title_es', 't.version'])
    .select(['m.first_name', 'm.last_name', 'o.name as organization'])
    .where('i.id', 'in', introIds)
    .execute();

type Content = Pick<IntroRow, 'id' | 'script' | 'script_language' | 'touchpoint_version'> & {
  readonly context: object;
};

export async function saveContents(tx: Tx, tenant: Tenant, contents: readonly Content[]): Promise<void> {
  await sql`
    update intros i set script = c.script, script_language = c.script_language, touchpoint_version = c.touchpoint_version,
      context = c.context
    from json_to_recordset(${JSON.stringify(contents)}::json)
      as c(id text, script text, script_language text, touchpoint_version int, context json)
    where ${forTenant(tx, tenant).owns('i')} and i.id = c.id`.execute(tx);
}

/** The state that explains why an intro could not be reassigned. `new_member_id` is null if that member does not exist or is inactive. */
export const findReassignmentState = (db: Db, tenant: Tenant, introId: string, memberId: string) =>
  forTenant(db, tenant)
    .selectFrom('intros', 'i')
    .leftJoin('members as m', (on) =>
      on
        .onRef('m.organization_id', '=', 'i.organization_id')
        .on('m.id', '=', memberId)
        .on('m.active', '=', true)
        .on('m.likeness_withdrawn_at', 'is', null),
    )
    .select(['i.status', 'i.expires_at', 'i.member_id', 'm.id as new_member_id'])
    .where('i.id', '=', introId)
    .executeTakeFirst();

/** How often members have handed over this intro themselves. */
export async function countHandOvers(db: Db, tenant: Tenant, introId: string, since: Date): Promise<number> {
  const { count } = await forTenant(db, tenant)
    .selectFrom('intro_reassignments')
    .select((of) => of.fn.countAll<string>().as('count'))
    .where('intro_id', '=', introId)
    .whereRef('by_member_id', '=', 'from_member_id')
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/**
 * The member who records an intro now, for the holder of an earlier link: who that is, and since when the intro is no longer theirs.
 * Undefined when the link's own member, or the one who records now, is no longer active, or the intro is closed.
 */
export const findSuccessor = (
  db: Db,
  tenant: Tenant,
  { introId, generation }: { readonly introId: string; readonly generation: number },
) =>
  forTenant(db, tenant)
    .selectFrom('intro_reassignments', 'r')
    .innerJoin('intros as i', (on) =>
      on.onRef('i.organization_id', '=', 'r.organization_id').onRef('i.id', '=', 'r.intro_id'),
    )
    .innerJoin('members as before', (on) =>
      on.onRef('before.organization_id', '=', 'r.organization_id').onRef('before.id', '=', 'r.from_member_id'),
    )
    .innerJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 'i.organization_id').onRef('m.id', '=', 'i.member_id'),
    )
    .innerJoin('organizations as o', 'o.id', 'r.organization_id')
    .select(['r.from_member_id', 'r.created_at', 'm.first_name', 'm.last_name'])
    .select(['o.name as organization_name', 'o.accent'])
    // That of the link's holder, if they chose one.
    .select(({ fn }) => fn.coalesce('before.language', 'o.language').as('language'))
    .where('r.intro_id', '=', introId)
    // A reassignment has the generation of the new link.
    .where('r.generation', '=', generation + 1)
    .where('before.active', '=', true)
    .where('m.active', '=', true)
    .where('i.status', 'in', ['requested', 'ready', 'sent'])
    .executeTakeFirst();

export type Successor = NonNullable<Awaited<ReturnType<typeof findSuccessor>>>;

export interface NewDecline extends Pick<Row<'intro_declines'>, 'reason' | 'message'> {
  readonly introId: string;
  /** The member who should record the intro. */
  readonly memberId: string;
  /** The member replied to a text. */
  readonly byText?: boolean;
}

interface DeclineLimits {
  /** A take that was written to since then is being uploaded; an older one is abandoned. */
  readonly uploadingSince: Date;
  /** At most this many declines of the member since the time. */
  readonly perMember: number;
  readonly countedSince: Date;
}

// A take on its way prevents it. Without the lock of the intro, an upload could start at the same time: then the video counts.
const DECLINE = `
with declined as (
  update intros i
  set declined_generation = i.link_generation, version = i.version + 1
  where i.organization_id = $1 and i.environment = $2 and i.id = $3 and i.status = 'requested' and i.member_id = $4
    and i.declined_generation is distinct from i.link_generation and (i.expires_at is null or i.expires_at > $7)
    and not exists (
      select from recordings r
      where r.organization_id = i.organization_id and r.intro_id = i.id
        and (r.status in ('uploaded', 'processing') or (r.status = 'uploading' and r.touched_at > $8))
    ) and (
      select count(*) from intro_declines d
      where d.organization_id = $1 and d.environment = $2 and d.member_id = $4 and d.created_at > $9
    ) < $10
  returning i.organization_id, i.environment, i.id, i.link_generation
)
insert into intro_declines (organization_id, environment, intro_id, generation, member_id, reason, message, by_text, created_at)
select organization_id, environment, id, link_generation, $4, $5, $6, $11, $7 from declined`;

/** Returns false if the intro cannot be declined, or is declined already. */
export async function insertDecline(
  tx: Tx,
  { organizationId, environment }: Tenant,
  { introId, memberId, reason, message, byText = false }: NewDecline,
  { uploadingSince, perMember, countedSince }: DeclineLimits,
  now: Date,
): Promise<boolean> {
  const key = [organizationId, environment, introId, memberId];
  const values = [...key, reason, message, now, realTime(uploadingSince), countedSince, perMember, byText];
  const { numAffectedRows } = await tx.executeQuery(CompiledQuery.raw(DECLINE, values));
  return numAffectedRows === 1n;
}

/** The state that explains why an intro could not be declined or handed over. */
export const findDeclineState = (db: Db, tenant: Tenant, introId: string, uploadingSince: Date) =>
  forTenant(db, tenant)
    .selectFrom('intros')
    .select(['status', 'expires_at', 'member_id'])
    .select(sql<boolean>`coalesce(declined_generation = link_generation, false)`.as('is_declined'))
    .select(({ exists, selectFrom }) => {
      const takes = selectFrom('recordings as r')
        .select('r.id')
        .whereRef('r.organization_id', '=', 'intros.organization_id')
        .whereRef('r.intro_id', '=', 'intros.id');
      const uploading = takes.where('r.status', '=', 'uploading').where('r.touched_at', '>', realTime(uploadingSince));
      const processing = takes.where('r.status', 'in', ['uploaded', 'processing']);
      return [
        exists(uploading).$castTo<boolean>().as('is_uploading'),
        exists(processing).$castTo<boolean>().as('is_processing'),
      ];
    })
    .where('id', '=', introId)
    .executeTakeFirst();
