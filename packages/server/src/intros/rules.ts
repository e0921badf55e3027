import type { CreateIntro, DeliveryDelayCode, Intro, Responsibility } from '@foreword/contract';
import { ApiError } from '../platform/errors.ts';

type IntroStatus = Intro['status'];

/** The transition table. Every statement that moves an intro is guarded by `from`. */
export const MOVES = {
  // A second take replaces the first until the intro is sent.
  record: { from: ['requested', 'ready'], to: 'ready' },
  send: { from: ['ready'], to: 'sent' },
  cancel: { from: ['requested', 'ready'], to: 'cancelled' },
  expire: { from: ['requested', 'ready'], to: 'expired' },
} as const satisfies Record<string, { from: readonly IntroStatus[]; to: IntroStatus }>;

/** How long a member has to record, unless a touchpoint sets it. */
export const DIRECT_DAYS_TO_RECORD = 7;
/** How long a video can wait to be sent. */
const READY_LIFE_DAYS = 30;
const DAY_MS = 86_400_000;

export const expiryOfReady = (recordedAt: Date): Date => new Date(recordedAt.getTime() + READY_LIFE_DAYS * DAY_MS);

/** A future appointment is the natural deadline. If it has already passed, the event was late and the usual days apply. */
export function expiryOf(createdAt: Date, appointmentStartsAt: Date | null, daysToRecord: number): Date {
  if (appointmentStartsAt !== null && appointmentStartsAt > createdAt) return appointmentStartsAt;
  return new Date(createdAt.getTime() + daysToRecord * DAY_MS);
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

export interface UnsentIntro {
  readonly status: IntroStatus;
  readonly responsibility: Responsibility;
  readonly delivery_error_code: string | null;
  /** Null if no text is scheduled. */
  readonly text_due_at: Date | null;
  readonly text_held_for: string | null;
  readonly text_held_until: Date | null;
  readonly text_attempts: number | null;
  readonly text_in_doubt: boolean | null;
}

/** Why a recorded intro that the service delivers is not sent; null if its text is about to be sent. */
export function explainUnsent(intro: UnsentIntro): string | null {
  if (intro.status !== 'ready' || intro.responsibility !== 'service') return null;
  if (intro.text_due_at === null) return intro.delivery_error_code;
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

/** Why an intro could not be cancelled. */
export const explainNotCancelled = (status: IntroStatus): ApiError =>
  new ApiError(
    'intro_closed',
    status === 'sent'
      ? 'This intro was sent. Its recipient has the link, so it can no longer be cancelled.'
      : `This intro ${status === 'cancelled' ? 'is already cancelled' : 'has expired'}.`,
  );

export interface Appointment {
  readonly startsAt: Date;
  readonly timezone: string;
}

/** The content of a new intro, from a touchpoint event or an API request. */
export interface IntroDraft {
  readonly eventId: string | null;
  readonly touchpointSlug: string | null;
  readonly memberId: string;
  readonly recipient: CreateIntro['recipient'];
  readonly reference: CreateIntro['reference'] | undefined;
  readonly context: {
    readonly title: string | null;
    readonly appointment: Appointment | null;
    readonly trade: string | null;
    readonly lane: string | null;
  } | null;
  readonly instructions: { readonly script: string | null } | null;
  readonly responsibility: Responsibility;
  readonly metadata: CreateIntro['metadata'] | undefined;
  readonly daysToRecord: number;
}
