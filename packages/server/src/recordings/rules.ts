import type { Intro } from '@foreword/contract';

type IntroStatus = Intro['status'];

/** What a phone's recorder or its gallery gives. What is really inside is found out later, and apart from here. */
const OFFERED_TYPES = ['video/mp4', 'video/webm', 'video/quicktime', 'video/x-matroska'];

/** `video/mp4;codecs=avc1` → `video/mp4`; null for what is not taken. */
export function readMediaType(text: string | null | undefined): string | null {
  const [type = ''] = (text ?? '').toLowerCase().split(';');
  return OFFERED_TYPES.find((offered) => offered === type.trim()) ?? null;
}

/** Each piece of an upload that is safe counts: on a bad line a larger one would be sent again and again. */
export const PART_BYTES = 1024 * 1024;
/** A member comes back to a take the same day, or records another. */
export const UPLOAD_LIFE_MS = 24 * 3_600_000;
/** Takes of one intro in a day. Nobody tries as often; a script that fills the disk with a member's link would. */
export const MAX_UPLOADS_A_DAY = 60;

/** A worker touches its take twice a second; this long after the last sign of life another one takes over. */
export const ABANDONED_AFTER_MS = 15_000;
/** A take that waits its turn has a job; after this long the job was lost. */
export const UNQUEUED_AFTER_MS = 10 * 60_000;
/** A take that fails this often, or brings its worker down, is at fault itself. */
export const MAX_ATTEMPTS = 5;
const FIRST_RETRY_MS = 2_000;

/**
 * A preview that is not there now was lost with its worker: the encoder gives one up after two minutes. What failed then is
 * tried again in an hour, when a disk may have room again, and not for ever: a page is opened most on its first day.
 */
export const PREVIEW_OVERDUE_MS = 3 * 60_000;
export const PREVIEW_RETRY_MS = 3_600_000;
export const PREVIEW_WANTED_MS = 24 * 3_600_000;
/** Stands in the index `recordings_unpreviewed` as well. */
export const MAX_PREVIEW_ATTEMPTS = 5;

export const retryDelayMs = (attempts: number): number => FIRST_RETRY_MS * 2 ** (attempts - 1);

/** A page that was sent is there for half a year; then the video goes too. */
const PAGE_LIFE_MS = 180 * 24 * 3_600_000;
/** Files outlive their use by this, for whoever is in the middle of watching. */
const UNSEEN_FILES_MS = 3_600_000;
/** A video that was not sent yet may be cancelled, replaced or expire any day. */
const UNSENT_LOOK_MS = 24 * 3_600_000;

/** When to ask for the first time whether the files of a take are still needed. */
export const firstLookAt = (status: 'ready' | 'refused' | 'discarded', now: Date): Date =>
  new Date(now.getTime() + (status === 'ready' ? UNSENT_LOOK_MS : UNSEEN_FILES_MS));

/** Null: nobody can see them any more. Else when to ask again. */
export function nextLookAt(
  take: { isReady: boolean; isShown: boolean; introStatus: IntroStatus; sentAt: Date | null },
  now: Date,
): Date | null {
  const { isReady, isShown, introStatus, sentAt } = take;
  if (!isReady || !isShown || isClosed(introStatus)) return null;
  if (introStatus !== 'sent' || sentAt === null) return new Date(now.getTime() + UNSENT_LOOK_MS);
  const end = new Date(sentAt.getTime() + PAGE_LIFE_MS + UNSEEN_FILES_MS);
  return end <= now ? null : end;
}

export const LIMITS = { soft_s: 15, hard_s: 30 } as const;

const OPEN: readonly IntroStatus[] = ['requested', 'ready'];
export const isOpen = (status: IntroStatus): boolean => OPEN.includes(status);
export const isClosed = (status: IntroStatus): status is 'cancelled' | 'expired' =>
  status === 'cancelled' || status === 'expired';

export const PROCESSING_FAILED = {
  code: 'processing_failed',
  message: 'Something went wrong with this video on our side. Please record it once more.',
} as const;
