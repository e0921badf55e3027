import { DELIVERY_FAILURES, ERASED_NAME, EVENT_FAILURES, type Intro, type TouchpointEvent } from '@foreword/contract';

/** Instead of the number, wherever a number is required. */
export const ERASED_PHONE = '';

const messageOf = (messages: Readonly<Record<string, string>>, code: string): string => messages[code] ?? '';

/** A carrier's own words may contain the number. */
const withoutWords = (delivery: Intro['delivery']): Intro['delivery'] => ({
  ...delivery,
  error: delivery.error && { ...delivery.error, message: messageOf(DELIVERY_FAILURES, delivery.error.code) },
});

/** An intro as the API returns it, without what identifies the recipient. Erasing it again changes nothing. */
function eraseIntro(intro: Intro, erasedAt: Date): Intro {
  const { recipient, delivery, reply, declined } = intro;
  return {
    ...intro,
    recipient: { ...recipient, first_name: ERASED_NAME, last_name: null, phone: ERASED_PHONE },
    context: null,
    instructions: null,
    delivery: { ...withoutWords(delivery), recipient_url: null },
    media: null,
    // Versions that stored the response may not have had these fields.
    reply: reply ? { ...reply, message: null } : null,
    declined: declined ? { ...declined, message: null } : null,
    metadata: {},
    erased_at: erasedAt.toISOString(),
  };
}

function eraseEvent(event: TouchpointEvent): TouchpointEvent {
  const { error } = event;
  return {
    ...event,
    metadata: {},
    ...(error !== undefined && { error: { ...error, message: messageOf(EVENT_FAILURES, error.code) } }),
  };
}

const objectOf = (value: unknown): string | undefined =>
  typeof value === 'object' && value !== null && 'object' in value ? String(value.object) : undefined;

/** Changes an object of the API. Other objects stay the same. */
export type Change = (object: unknown) => unknown;

export const erase =
  (erasedAt: Date): Change =>
  (value) => {
    switch (objectOf(value)) {
      case 'intro':
        return eraseIntro(value as Intro, erasedAt);
      case 'touchpoint_event':
        return eraseEvent(value as TouchpointEvent);
      case 'recipient':
        return { ...(value as object), phone: ERASED_PHONE };
      default:
        return value;
    }
  };

/** Replaces the recipient's number in an intro. */
export const correctNumber =
  (phone: string): Change =>
  (value) => {
    if (objectOf(value) !== 'intro') return value;
    const intro = value as Intro;
    return { ...intro, recipient: { ...intro.recipient, phone }, delivery: withoutWords(intro.delivery) };
  };

/** A stored response of the API. */
export const changeResponse = (response: string, change: Change): string =>
  JSON.stringify(change(JSON.parse(response)));

/** The payload of a webhook. */
export function changePayload(payload: string, change: Change): string {
  const { data, ...envelope } = JSON.parse(payload) as { data: unknown };
  return JSON.stringify({ ...envelope, data: change(data) });
}

/** The number in the payload about an opt-out or opt-in; null in any other payload. */
export function phoneInPayload(payload: string): string | null {
  const { data } = JSON.parse(payload) as { data: unknown };
  return objectOf(data) === 'recipient' ? String((data as { phone?: unknown }).phone) : null;
}

/** Matches the number as the request log masks it, in any notation: only the last two digits are left. */
export const maskedPattern = (phone: string): string => {
  const separators = '[^0-9"•]{0,2}';
  return `•${separators}${phone.at(-2)}${separators}${phone.at(-1)}(?![0-9•])`;
};

/**
 * The second pass starts this long after the request was accepted. By then, everything in flight has ended: a webhook and a
 * text take 15 seconds at most.
 */
export const SECOND_PASS_AFTER_S = 20;
/** How long to wait for a text or a take that is still in flight, or after a failure. */
export const RETRY_S = 5;

/** A worker that processes a take sends a heartbeat twice a second. */
export const TAKE_ABANDONED_AFTER_MS = 60_000;

const STEPS = ['intros', 'events', 'number', 'files'] as const;
export type Step = (typeof STEPS)[number];

export const FIRST_STEP: Step = STEPS[0];

/** Null after the last step of a pass. */
export const stepAfter = (step: Step): Step | null => STEPS[STEPS.indexOf(step) + 1] ?? null;
