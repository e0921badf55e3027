import { sql } from 'kysely';
import { planOnce } from '../../db/statements.ts';
import { type Db, forTenant, type Row, type Tenant } from '../../db/tenancy.ts';
import { NEWEST_FIRST } from './uploads.ts';

/** Its member withdrew consent, or closed it by withdrawing. */
const IS_WITHDRAWN = sql<boolean>`(m.likeness_withdrawn_at is not null or i.likeness_withdrawn_at is not null)`;

/** With the time zone and the brand of the organization, and the member's newest take if there is one. */
const selectForMember = (db: Db, tenant: Tenant, introId: string) =>
  forTenant(db, tenant)
    .selectFrom('intros', 'i')
    .innerJoin('members as m', (on) =>
      on.onRef('m.organization_id', '=', 'i.organization_id').onRef('m.id', '=', 'i.member_id'),
    )
    .innerJoin('organizations as o', 'o.id', 'i.organization_id')
    .leftJoin('touchpoints as t', (on) =>
      on
        .onRef('t.organization_id', '=', 'i.organization_id')
        .onRef('t.environment', '=', 'i.environment')
        .onRef('t.slug', '=', 'i.touchpoint_slug'),
    )
    .leftJoinLateral(
      (of) =>
        of
          .selectFrom('recordings as take')
          .select([
            'take.id',
            'take.status',
            'take.created_at',
            'take.progress',
            'take.refusal_message',
            'take.refusal_code',
            'take.original_deleted_at',
          ])
          .whereRef('take.organization_id', '=', 'i.organization_id')
          .whereRef('take.environment', '=', 'i.environment')
          .whereRef('take.intro_id', '=', 'i.id')
          .whereRef('take.member_id', '=', 'i.member_id')
          .where('take.status', '<>', 'discarded')
          .orderBy(NEWEST_FIRST)
          .limit(1)
          .as('r'),
      (on) => on.onTrue(),
    )
    .select([
      'i.status',
      'i.recipient_first_name',
      'i.recipient_last_name',
      'i.recipient_phone',
      'i.recipient_language',
      'i.context',
      'i.script',
      'i.script_language',
      'i.expires_at',
      'i.member_opened_at',
      'i.responsibility',
      'i.recording_id',
      'i.link_host',
      'i.link_generation as generation',
      'i.member_id',
      'm.first_name as member_first_name',
      'm.words_per_minute',
      't.name as touchpoint_name',
      'o.name as organization_name',
      'o.timezone',
      'o.accent',
      'o.logo',
      'o.office_phone',
      'r.id as take_id',
      'r.status as take_status',
      'r.created_at as take_created_at',
      'r.progress as take_progress',
      'r.refusal_message as take_refusal',
      'r.refusal_code as take_refusal_code',
      'r.original_deleted_at as take_original_deleted_at',
      'i.delivery_error_code',
      'i.delivery_error_message',
      'i.opened_at',
      'i.recorded_at',
      'i.cancelled_at',
      'i.erased_at',
      'm.active as member_active',
    ])
    // The member's own, if they chose one.
    .select(({ fn }) => fn.coalesce('m.language', 'o.language').as('language'))
    .select(IS_WITHDRAWN.as('is_likeness_withdrawn'))
    .select(
      sql<boolean>`i.status = 'requested' and coalesce(i.declined_generation = i.link_generation, false)`.as(
        'is_declined',
      ),
    )
    .where('i.id', '=', introId);

export type IntroForMember = Awaited<ReturnType<ReturnType<typeof selectForMember>['execute']>>[number];

/** An intro and its newest take, read in one statement so that the two always match. */
export const findForMember = async (db: Db, tenant: Tenant, introId: string): Promise<IntroForMember | null> =>
  (await db.executeQuery(planOnce(selectForMember(db, tenant, introId).compile()))).rows[0] ?? null;

const TEXT_COLUMNS = [
  ...(['status', 'carrier', 'error_code', 'error_message', 'due_at', 'held_for', 'held_until'] as const),
  ...(['attempts', 'in_doubt', 'accepted_at'] as const),
] as const;
/** A text of the service to the recipient. */
export type MemberText = Pick<Row<'all_messages'>, (typeof TEXT_COLUMNS)[number]>;

/** One that waits, or else the last that a carrier accepted, or else the newest. */
export async function findMemberText(db: Db, tenant: Tenant, introId: string): Promise<MemberText | null> {
  const row = await forTenant(db, tenant)
    .selectFrom('all_messages')
    .select(TEXT_COLUMNS)
    .where('intro_id', '=', introId)
    .where('purpose', '=', 'deliver')
    .orderBy(sql`status in ('scheduled', 'sending')`, 'desc')
    .orderBy(sql`accepted_at is not null`, 'desc')
    .orderBy('round', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
