import {
  DAY_MS,
  HOUR_MS,
  type Intro,
  MINUTE_MS,
  RECORDING_LINK_LIFE_S,
  SCRIPT_FIT_SECONDS,
  TAKE_MAX_SECONDS,
} from '@foreword/contract';

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
export const UPLOAD_LIFE_MS = DAY_MS;
/** The use of a link. `record` starts something; the others belong to an upload that has already started. */
export type LinkUse = 'record' | 'upload' | 'follow';

/** An expired link still serves the uploads that started while it was valid, for as long as they can be resumed. */
export function mayUseLink(
  use: LinkUse,
  { expiresAt, takeBegunAt }: { expiresAt: Date | null; takeBegunAt: Date | null },
  now: Date,
): boolean {
  if (expiresAt === null || now < expiresAt) return true;
  if (use === 'record' || now.getTime() >= expiresAt.getTime() + UPLOAD_LIFE_MS) return false;
  if (use === 'upload') return true;
  const earliestMs = expiresAt.getTime() - RECORDING_LINK_LIFE_S * 1000;
  return takeBegunAt !== null && takeBegunAt < expiresAt && takeBegunAt.getTime() >= earliestMs;
}

/** Takes per intro and day. Far above real use; it stops a script from filling the disk with a member's link. */
export const MAX_UPLOADS_A_DAY = 60;

/** A worker sends a heartbeat twice a second; after this long without one, another worker takes over. */
export const ABANDONED_AFTER_MS = 15_000;
/** A take whose encoding the encoder itself ended this often is the cause itself. Deaths of the worker do not count. */
export const MAX_FAILURES = 5;
/**
 * Doubles each time up to the maximum, which is also the pace of a take that kills its worker or machine every time: it is
 * never given up, but harms only once in five minutes.
 */
export const RETRY_DELAY = { firstMs: 2_000, maxMs: 5 * MINUTE_MS } as const;
/** A retry waits behind first attempts, but not for longer than this. */
export const RETRY_PATIENCE_MS = 10 * MINUTE_MS;

/** The encoder gives a preview up after two minutes, so one still missing after three was lost with its worker. */
export const PREVIEW_OVERDUE_MS = 3 * MINUTE_MS;
/** A failed preview is retried after an hour, when a full disk may have space again. */
export const PREVIEW_RETRY_MS = HOUR_MS;
/** Retries end after a day, because a page gets most of its visits on the first day. */
export const PREVIEW_WANTED_MS = DAY_MS;
/** Also part of the index `recordings_without_preview`. */
export const MAX_PREVIEW_ATTEMPTS = 5;

/** After the first, second, … time. */
export const retryDelayMs = (times: number): number =>
  Math.min(RETRY_DELAY.firstMs * 2 ** (times - 1), RETRY_DELAY.maxMs);

export interface EncoderSlots {
  readonly all: number;
  /** At most this many are used by heavy takes; the others are reserved for takes of up to 30 s of 1080p. */
  readonly heavy: number;
  /** At most this many are used by other takes of one organization, so that another one finds a free slot. */
  readonly perOrganization: number;
}

/** A single encoder uses few cores well: the fair order matters more than their number. */
export function slotsFor(cores: number): EncoderSlots {
  const heavy = Math.max(1, Math.floor(cores / 4));
  const light = Math.max(2, Math.floor(cores / 2));
  return { all: heavy + light, heavy, perOrganization: light - 1 };
}

/** Null: not yet inspected. */
interface Encoding {
  readonly organizationId: string;
  readonly isHeavy: boolean | null;
}

/**
 * The kinds of takes that may start next to those being encoded; null when all slots are taken. Only heavy takes may start of
 * organizations that have enough slots.
 */
export function roomBeside(
  encoding: readonly Encoding[],
  slots: EncoderSlots,
): { allowsHeavy: boolean; fullOrganizations: string[] } | null {
  if (encoding.length >= slots.all) return null;
  const counts = new Map<string, number>();
  for (const { organizationId, isHeavy } of encoding) {
    if (isHeavy !== true) counts.set(organizationId, (counts.get(organizationId) ?? 0) + 1);
  }
  return {
    allowsHeavy: encoding.filter(({ isHeavy }) => isHeavy === true).length < slots.heavy,
    fullOrganizations: [...counts].filter(([, count]) => count >= slots.perOrganization).map(([id]) => id),
  };
}

/** Files are kept this much longer, for recipients who are watching right now. */
const UNUSED_FILES_LIFE_MS = HOUR_MS;
/** A video that has not been sent may be cancelled, replaced or expire any day. */
const UNSENT_CHECK_MS = DAY_MS;

/** Longer than an encoder may take to store a last file, before it notices that the take was discarded. */
export const SECOND_DELETION_MS = 10 * MINUTE_MS;

/** When to check for the first time whether the files of a take are still needed. */
export const firstFileCheckAt = (status: 'ready' | 'refused' | 'discarded', now: Date): Date =>
  new Date(now.getTime() + (status === 'ready' ? UNSENT_CHECK_MS : UNUSED_FILES_LIFE_MS));

/** When to check again; null when the files can be deleted because no one can see them anymore. */
export function nextFileCheckAt(
  take: {
    isReady: boolean;
    isRetriable: boolean;
    isShown: boolean;
    introStatus: IntroStatus;
    sentAt: Date | null;
    /** How long the organization keeps the video of a sent intro. */
    keptDays: number;
  },
  now: Date,
): Date | null {
  const { isReady, isRetriable, isShown, introStatus, sentAt, keptDays } = take;
  if (isRetriable && isOpen(introStatus)) return new Date(now.getTime() + UNSENT_CHECK_MS);
  if (!isReady || !isShown || isClosed(introStatus)) return null;
  if (introStatus !== 'sent' || sentAt === null) return new Date(now.getTime() + UNSENT_CHECK_MS);
  const end = new Date(sentAt.getTime() + keptDays * DAY_MS + UNUSED_FILES_LIFE_MS);
  return end <= now ? null : end;
}

export const LIMITS = { soft_s: SCRIPT_FIT_SECONDS, hard_s: TAKE_MAX_SECONDS } as const;

const OPEN: readonly IntroStatus[] = ['requested', 'ready'];
export const isOpen = (status: IntroStatus): boolean => OPEN.includes(status);
export const isClosed = (status: string | null): status is 'cancelled' | 'expired' =>
  status === 'cancelled' || status === 'expired';

export const PROCESSING_FAILED = {
  code: 'processing_failed',
  message: 'We could not process this video. Try again, or record it again.',
} as const;

/** A day's work. Without an end, each link in an old message would open what the member has to record today. */
const LEADS_ON_MS = DAY_MS;

/** Whether a link may lead to the other intros of its member. A link that an integration requested is for one intro only. */
export function mayLeadOn(
  link: {
    expiresAt: Date | null;
    /** When its own intro was recorded or closed. */
    endedAt: Date | null;
    isMemberActive: boolean;
  },
  now: Date,
): boolean {
  const { expiresAt, endedAt, isMemberActive } = link;
  const isRecent = endedAt === null || now.getTime() - endedAt.getTime() < LEADS_ON_MS;
  return expiresAt === null && isMemberActive && isRecent;
}
