import type { Responsibility } from '@foreword/contract';
import type { Queryable } from '../../platform/db.ts';
import type { IntroStatus, RecordingStatus, Tables, Tenant } from '../../tables.ts';
import { forTenant } from '../../tenancy.ts';
import { NEWEST_FIRST } from './recordings.ts';

export interface IntroForMember {
  readonly status: IntroStatus;
  readonly recipient_first_name: string;
  readonly recipient_last_name: string | null;
  readonly context: unknown;
  readonly script: string | null;
  readonly expires_at: Date | null;
  readonly member_opened_at: Date | null;
  readonly responsibility: Responsibility;
  readonly recording_id: string | null;
  readonly member_id: string;
  readonly member_first_name: string;
  readonly words_per_minute: number | null;
  readonly touchpoint_name: string | null;
  readonly organization_name: string;
  readonly timezone: string;
  readonly accent: string | null;
  readonly logo: string | null;
  readonly office_phone: string | null;
  /** The newest take; null when there is none. */
  readonly take_id: string | null;
  readonly take_status: RecordingStatus | null;
  readonly take_created_at: Date | null;
  readonly take_progress: number | null;
  readonly take_refusal: string | null;
  readonly take_refusal_code: string | null;
  readonly take_original_deleted_at: Date | null;
}

/** An intro and its newest take, read in one statement so that the two always match. */
export async function findForMember(
  db: Queryable<Tables>,
  tenant: Tenant,
  introId: string,
): Promise<IntroForMember | null> {
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
      'i.context',
      'i.script',
      'i.expires_at',
      'i.member_opened_at',
      'i.responsibility',
      'i.recording_id',
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
    ])
    .where('i.id', '=', introId)
    .executeTakeFirst();
  return row ?? null;
}
