import type { RecorderState } from '@foreword/web/shell';
import type { Links } from '../links/index.ts';
import type { Queryable } from '../platform/db.ts';
import type { IntroStatus, RecordingStatus, Tables, Tenant } from '../tables.ts';
import { LIMITS } from './rules.ts';
import { NEWEST_FIRST } from './store.ts';

export interface IntroForMember {
  readonly status: IntroStatus;
  readonly recipient_first_name: string;
  readonly recipient_last_name: string | null;
  readonly context: unknown;
  readonly script: string | null;
  readonly expires_at: Date | null;
  readonly member_opened_at: Date | null;
  readonly responsibility: 'integration' | 'service';
  readonly recording_id: string | null;
  readonly member_id: string;
  readonly member_first_name: string;
  readonly words_per_minute: number | null;
  readonly touchpoint_name: string | null;
  readonly organization_name: string;
  readonly accent: string | null;
  readonly logo: string | null;
  readonly office_phone: string | null;
  /** Of the newest take; null when there is none. */
  readonly take_id: string | null;
  readonly take_status: RecordingStatus | null;
  readonly take_progress: number | null;
  readonly take_refusal: string | null;
}

/**
 * What the member sees of an intro and of its newest take, at one moment: the two change together. Only ever asked for with the
 * tenant that a link gave.
 */
export async function findForMember(
  db: Queryable<Tables>,
  tenant: Tenant,
  introId: string,
): Promise<IntroForMember | null> {
  const row = await db
    .selectFrom('intros as i')
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
          .select(['take.id', 'take.status', 'take.progress', 'take.refusal_message'])
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
      'o.accent',
      'o.logo',
      'o.office_phone',
      'r.id as take_id',
      'r.status as take_status',
      'r.progress as take_progress',
      'r.refusal_message as take_refusal',
    ])
    .where('i.organization_id', '=', tenant.organizationId)
    .where('i.environment', '=', tenant.environment)
    .where('i.id', '=', introId)
    .executeTakeFirst();
  return row ?? null;
}

const SHOWN_STATUS: Record<
  Exclude<RecordingStatus, 'discarded'>,
  'uploading' | 'checking' | 'processing' | 'ready' | 'refused'
> = {
  uploading: 'uploading',
  uploaded: 'checking',
  processing: 'processing',
  ready: 'ready',
  refused: 'refused',
};

function presentTake(intro: IntroForMember): RecorderState['recording'] {
  const { take_id: id, take_status: status } = intro;
  if (id === null || status === null || status === 'discarded') return null;
  return { id, status: SHOWN_STATUS[status], progress: intro.take_progress ?? 0, message: intro.take_refusal };
}

interface ContextView {
  title: string | null;
  appointment: { starts_at: string; timezone: string } | null;
}

/** For an intro that is not closed. */
export function presentState(
  introId: string,
  intro: IntroForMember & { status: 'requested' | 'ready' | 'sent' },
  options: { links: Links; maxBytes: number; logoUrl: string | null },
): RecorderState {
  // Written in the shape of the contract.
  const context = intro.context as ContextView | null;
  return {
    intro: {
      status: intro.status,
      title: context?.title ?? null,
      touchpoint: intro.touchpoint_name,
      recipient: { first_name: intro.recipient_first_name, last_name: intro.recipient_last_name },
      appointment: context?.appointment ?? null,
      script: intro.script,
      expires_at: intro.expires_at?.toISOString() ?? null,
      delivery: intro.responsibility,
      recipient_url: intro.recording_id === null ? null : options.links.pageUrl(introId),
    },
    member: { first_name: intro.member_first_name, words_per_minute: intro.words_per_minute },
    organization: { name: intro.organization_name, logo_url: options.logoUrl },
    recording: presentTake(intro),
    limits: { ...LIMITS, max_bytes: options.maxBytes },
  };
}
