import type { RecorderState } from '@foreword/contract';
import { explainUnsent, type IntroWithMember } from '../intros/index.ts';
import type { Links } from '../links/index.ts';
import type { RecordingStatus } from '../tables.ts';
import { LIMITS, PROCESSING_FAILED } from './rules.ts';
import type { IntroForMember } from './store/member-view.ts';

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
  const isOurFault = status === 'refused' && intro.take_refusal_code === PROCESSING_FAILED.code;
  return {
    id,
    status: SHOWN_STATUS[status],
    progress: intro.take_progress ?? 0,
    message: intro.take_refusal,
    retryable: isOurFault && intro.take_original_deleted_at === null,
  };
}

interface ContextView {
  title: string | null;
  appointment: { starts_at: string; timezone: string } | null;
}

/** A due time is shown only if the text waits for a reason: otherwise it is sent at once. */
function presentText(intro: IntroWithMember, timezone: string): RecorderState['intro']['text'] {
  if (intro.status !== 'ready' || intro.responsibility !== 'service') return null;
  const { text_due_at: dueAt, delivery_error_code: code, delivery_error_message: message } = intro;
  const isWaiting = explainUnsent(intro) !== null;
  return {
    due_at: isWaiting ? (dueAt?.toISOString() ?? null) : null,
    timezone,
    problem: dueAt === null && code !== null ? { code, message: message ?? '' } : null,
  };
}

/** The recorder's view of an open intro. */
export function presentState(
  introId: string,
  intro: IntroForMember & { status: 'requested' | 'ready' | 'sent' },
  options: {
    links: Links;
    maxBytes: number;
    logoUrl: string | null;
    /** Null unless it is ready. */
    unsent: IntroWithMember | null;
  },
): RecorderState {
  // The API validated it when it was stored.
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
      text: options.unsent && presentText(options.unsent, context?.appointment?.timezone ?? intro.timezone),
      recipient_url: intro.recording_id === null ? null : options.links.pageUrl(introId),
    },
    member: { first_name: intro.member_first_name, words_per_minute: intro.words_per_minute },
    organization: { name: intro.organization_name, logo_url: options.logoUrl },
    recording: presentTake(intro),
    limits: { ...LIMITS, max_bytes: options.maxBytes },
  };
}
