import {
  type CreateIntro,
  DAY_MINUTES,
  DAY_MS,
  type DeliveryDelayCode,
  HOUR_MS,
  type Intro,
  MINUTE_MS,
  type Responsibility,
} from '@foreword/contract';
import { before } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';
import { parseZonedTime } from '../platform/instants.ts';

type IntroStatus = Intro['status'];

/** The transition table. Every statement that moves an intro is guarded by `from`. */
export const MOVES = {
  // A second take replaces the first until the intro is sent.
  record: { from: ['requested', 'ready'], to: 'ready' },
  send: { from: ['ready'], to: 'sent' },
  cancel: { from: ['requested', 'ready'], to: 'cancelled' },
  expire: { from: ['requested', 'ready'], to: 'expired' },
} as const satisfies Record<string, { from: readonly IntroStatus[]; to: IntroStatus }>;

/** The `reference.source` of the practice recording that a new member is asked for. */
export const PRACTICE_SOURCE = 'foreword_practice';
/** How long a member has to record, unless a touchpoint sets it. */
export const DIRECT_MINUTES_TO_RECORD = 7 * DAY_MINUTES;
/** How long a video can wait to be sent. */
const READY_LIFE_DAYS = 30;

export const expiryOfReady = (recordedAt: Date): Date => new Date(recordedAt.getTime() + READY_LIFE_DAYS * DAY_MS);

/** A future appointment is the natural deadline. If it has already passed, the event was late and the usual time applies. */
export function expiryOf(createdAt: Date, appointmentStartsAt: Date | null, minutesToRecord: number): Date {
  if (appointmentStartsAt !== null && appointmentStartsAt > createdAt) return appointmentStartsAt;
  return new Date(createdAt.getTime() + minutesToRecord * MINUTE_MS);
}

/** Why a caller could not mark the intro as sent; null if it was sent already. */
export function explainNotMarked(status: IntroStatus, responsibility: Responsibility): ApiError | null {
  switch (status) {
    case 'sent':
      return null;
    case 'cancelled':
      return new ApiError('intro_closed', 'This intro was cancelled. Create another one.');
    case 'expired':
      return new ApiError('intro_closed', 'This intro has expired. Create another one.');
    default:
      return new ApiError(
        'intro_not_ready',
        responsibility === 'service'
          ? 'Foreword delivers this intro and marks it as sent automatically.'
          : 'The video is not recorded yet. Mark the intro as sent once its status is ready.',
      );
  }
}

/** Whether the service would have to text a recipient who opted out. Such an event fails, and no one is asked to record. */
export const mayNotBeTexted = (intro: {
  readonly responsibility: Responsibility;
  readonly recipient_opted_out: boolean;
}): boolean => intro.responsibility === 'service' && intro.recipient_opted_out;

interface UnsentIntro {
  readonly status: IntroStatus;
  readonly responsibility: Responsibility;
  readonly recipient_opted_out: boolean;
  readonly delivery_error_code: string | null;
  /** Null if no text is scheduled. */
  readonly text_due_at: Date | null;
  readonly text_held_for: string | null;
  readonly text_held_until: Date | null;
  readonly text_attempts: number | null;
  readonly text_in_doubt: boolean | null;
}

/** Why an intro that the service delivers is not sent, or will not be; null if its text is about to be sent. */
export function explainUnsent(intro: UnsentIntro): string | null {
  if (intro.status === 'requested') return mayNotBeTexted(intro) ? 'recipient_opted_out' : null;
  if (intro.status !== 'ready' || intro.responsibility !== 'service') return null;
  if (intro.text_due_at === null) return intro.delivery_error_code;
  // The text waits until the opt-out can no longer be undone.
  if (mayNotBeTexted(intro)) return 'recipient_opted_out';
  const delay: DeliveryDelayCode | null = intro.text_in_doubt
    ? 'unknown_outcome'
    : // A retry sets another time than the hold before it.
      intro.text_held_until?.getTime() === intro.text_due_at.getTime()
      ? (intro.text_held_for as 'quiet_hours' | 'recent_text' | null)
      : intro.text_attempts
        ? 'carrier_unavailable'
        : null;
  return delay;
}

export const noSuchIntro = (): ApiError =>
  new ApiError('not_found', 'No intro with this id in this organization and environment.');

/** Why an action that requires the status `requested` is not possible. */
export function explainNotRequested(status: IntroStatus): ApiError {
  switch (status) {
    case 'cancelled':
      return new ApiError('intro_closed', 'This intro was cancelled.');
    case 'expired':
      return new ApiError('intro_closed', 'This intro has expired.');
    case 'requested':
      return new ApiError(
        'intro_recorded',
        'A video for this intro has just been uploaded. Wait until it is processed.',
      );
    default:
      return new ApiError('intro_recorded', 'This intro is already recorded.');
  }
}

/** A take that received data this recently is being uploaded. An older one is abandoned, or its phone has no signal. */
const UPLOADING_MS = 5 * MINUTE_MS;
/** Each decline emails the team. A member who is away has more intros than this only in a list that a manager should see. */
export const DECLINES_PER_HOUR = 30;
/** Each one notifies a member. More than this is two members who pass an intro back and forth. */
export const HAND_OVERS_PER_DAY = 10;

export const declineTimes = (now: Date) => ({
  uploadingSince: before(now, UPLOADING_MS),
  hourAgo: before(now, HOUR_MS),
  dayAgo: before(now, DAY_MS),
});

export const noLongerTheirs = (): ApiError => new ApiError('intro_closed', 'Another member records this intro now.');

interface DeclineState {
  readonly status: IntroStatus;
  readonly expires_at: Date | null;
  readonly member_id: string;
  readonly is_uploading: boolean;
  readonly is_processing: boolean;
}

/** Why a member cannot decline an intro or hand it over; null if it is still theirs to record. */
export function explainNotDeclined(intro: DeclineState | undefined, memberId: string, now: Date): ApiError | null {
  if (intro === undefined) return noSuchIntro();
  const { status, expires_at: expiresAt } = intro;
  if (intro.member_id !== memberId) return noLongerTheirs();
  if (status !== 'requested' || intro.is_processing) return explainNotRequested(status);
  if (expiresAt !== null && expiresAt <= now) return explainNotRequested('expired');
  return intro.is_uploading
    ? new ApiError(
        'intro_recorded',
        'A video for this intro is being uploaded. Send it, or try again in a few minutes.',
      )
    : null;
}

/** Why an intro could not be cancelled. */
export const explainNotCancelled = (status: IntroStatus): ApiError =>
  new ApiError(
    'intro_closed',
    status === 'sent'
      ? 'This intro was sent. Its recipient has the link, so it can no longer be cancelled.'
      : `This intro ${status === 'cancelled' ? 'is already cancelled' : 'has expired'}.`,
  );

/** Why the page of an intro could not be taken down; null if it no longer shows the video. */
export const explainNotTakenDown = (status: IntroStatus): ApiError | null =>
  status === 'requested' || status === 'ready'
    ? new ApiError('intro_not_sent', 'This intro is not sent yet. Cancel it instead.')
    : null;

/** Why the recipient's number can no longer be corrected; null if it can. */
export function explainNotCorrected(status: IntroStatus, takenDownAt: Date | null): ApiError | null {
  if (takenDownAt !== null) return new ApiError('intro_closed', 'The page of this intro was taken down.');
  return status === 'cancelled' || status === 'expired' ? explainNotRequested(status) : null;
}

export interface Appointment {
  readonly startsAt: Date;
  readonly timezone: string;
}

export function readAppointment(sent: { starts_at: string; timezone: string } | undefined): Appointment | null {
  if (sent === undefined) return null;
  const startsAt = parseZonedTime(sent.starts_at, sent.timezone);
  if (startsAt === null) throw new Error('an appointment without a valid time passed validation');
  return { startsAt, timezone: sent.timezone };
}

/** Advice for a caller who reports an appointment late. */
export function appointmentHint(sent: Parameters<typeof readAppointment>[0], now: Date): string | undefined {
  const appointment = readAppointment(sent);
  return appointment !== null && appointment.startsAt <= now
    ? 'The appointment had already started. If Foreword delivers the intro, it is not texted automatically: the member or the team can send it anyway.'
    : undefined;
}

/** Fills in omitted fields with null; null if there is no reference. */
export function completeReference(sent: CreateIntro['reference'] | undefined): Intro['reference'] {
  if (sent === undefined) return null;
  return { source: sent.source ?? null, type: sent.type ?? null, id: sent.id ?? null };
}
