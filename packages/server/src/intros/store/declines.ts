import type { IntroStatus } from '@foreword/contract';
import { CompiledQuery, sql } from 'kysely';
import { type Db, forTenant, type Row, type Tenant, type Tx } from '../../db/tenancy.ts';
import { realTime } from '../../platform/clock.ts';

export interface NewDecline extends Pick<Row<'intro_declines'>, 'reason' | 'message'> {
  readonly introId: string;
  /** The member who should record the intro. */
  readonly memberId: string;
  /** The member replied to a text. */
  readonly byText?: boolean;
}

export interface DeclineLimits {
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

export interface DeclineState {
  readonly status: IntroStatus;
  readonly expires_at: Date | null;
  readonly member_id: string;
  readonly is_declined: boolean;
  readonly is_uploading: boolean;
  readonly is_processing: boolean;
}

/** The state that explains why an intro could not be declined or handed over. */
export async function findDeclineState(
  db: Db,
  tenant: Tenant,
  introId: string,
  uploadingSince: Date,
): Promise<DeclineState | null> {
  const row = await forTenant(db, tenant)
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
  return row ?? null;
}

export interface OpenDecline extends Pick<Row<'intro_declines'>, 'intro_id' | 'member_id' | 'reason' | 'message'> {
  readonly recipient_first_name: string;
  readonly recipient_last_name: string | null;
  readonly member_first_name: string;
  readonly member_last_name: string;
  readonly expires_at: Date | null;
}

/** Declined intros that wait for someone else, the next deadline first, among the `among` newest declines. */
export function listOpenDeclines(
  db: Db,
  tenant: Tenant,
  { among, limit }: { among: number; limit: number },
): Promise<OpenDecline[]> {
  const newest = forTenant(db, tenant)
    .selectFrom('intro_declines')
    .selectAll()
    .orderBy('created_at', 'desc')
    .limit(sql.lit(among));
  return forTenant(db, tenant)
    .selectFrom('intros', 'i')
    .innerJoin(newest.as('d'), (on) =>
      on
        .onRef('d.organization_id', '=', 'i.organization_id')
        .onRef('d.intro_id', '=', 'i.id')
        .onRef('d.generation', '=', 'i.link_generation'),
    )
    .innerJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 'i.organization_id').onRef('m.id', '=', 'i.member_id'),
    )
    .select(['d.intro_id', 'd.member_id', 'd.reason', 'd.message', 'i.expires_at'])
    .select(['i.recipient_first_name', 'i.recipient_last_name'])
    .select(['m.first_name as member_first_name', 'm.last_name as member_last_name'])
    .where('i.status', '=', 'requested')
    .orderBy(sql`i.expires_at nulls last`)
    .orderBy('i.id')
    .limit(limit)
    .execute();
}
