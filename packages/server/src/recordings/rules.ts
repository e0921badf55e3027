import type { Intro } from '@foreword/contract';

type IntroStatus = Intro['status'];

/** Types that phone recorders and galleries produce. The real content is checked later, by the media worker. */
const OFFERED_TYPES = ['video/mp4', 'video/webm', 'video/quicktime', 'video/x-matroska'];

/** `video/mp4;codecs=avc1` → `video/mp4`; null for an unsupported type. */
export function readMediaType(text: string | null | undefined): string | null {
  const [type = ''] = (text ?? '').toLowerCase().split(';');
  return OFFERED_TYPES.find((offered) => offered === type.trim()) ?? null;
}

/** Small, because on a bad connection a larger part would be sent again and again without being saved. */
export const PART_BYTES = 1024 * 1024;
/** A member resumes an upload on the same day, or records a new take. */
export const UPLOAD_LIFE_MS = 24 * 3_600_000;
/** Takes per intro and day. Far above real use; it stops a script from filling the disk with a member's link. */
export const MAX_UPLOADS_A_DAY = 60;

/** A worker sends a heartbeat twice a second; after this long without one, another worker takes over. */
export const ABANDONED_AFTER_MS = 15_000;
/** A waiting take has a job in the queue; after this long the job counts as lost. */
export const UNQUEUED_AFTER_MS = 10 * 60_000;
/** A take that fails or kills its worker this often is the cause itself. */
export const MAX_ATTEMPTS = 5;
const FIRST_RETRY_MS = 2_000;

/** The encoder gives a preview up after two minutes, so one still missing after three was lost with its worker. */
export const PREVIEW_OVERDUE_MS = 3 * 60_000;
/** A failed preview is retried after an hour, when a full disk may have space again. */
export const PREVIEW_RETRY_MS = 3_600_000;
/** Retries end after a day, because a page gets most of its visits on the first day. */
export const PREVIEW_WANTED_MS = 24 * 3_600_000;
/** Also part of the index `recordings_unpreviewed`. */
export const MAX_PREVIEW_ATTEMPTS = 5;

/** The sweeper counts an attempt before it retries a preview; until then the original worker is still at it. */
export const lacksPreview = (take: { status: string; has_preview: boolean; attempts: number }): boolean =>
  take.status === 'ready' && !take.has_preview && take.attempts > 0;

export const retryDelayMs = (attempts: number): number => FIRST_RETRY_MS * 2 ** (attempts - 1);

/** A sent page stays open for half a year; then its video is deleted too. */
const PAGE_LIFE_MS = 180 * 24 * 3_600_000;
/** Files are kept this much longer, for recipients who are watching right now. */
const UNUSED_FILES_LIFE_MS = 3_600_000;
/** A video that has not been sent may be canceled, replaced or expire any day. */
const UNSENT_CHECK_MS = 24 * 3_600_000;

/** When to check for the first time whether the files of a take are still needed. */
export const firstFileCheckAt = (status: 'ready' | 'refused' | 'discarded', now: Date): Date =>
  new Date(now.getTime() + (status === 'ready' ? UNSENT_CHECK_MS : UNUSED_FILES_LIFE_MS));

/** When to check again; null when the files can be deleted because no one can see them anymore. */
export function nextFileCheckAt(
  take: { isReady: boolean; isShown: boolean; introStatus: IntroStatus; sentAt: Date | null },
  now: Date,
): Date | null {
  const { isReady, isShown, introStatus, sentAt } = take;
  if (!isReady || !isShown || isClosed(introStatus)) return null;
  if (introStatus !== 'sent' || sentAt === null) return new Date(now.getTime() + UNSENT_CHECK_MS);
  const end = new Date(sentAt.getTime() + PAGE_LIFE_MS + UNUSED_FILES_LIFE_MS);
  return end <= now ? null : end;
}

export const LIMITS = { soft_s: 15, hard_s: 30 } as const;

const OPEN: readonly IntroStatus[] = ['requested', 'ready'];
export const isOpen = (status: IntroStatus): boolean => OPEN.includes(status);
export const isClosed = (status: IntroStatus): status is 'cancelled' | 'expired' =>
  status === 'cancelled' || status === 'expired';

export const PROCESSING_FAILED = {
  code: 'processing_failed',
  message: 'We could not process this video. Please record it again.',
} as const;
