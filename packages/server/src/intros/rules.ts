import type { CreateIntro, Intro } from '@foreword/contract';
import { ApiError } from '../platform/errors.ts';

type IntroStatus = Intro['status'];

/** The one table of moves. A statement that moves an intro is guarded by `from`. */
export const MOVES = {
  // A second take replaces the first for as long as nobody was told of it.
  record: { from: ['requested', 'ready'], to: 'ready' },
  send: { from: ['ready'], to: 'sent' },
  cancel: { from: ['requested', 'ready'], to: 'cancelled' },
  expire: { from: ['requested', 'ready'], to: 'expired' },
} as const satisfies Record<string, { from: readonly IntroStatus[]; to: IntroStatus }>;

/** How long a member has to record, when no touchpoint says otherwise. */
export const DIRECT_DAYS_TO_RECORD = 7;
/** How long a video waits to be sent. */
const READY_LIFE_DAYS = 30;
const DAY_MS = 86_400_000;

export const expiryOfReady = (recordedAt: Date): Date => new Date(recordedAt.getTime() + READY_LIFE_DAYS * DAY_MS);

/**
 * An appointment is the natural deadline, if it lay ahead when the intro was made. One that is already past was reported
 * late; the member then has the usual days.
 */
export function expiryOf(createdAt: Date, appointmentStartsAt: Date | null, daysToRecord: number): Date {
  if (appointmentStartsAt !== null && appointmentStartsAt > createdAt) return appointmentStartsAt;
  return new Date(createdAt.getTime() + daysToRecord * DAY_MS);
}

/** Why `ready` → `sent` was not possible by the caller's word; null when the intro is already there. */
export function explainNotMarked(status: IntroStatus, responsibility: 'integration' | 'service'): ApiError | null {
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
          ? 'This intro is delivered by the service, which marks it as sent itself.'
          : 'The video is not recorded yet. Mark the intro as sent once its status is ready.',
      );
  }
}

export const noSuchIntro = (): ApiError =>
  new ApiError('not_found', 'No intro with this id in this organization and environment.');

/** Why what is only possible before there is a video is not. */
export function explainNotRequested(status: IntroStatus): ApiError {
  switch (status) {
    case 'cancelled':
      return new ApiError('intro_closed', 'This intro was cancelled.');
    case 'expired':
      return new ApiError('intro_closed', 'This intro has expired.');
    case 'requested':
      return new ApiError('intro_recorded', 'A video of this intro has just arrived. Wait until it is processed.');
    default:
      return new ApiError('intro_recorded', 'The video of this intro is recorded already.');
  }
}

/** Why an intro could not be cancelled. */
export const explainNotCancelled = (status: IntroStatus): ApiError =>
  new ApiError(
    'intro_closed',
    status === 'sent'
      ? 'This intro was sent: its recipient has the link, and it cannot be cancelled any more.'
      : `This intro ${status === 'cancelled' ? 'was cancelled already' : 'has expired'}.`,
  );

export interface Appointment {
  readonly startsAt: Date;
  readonly timezone: string;
}

/** What an intro is made of, whether a touchpoint or a request decided it. */
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
  readonly responsibility: 'integration' | 'service';
  readonly metadata: CreateIntro['metadata'] | undefined;
  readonly daysToRecord: number;
}
