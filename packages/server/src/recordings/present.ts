import { deliveryStatusOf, type Intro, type RecorderState } from '@foreword/contract';
import { explainUnsent } from '../intros/index.ts';
import type { Links } from '../intros/links/index.ts';
import { pick } from '../platform/json.ts';
import { LIMITS, PROCESSING_FAILED } from './rules.ts';
import { type RecorderTexts, TEXTS } from './shell.ts';
import type { IntroForMember, MemberText } from './store/member-view.ts';

function presentTake(intro: IntroForMember, texts: RecorderTexts): RecorderState['recording'] {
  const { take_id: id, take_status: status } = intro;
  if (id === null || status === null || status === 'discarded') return null;
  const isOurFault = status === 'refused' && intro.take_refusal_code === PROCESSING_FAILED.code;
  return {
    id,
    status: status === 'uploaded' ? 'checking' : status,
    progress: intro.take_progress ?? 0,
    message: texts.explainRefusal(intro.take_refusal_code, intro.take_refusal),
    retryable: isOurFault && intro.take_original_deleted_at === null,
  };
}

type TextStatus = NonNullable<RecorderState['intro']['text']>['status'];

const isPending = (text: MemberText): boolean => text.status === 'scheduled' || text.status === 'sending';

/** The delivery status of the API, and two that only the member sees: a text that waits, and a link that a person sent. */
function textStatus(intro: IntroForMember, text: MemberText | null, isDelayed: boolean): TextStatus {
  if (text !== null && isPending(text)) return isDelayed ? 'scheduled' : 'queued';
  const accepted = text === null || text.accepted_at === null ? null : text;
  const delivery = deliveryStatusOf(intro, accepted);
  if (delivery === 'sent' && text !== null && accepted === null) return 'by_hand';
  return delivery ?? 'queued';
}

/** Null if the service has no text to send: before the video is ready, or because the integration delivers. */
function presentText(intro: IntroForMember, text: MemberText | null): RecorderState['intro']['text'] {
  if (!hasText(intro)) return null;
  const texts = TEXTS[intro.language];
  const timezone = (intro.context as Intro['context'])?.appointment?.timezone ?? intro.timezone;
  const reason = text !== null && isPending(text) ? explainDelay(intro, text) : null;
  const status = textStatus(intro, text, reason !== null);
  const code = intro.delivery_error_code ?? text?.error_code ?? null;
  const message = intro.delivery_error_message ?? text?.error_message ?? '';
  const hasFailed = status === 'not_sent' || status === 'not_delivered';
  return {
    status,
    due_at: reason === null ? null : (text?.due_at.toISOString() ?? null),
    reason,
    timezone,
    problem: hasFailed && code !== null ? { code, message: texts.explainFailure(code, message) } : null,
  };
}

const explainDelay = (intro: IntroForMember, text: MemberText): string | null =>
  explainUnsent({
    status: intro.status,
    responsibility: intro.responsibility,
    // Only the team sees the reason before a take is recorded.
    recipient_opted_out: false,
    delivery_error_code: intro.delivery_error_code,
    text_due_at: text.due_at,
    text_held_for: text.held_for,
    text_held_until: text.held_until,
    text_attempts: text.attempts,
    text_in_doubt: text.in_doubt,
  });

/** Whether the service has, or had, a text to send about this video. */
export const hasText = ({ recording_id, status, responsibility }: IntroForMember): boolean =>
  recording_id !== null && status !== 'requested' && responsibility === 'service';

/** The recorder's view of an open intro. */
export function presentState(
  introId: string,
  intro: IntroForMember & { status: 'requested' | 'ready' | 'sent' },
  options: {
    links: Links;
    maxBytes: number;
    logoUrl: string | null;
    /** Null if there is none. */
    text: MemberText | null;
  },
): Omit<RecorderState, 'consent'> {
  // The API validated it when it was stored.
  const context = intro.context as Intro['context'];
  return {
    intro: {
      id: introId,
      status: intro.status,
      title: context?.title ?? null,
      touchpoint: intro.touchpoint_name,
      recipient: {
        first_name: intro.recipient_first_name,
        last_name: intro.recipient_last_name,
        language: intro.recipient_language,
      },
      appointment: context?.appointment ?? null,
      ...pick(intro, 'script', 'script_language', 'expires_at'),
      delivery: intro.responsibility,
      text: presentText(intro, options.text),
      declined: intro.is_declined,
      opened: intro.opened_at !== null,
      recipient_url: intro.recording_id === null ? null : options.links.pageUrl(introId, intro.link_host),
    },
    member: {
      first_name: intro.member_first_name,
      words_per_minute: intro.words_per_minute,
      language: intro.language,
    },
    organization: {
      name: intro.organization_name,
      logo_url: options.logoUrl,
      timezone: intro.timezone,
    },
    recording: presentTake(intro, TEXTS[intro.language]),
    limits: { ...LIMITS, max_bytes: options.maxBytes },
  };
}
