import type { Intro } from '@foreword/contract';
import { explainUnsent } from './rules.ts';
import type { IntroWithMember } from './store.ts';

const iso = (at: Date | null): string | null => (at === null ? null : at.toISOString());

type PresentableIntro = Omit<
  IntroWithMember,
  'member_opened_at' | 'cancelled_by' | 'watched_times' | 'link_generation'
>;

function presentError({
  delivery_error_code: code,
  delivery_error_message: message,
}: PresentableIntro): Intro['delivery']['error'] {
  return code === null ? null : { code, message: message ?? '' };
}

/** `pageUrl` builds the recipient link, which is null until there is a video to watch. */
export function presentIntro(row: PresentableIntro, pageUrl: (introId: string) => string): Intro {
  return {
    id: row.id,
    object: 'intro',
    status: row.status,
    touchpoint: row.touchpoint_slug,
    member: {
      id: row.member_id,
      external_id: row.member_external_id,
      first_name: row.member_first_name,
      last_name: row.member_last_name,
    },
    recipient: {
      first_name: row.recipient_first_name,
      last_name: row.recipient_last_name,
      phone: row.recipient_phone,
    },
    // Validated against the contract before they were stored.
    reference: row.reference as Intro['reference'],
    context: row.context as Intro['context'],
    instructions: row.instructed ? { script: row.script } : null,
    recipient_opted_out: row.recipient_opted_out,
    delivery: {
      responsibility: row.responsibility,
      recipient_url: row.recording_id === null ? null : pageUrl(row.id),
      scheduled_for: iso(row.text_due_at),
      reason: explainUnsent(row),
      error: presentError(row),
    },
    metadata: row.metadata as Intro['metadata'],
    environment: row.environment,
    version: row.version,
    created_at: row.created_at.toISOString(),
    expires_at: iso(row.expires_at),
    recorded_at: iso(row.recorded_at),
    sent_at: iso(row.sent_at),
    opened_at: iso(row.opened_at),
    watched_at: iso(row.watched_at),
    cancelled_at: iso(row.cancelled_at),
  };
}

/** In a stored response: an intro has a link. The key of the server derives it again. */
const LINK = '';

const withUrl = (intro: Intro, recipient_url: string | null): string =>
  JSON.stringify({ ...intro, delivery: { ...intro.delivery, recipient_url } });

/** As stored for an Idempotency-Key. */
export const toStored = (intro: Intro): string => withUrl(intro, intro.delivery.recipient_url === null ? null : LINK);

/** A stored response as it was sent. */
export function fromStored(body: string, pageUrl: (introId: string) => string): string {
  const intro = JSON.parse(body) as Intro;
  return intro.delivery.recipient_url === LINK ? withUrl(intro, pageUrl(intro.id)) : body;
}
