import type { IntroStatus, Language, Responsibility } from '@foreword/contract';
import { sql } from 'kysely';
import { type Db, forTenant, type Row, type Tenant } from '../../db/tenancy.ts';
import { NEWEST_FIRST } from './recordings.ts';

export interface IntroForMember {
  readonly status: IntroStatus;
  readonly recipient_first_name: string;
  readonly recipient_last_name: string | null;
  readonly recipient_language: Language;
  readonly context: unknown;
  readonly script: string | null;
  readonly script_language: Language;
  readonly expires_at: Date | null;
  readonly member_opened_at: Date | null;
  readonly responsibility: Responsibility;
  readonly recording_id: string | null;
  readonly link_host: string | null;
  readonly member_id: string;
  readonly member_first_name: string;
  readonly words_per_minute: number | null;
  readonly touchpoint_name: string | null;
  readonly organization_name: string;
  readonly timezone: string;
  /** The organization's. */
  readonly language: Language;
  readonly accent: string | null;
  readonly logo: string | null;
  readonly office_phone: string | null;
  /** The newest take; null when there is none. */
  readonly take_id: string | null;
  readonly take_status: Row<'recordings'>['status'] | null;
  readonly take_created_at: Date | null;
  readonly take_progress: number | null;
  readonly take_refusal: string | null;
  readonly take_refusal_code: string | null;
  readonly take_original_deleted_at: Date | null;
  readonly delivery_error_code: string | null;
  readonly delivery_error_message: string | null;
  readonly opened_at: Date | null;
  readonly recorded_at: Date | null;
  readonly erased_at: Date | null;
  readonly member_active: boolean;
  /** Its member withdrew consent, or closed it by withdrawing. */
  readonly is_likeness_withdrawn: boolean;
  /** The member declined, and has not recorded since. */
  readonly is_declined: boolean;
}

const IS_WITHDRAWN = sql<boolean>`(m.likeness_withdrawn_at is not null or i.likeness_withdrawn_at is not null)`;

/** An intro and its newest take, read in one statement so that the two always match. */
export async function findForMember(db: Db, tenant: Tenant, introId: string): Promise<IntroForMember | null> {
  const row = await forTenant(db, tenant)
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
      'i.recipient_language',
      'i.context',
      'i.script',
      'i.script_language',
      'i.expires_at',
      'i.member_opened_at',
      'i.responsibility',
      'i.recording_id',
      'i.link_host',
      'i.member_id',
      'm.first_name as member_first_name',
      'm.words_per_minute',
      't.name as touchpoint_name',
      'o.name as organization_name',
      'o.timezone',
      'o.language',
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
      'i.erased_at',
      'm.active as member_active',
    ])
    .select(IS_WITHDRAWN.as('is_likeness_withdrawn'))
    .select(
      sql<boolean>`i.status = 'requested' and coalesce(i.declined_generation = i.link_generation, false)`.as(
        'is_declined',
      ),
    )
    .where('i.id', '=', introId)
    .executeTakeFirst();
  return row ?? null;
}

/** The newest text of the service to the recipient. */
export type NewestText = Pick<
  Row<'all_messages'>,
  'status' | 'carrier' | 'error_code' | 'error_message' | 'due_at' | 'held_for' | 'held_until'
> & { readonly attempts: number; readonly in_doubt: boolean };

export async function findNewestText(db: Db, tenant: Tenant, introId: string): Promise<NewestText | null> {
  const row = await forTenant(db, tenant)
    .selectFrom('all_messages')
    .select(['status', 'carrier', 'error_code', 'error_message', 'due_at', 'held_for', 'held_until'])
    .select(['attempts', 'in_doubt'])
    .where('intro_id', '=', introId)
    .where('purpose', '=', 'deliver')
    .orderBy('round', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}
